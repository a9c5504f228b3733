import type { Asked } from '../asked-from.ts';

/** The request whose operation runs now (ledger/asked-from.ts). Operations run one after the other. */
let running: Asked | null = null;

/** Runs an operation that somebody asked for. */
export function whileAsked<Result>(asked: Asked, operation: () => Result): Result {
  running = asked;
  try {
    return operation();
  } finally {
    running = null;
  }
}

/** Where the running operation was asked for; null: at this machine, or by Tuma itself. */
export function askedAddress(): string | null {
  return running?.from ?? null;
}

/** The right by which the running operation was asked for; null: it needs none. */
export function askedRight(): NonNullable<Asked['right']> | null {
  return running?.right ?? null;
}
