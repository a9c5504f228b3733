import { AsyncLocalStorage } from 'node:async_hooks';
import type { Role } from '../../domain/roles.ts';

/** Who asks: a user (by the id), a program (by the digest of its token), or whoever opened the link of this machine. */
export type AskerKey = { user: string } | { token: string } | 'home';

/** From where somebody asks for what a call does, and by which right. */
export interface Asked {
  from: string;
  /**
   * The ledger looks at it again in the commit of each call, and refuses one whose asker was removed or has a lower role
   * by then. Left out: the call needs no right.
   */
  right?: { of: AskerKey; role: Role };
}

/**
 * Whoever serves requests runs each within it; the ledger notes the address in the audit. Without it the order was given
 * at this machine, or by Tuma itself.
 */
export const askedFrom = new AsyncLocalStorage<Asked>();
