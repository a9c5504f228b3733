import { hash } from 'node:crypto';

/** Protects people from repeated and from too many messages; checked when a message is claimed. */
export interface GuardRule {
  /** Skips a number that got the same text from another campaign within this time; null: no check. */
  sameTextMs: number | null;
  /** The most promotional messages to a number within `perMs`; null: any number. */
  most: number | null;
  perMs: number;
}

/** 13 hexadecimal digits are 52 bits, which a number holds exactly. */
const HASH_DIGITS = 13;

/**
 * A whole number for a text; the ledger keeps it.
 * Two texts share one by chance once in four thousand million million.
 */
export function textHash(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, HASH_DIGITS), 16);
}
