import type { SendProfile } from '../profiles/profile.ts';
import type { RefusalClass } from '../provider.ts';

/** What of an answer may say a refusal. */
interface Said {
  code: string | null;
  words: string | null;
  /** The HTTP status refuses by itself: the words only choose the class. */
  refusedByStatus?: boolean;
}

/** The class of a refusal by what an answer says; null when neither a code nor the status refuses. */
export type ReadRefusal = (said: Said) => RefusalClass | null;

/** No service needs so many for a refusal, and a longer text would hold up all other answers. */
const MOST_CHARS = 2_000;

/**
 * Makes the reader of refusals from the profile's rows. Only a listed code or the HTTP status refuses. Words never do: they choose the
 * class of a refusal that is there already. Where words and code disagree about the class, the words win.
 */
export function createRefusalReader(profile: SendProfile): ReadRefusal {
  const uncertain = new Set(profile.uncertain_codes);
  const byCode = new Map(Object.entries(profile.refusal_codes));
  const rows = profile.refusal_words.map(({ refusal, words }) => ({ refusal, phrases: words.map(phrase) }));
  const classesOf = (words: string | null) => {
    const said = phrase((words ?? '').slice(0, MOST_CHARS));
    return rows.filter(({ phrases }) => phrases.some((each) => said.includes(each)));
  };
  return ({ code, words, refusedByStatus = false }) => {
    const number = (code ?? '').trim();
    const byNumber = byCode.get(number) ?? null;
    if (uncertain.has(number) || (byNumber === null && !refusedByStatus)) return null;
    const classes = classesOf(words);
    if (classes.some(({ refusal }) => refusal === byNumber)) return byNumber;
    return classes[0]?.refusal ?? byNumber;
  };
}

/** ` insufficient funds `: lower case, no accents, a blank around each word, so that only whole words are found. */
function phrase(text: string): string {
  const apart = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  return ` ${(apart.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ')} `;
}
