import { hash } from 'node:crypto';

/** What keeps people from the same message twice and from too many; checked when a message is claimed. */
export interface GuardRule {
  /** A number that another campaign gave the same text within this time is skipped; null: it is not looked at. */
  sameTextMs: number | null;
  /** At most so many promotional messages to a number within `perMs`; null: any number. */
  most: number | null;
  perMs: number;
}

/** Skipped: another campaign gave the number the same text. */
export const SAME_TEXT = 'same text recently';
/** Skipped: the number had enough promotional messages. */
export const FREQUENCY_CAP = 'frequency cap';

/** 13 hexadecimal digits are 52 bits, which a number holds exactly. */
const HASH_DIGITS = 13;

/**
 * A whole number that stands for a text. Two texts share one by chance once in four thousand million million.
 * The ledger keeps it.
 */
export function textHash(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, HASH_DIGITS), 16);
}
