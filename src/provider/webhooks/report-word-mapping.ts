import { letters } from '../../domain/text/printable.ts';
import type { Delivery, NumberEffect } from '../../domain/message.ts';
import type { ReportsProfile } from '../profiles/profile.ts';

/** The profile's meaning of a status word or a reason. */
export interface Meaning {
  /** Null: the word is unknown, or a bare number. */
  delivery: Delivery | null;
  /** The stable name of a failure's reason; null for all other words. */
  reason: string | null;
  /** The effect on the number; left out: none. */
  effect?: NumberEffect;
}

/** Looks a word up by its letters. */
export type WordTable = (word: string) => Meaning;

const UNKNOWN: Meaning = { delivery: null, reason: null };

/** Makes the word table of a profile: exact words first, then beginnings (`expired*`), the longest first. */
export function wordTable(words: ReportsProfile['words']): WordTable {
  const rows = [
    ...words.delivered.map((word) => row(word, { delivery: 'delivered', reason: null })),
    ...words.pending.map((word) => row(word, { delivery: 'pending', reason: null })),
    ...words.undelivered.flatMap((group) => group.words.map((word) => row(word, failureOf(group)))),
  ];
  const exact = new Map(rows.filter((each) => !each.open).map((each) => [each.letters, each.meaning]));
  const beginnings = rows
    .filter((each) => each.open && each.letters !== '')
    .sort((one, other) => other.letters.length - one.letters.length);
  return (word) => {
    const plain = letters(word);
    if (plain === '') return UNKNOWN;
    const known = exact.get(plain) ?? beginnings.find((each) => plain.startsWith(each.letters))?.meaning;
    return known ?? UNKNOWN;
  };
}

function failureOf(group: ReportsProfile['words']['undelivered'][number]): Meaning {
  const { reason, opted_out: optedOut, permanent, absent = false } = group;
  const meaning = { delivery: 'undelivered', reason } as const;
  if (optedOut) return { ...meaning, effect: 'opted_out' };
  if (permanent) return { ...meaning, effect: 'permanent' };
  return absent ? { ...meaning, effect: 'absent' } : meaning;
}

function row(word: string, meaning: Meaning): { letters: string; open: boolean; meaning: Meaning } {
  return { letters: letters(word), open: word.endsWith('*'), meaning };
}
