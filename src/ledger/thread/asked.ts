import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asked } from '../contracts/asked-from.ts';

/** The request whose operation runs (contracts/asked-from.ts): for the operation and all that it awaits, and for nothing else. */
const running = new AsyncLocalStorage<Asked>();

/** Runs an operation that somebody asked for. */
export function whileAsked<Result>(asked: Asked, operation: () => Result): Result {
  return running.run(asked, operation);
}

/** Where the running operation was asked for; null: at this machine, or by Tuma itself. */
export function askedAddress(): string | null {
  return running.getStore()?.from ?? null;
}

/** The right by which the running operation was asked for; null: it needs none. */
export function askedRight(): NonNullable<Asked['right']> | null {
  return running.getStore()?.right ?? null;
}
