import type { Delivery } from '../domain/message.ts';
import type { ReportsProfile } from './profile.ts';

/** What a word of status, or of a reason, means by the profile. */
export interface Meaning {
  /** Null: nobody knows the word, or it is a bare number. */
  delivery: Delivery | null;
  /** The stable name of why it failed; null for all other words. */
  reason: string | null;
}

/** Looks a word up by its letters. */
export type WordTable = (word: string) => Meaning;

const UNKNOWN: Meaning = { delivery: null, reason: null };

/** Makes the table of a profile: exact words first, then the beginnings (`expired*`), the longest first. */
export function wordTable(words: ReportsProfile['words']): WordTable {
  const rows = [
    ...words.delivered.map((word) => row(word, { delivery: 'delivered', reason: null })),
    ...words.pending.map((word) => row(word, { delivery: 'pending', reason: null })),
    ...words.undelivered.flatMap(({ reason, words }) =>
      words.map((word) => row(word, { delivery: 'undelivered', reason })),
    ),
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

/** The letters of a text in lower case: `Delivery Impossible`, `DELIVERY_IMPOSSIBLE` and `DeliveryImpossible` are one. */
export function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z]/g, '');
}

function row(word: string, meaning: Meaning): { letters: string; open: boolean; meaning: Meaning } {
  return { letters: letters(word), open: word.endsWith('*'), meaning };
}
