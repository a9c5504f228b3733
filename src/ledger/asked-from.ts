import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The address from which somebody asks for what a call does. Whoever serves requests runs each within it, and the
 * ledger notes it in the audit. Without it the order was given at this machine, or by Tuma itself.
 */
export const askedFrom = new AsyncLocalStorage<string>();
