import type { SendProfile } from '../profiles/profile.ts';
import type { RefusalClass } from '../provider.ts';

/** The parts of an answer that may refuse. */
interface Said {
  code: string | null;
  words: string | null;
  /** True: the HTTP status refuses by itself, and the words only choose the class. */
  refusedByStatus?: boolean;
}

/** The class of a refusal; null: neither a code nor the status refuses. */
export type ReadRefusal = (said: Said) => RefusalClass | null;

/** No refusal needs this many characters, and a longer text would delay all other answers. */
const MOST_CHARS = 2_000;

/** "Not sent", "cannot be queued", "can't be delivered": no words of success. */
const NEGATIONS = [' not ', ' no ', ' cannot ', ' never ', ' t '];

/**
 * Makes the reader of refusals from the profile's rows. Only a listed code or the HTTP status refuses. Words
 * never do: they choose the class of an existing refusal. When words and code disagree about the class, the
 * words win. A refusing code beside words of success is not sure.
 */
export function createRefusalReader(profile: SendProfile): ReadRefusal {
  const uncertain = new Set(profile.uncertain_codes);
  const byCode = new Map(Object.entries(profile.refusal_codes));
  const rows = profile.refusal_words.map(({ refusal, words }) => ({ refusal, phrases: words.map(phrase) }));
  const success = profile.success_words.map(phrase);
  const speaksOfSuccess = (said: string) => holds(said, success) && !holds(said, NEGATIONS);
  /** The class of the code, unless the words name only others. */
  const classOf = (said: string, byNumber: RefusalClass | null) => {
    const classes = rows.filter(({ phrases }) => holds(said, phrases)).map(({ refusal }) => refusal);
    return byNumber !== null && classes.includes(byNumber) ? byNumber : (classes[0] ?? byNumber);
  };
  return ({ code, words, refusedByStatus = false }) => {
    const number = (code ?? '').trim();
    if (uncertain.has(number)) return null;
    const byNumber = byCode.get(number) ?? null;
    const said = phrase((words ?? '').slice(0, MOST_CHARS));
    const refuses = refusedByStatus || (byNumber !== null && !speaksOfSuccess(said));
    return refuses ? classOf(said, byNumber) : null;
  };
}

function holds(said: string, phrases: readonly string[]): boolean {
  return phrases.some((each) => said.includes(each));
}

/** ` insufficient funds `: lower case, no accents, blanks around words, so that only whole words match. */
function phrase(text: string): string {
  const apart = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return ` ${(apart.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ')} `;
}
