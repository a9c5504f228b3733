import type { SendProfile } from '../profiles/profile.ts';
import { fold, lettersOf, MOST_LETTERS_ALONE, placesOf, spell } from './spoken.ts';

/** In English and in French. */
const NEGATIONS = new Set('not cannot never no none nothing ne pas non aucun aucune'.split(' '));
/** What may stand between a negation and what it denies: "no message has been sent", "ne peut être envoyé". */
const AUXILIARIES = new Set('be been has have was were successfully ete etre'.split(' '));
/** Say nothing sure but beside a negation: "the balance can be insufficient", but "can not be sent". */
const MODALS = new Set('can ca could will do does peut'.split(' '));
/** Ends what a negation reaches: "No error: accepted", "Not queued because …". But "none rejected due to …". */
const PAUSE = /[.,:;!?()\n]|\s-\s|(?<!\b(?:rejected|refused|blocked) )\b(?:because|due to)\b/i;

/** Makes a look at words for one that speaks of success and is not denied. */
export function createSuccessReader({ success_words: words }: SendProfile): (said: string | null) => boolean {
  const successWords = new Set(words.map(fold));
  return (said) =>
    (said ?? '').split(PAUSE).some((part) => {
      const { tokens } = spell(part);
      return tokens.some((token, at) => successWords.has(token) && !isDenied(tokens, at));
    });
}

/**
 * Makes a look at words for a negation of anything but the sending: "no invalid recipients", "never blocked". What is not
 * sent, "cannot deliver to a blacklisted number", or not as it should be, "not allowed", is refused.
 */
export function createNegationReader(profile: SendProfile): (words: string) => boolean {
  const isSending = sendingReader(profile);
  const denials = profile.denial_words.map(lettersOf);
  return (words) =>
    words.split(PAUSE).some((part) => {
      const spoken = spell(part);
      const { tokens } = spoken;
      const unsent = tokens.findLastIndex((token, at) => isSending(token) && isDenied(tokens, at));
      const places = new Set(denials.flatMap((word) => placesOf(spoken, word)));
      return tokens.some((token, at) => NEGATIONS.has(token) && at > unsent && !places.has(at));
    });
}

/**
 * Makes a look at words for one that nobody knows. It may take back what the others say. "In queue", "request complete" and "in
 * process" are such, where "unable to process" is not.
 */
export function createStrangeReader(profile: SendProfile): (words: string) => boolean {
  const isSending = sendingReader(profile);
  const plain = new Set(profile.plain_words.map(fold));
  const vague = new Set(profile.vague_words.map(lettersOf));
  const stems = [...profile.refusal_words.flatMap((row) => row.words), ...profile.denial_words].map(
    lettersOf,
  );
  return (words) => {
    const spoken = spell(words);
    const { tokens } = spoken;
    // "Credits", but not "credited", which is given back.
    const isPart = (token: string, word: string) => !vague.has(word) || token.length <= word.length + 1;
    const places = new Set(
      stems.flatMap((word) => placesOf(spoken, word).filter((at) => isPart(tokens[at] ?? '', word))),
    );
    const isDenying = (at: number) => NEGATIONS.has(tokens[at] ?? '');
    const isUnsent = (token: string, at: number) =>
      isSending(token) && (token === 'send' || tokens[at - 1] === 'to' || isDenied(tokens, at));
    const isKnown = (token: string, at: number) =>
      plain.has(token) || places.has(at) || isDenying(at) || isUnsent(token, at);
    return tokens.some((token, at) =>
      MODALS.has(token) ? !isDenying(at - 1) && !isDenying(at + 1) : !isKnown(token, at),
    );
  };
}

/** "Send" and "process", too, where "processed" is a word of success. */
function sendingReader({ success_words: words }: SendProfile): (token: string) => boolean {
  const sendings = ['send', ...words.map(fold)];
  return (token) => token.length > MOST_LETTERS_ALONE && sendings.some((word) => word.startsWith(token));
}

/** "not sent", "cannot be sent", "no message was queued". */
function isDenied(tokens: string[], at: number): boolean {
  const before = tokens.slice(0, at);
  while (AUXILIARIES.has(before.at(-1) ?? '')) before.pop();
  return before.slice(-2).some((token) => NEGATIONS.has(token));
}
