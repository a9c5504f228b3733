import { wordKey } from '../../domain/text/printable.ts';
import type { ReplyReader, UnknownWord } from '../../ledger/contracts/replies.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/message.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';

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

/** A word with everything that has its letters, such as `Error 27` and `error (34)`: one meaning holds for all of it. */
export interface WordAsked extends UnknownWord {
  /** Reports with any of the spellings, which a meaning decides. */
  decides: number;
  /** As they came, the most frequent first; the word is one of them. */
  spellings: string[];
}

/** The words of reports that the profile does not know, most frequent first. */
export async function unknownWords(reader: Pick<ReplyReader, 'unknownWords'>): Promise<WordAsked[]> {
  const all = await reader.unknownWords(Number.MAX_SAFE_INTEGER);
  const same = Map.groupBy(all, ({ word }) => wordKey(word));
  return all.map((each) => {
    const group = same.get(wordKey(each.word)) ?? [each];
    const decides = group.reduce((sum, { count }) => sum + count, 0);
    return { ...each, decides, spellings: group.map(({ word }) => word) };
  });
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
