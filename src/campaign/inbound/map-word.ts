import { TumaError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/message.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** A person's order about a word of reports. */
export interface WordOrder {
  ledger: Ledger;
  /** The profile's meaning of a word; null: it does not know the word. */
  knows: (word: string) => Delivery | null;
  word: string;
  delivery: Delivery;
  now: number;
  by: string;
}

/** Gives a word its meaning. Returns the number of reports that are worked out anew. Throws `usage` for a word that the profile knows. */
export async function mapWord({ ledger, knows, ...map }: WordOrder): Promise<number> {
  refuseKnownWord(knows, map.word);
  return ledger.mapWord(map);
}

/** Throws `usage` for a word that the profile knows. */
export function refuseKnownWord(knows: WordOrder['knows'], word: string): void {
  const known = knows(word);
  if (known === null) return;
  throw new TumaError('usage', {
    message: `The profile knows this word: ${known}.`,
    advice: { action: 'change_profile' },
  });
}
