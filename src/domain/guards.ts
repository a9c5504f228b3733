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

const LOW_BITS = 2 ** 32;
const HIGH_BITS = 2 ** 21;

/**
 * 53 bits of a text, so that a number holds them exactly (cyrb53). Two texts to the same number share them by chance
 * once in nine thousand million million.
 */
export function textHash(text: string): number {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2654435761);
    two = Math.imul(two ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return LOW_BITS * ((two >>> 0) % HIGH_BITS) + (one >>> 0);
}
