import { randomBytes } from 'node:crypto';
import type { Processes } from './env.ts';

/** A name of one try, which no other has. */
export function newAttempt(): string {
  return randomBytes(8).toString('hex');
}

/**
 * The token under which a process works on a row of the ledger (a plan, a task): which process it is, and which try. A
 * row with another token is another's.
 */
export function processToken(processes: Pick<Processes, 'self'>, attempt = newAttempt()): string {
  return JSON.stringify({ identity: processes.self(), attempt });
}

/** What is known of the process that holds a token, and whether it is this one. */
export function holderOf(
  token: string,
  processes: Processes,
): { fate: ReturnType<Processes['fate']>; isSelf: boolean } {
  const { identity } = JSON.parse(token) as { identity: Parameters<Processes['fate']>[0] };
  const isSelf = JSON.stringify(identity) === JSON.stringify(processes.self());
  return { fate: processes.fate(identity), isSelf };
}
