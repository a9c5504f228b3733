import { isGivenId } from './given-id.ts';
import type { SendProfile } from './profile.ts';
import type { RefusalClass } from './provider.ts';

/** What of an answer may say a refusal. */
interface Said {
  code: string | null;
  words: string | null;
  /** Left out: the call gives no id. */
  message_id?: string | null;
  /** The status refuses by itself: words need only say whose fault it is. */
  refusedByStatus?: boolean;
}

/** The class of a refusal by what an answer says; null when it does not surely say that the message was refused. */
export type ReadRefusal = (said: Said) => RefusalClass | null;

/** A word of up to this many letters must stand alone: "opt" is not part of "option". */
const MOST_LETTERS_ALONE = 3;
/** What says that there are none of something. But "recipient 0 is invalid" counts nothing. */
const COUNTS_OF_NONE = [
  /[:=(]\s*(?:0(?!\.?\d)|none\b|nil\b|\[\s*\])/i, // "Invalid mobile numbers: 0", "Blacklisted: none"
  /[:=>(-]\W{0,4}(?:null|zero|empty)\W{0,4}$/i, // "Rejected recipients => null"
  /(?<![\d.,])0\s+(?!is\b)\p{L}/iu, // "0 rejected"
  /(?<![\d.,])0{1,2}(?:\.0+)?["'\s]*$|[:=>]\s*-\s*$/, // "Rejected recipients 0", "Rejected recipients: -"
];
/** "Insufficient balance: 0", "balance too low: 0": the 0 is what is left. */
const LACK =
  /insuffi|n[o't]+ (?:have )?(?:enough|sufficient)|too low|out of (?:credit|balance|units|sms)|exhaust|deplet|[eé]puis|toshi/i;
/** "DND = no", "Insufficient balance: false", "not found in the blacklist"; but not "Error: no valid recipient". */
const DENIED = [
  /[:=>(-]\W{0,4}(?:no|off|false)\W{0,4}$/i,
  /\bnot (?:found|registered|listed) (?:in|on|for) (?:the |any )?(?:blacklist|dnd)/i,
];
/** "Mobile no is invalid", "Phone no. 254712345678": an abbreviation, and no negation. */
const NUMBER_NO = /\b(mobile|phone|msisdn|recipient|contact) no\b\.?(?=\s*(?:[:#+\d]|is\b|was\b))/giu;
/** "No credit charged", "no credit is required": said of what was taken as of what was refused. */
const UNCHARGED = /\bno (?:\p{L}+ ){1,3}(?:charged|deducted|used|required|needed)\b/giu;
/**
 * "Rejected messages are credited back", "top up to avoid insufficient balance": of other messages, or of those to come. But not
 * "the number is blacklisted and will be skipped".
 */
const OF_OTHERS =
  /\b(?:if|to avoid|next|prochain|soon|alert|(?:may|might) be|(?:are|(?<!\bis .*)will be) (?:not |never )?(?:charged|credited|refunded|skipped|ignored))\b/i;
/** "Invalid sender - contact us if this is an error": what stands aside may be of others, and what is before it is not. */
const ASIDE = /\s-\s|[()]/;
/** No service needs so many for a refusal, and what is longer would hold up all other answers. */
const MOST_CHARS = 2_000;
/** In English and in French. */
const NEGATIONS = new Set(
  'not cannot never no zero without none neither nobody ne pas non aucun aucune sans'.split(' '),
);
/** What may stand between a negation and what it denies: "no message has been sent", "ne peut être envoyé". */
const AUXILIARIES = new Set('be been has have was were successfully ete etre'.split(' '));
/** Ends what a negation reaches: "No error: accepted", "Cannot use this sender because it is blocked". But "none rejected due to …". */
const PAUSE = /[.,:;!?()\n]|\s-\s|(?<!\b(?:rejected|refused|blocked) )\b(?:because|due to)\b/i;

/**
 * Makes the reader of refusals from the profile's rows. A code that the profile calls uncertain and words that speak of
 * success are never a refusal. Words alone are none of an answer with a messageid: a success under a code of its own may well speak
 * of the balance that is left; nor are words which such a success may hold, unless something in the same clause denies. Where
 * words and number disagree about the class the words win; they agree when the words hold any word of the number's own class.
 */
export function createRefusalReader(profile: SendProfile): ReadRefusal {
  const uncertain = new Set(profile.uncertain_codes);
  const speaksOfSuccess = createSuccessReader(profile);
  const byCode = new Map(Object.entries(profile.refusal_codes));
  const classesOf = classReader(profile);
  return ({ code, words, message_id: messageId, refusedByStatus }) => {
    const number = (code ?? '').trim();
    if (uncertain.has(number) || speaksOfSuccess(words)) return null;
    const byNumber = byCode.get(number) ?? null;
    if (byNumber === null && isGivenId(messageId)) return null;
    const isSure = byNumber !== null || refusedByStatus === true;
    return agreed(byNumber, classesOf((words ?? '').slice(0, MOST_CHARS), isSure));
  };
}

function agreed(byNumber: RefusalClass | null, byWords: RefusalClass[]): RefusalClass | null {
  return byNumber !== null && byWords.includes(byNumber) ? byNumber : (byWords[0] ?? byNumber);
}

/** Makes a look at words for one that speaks of success and is not denied. */
export function createSuccessReader({ success_words: words }: SendProfile): (said: string | null) => boolean {
  const successWords = new Set(words.map(fold));
  return (said) =>
    (said ?? '').split(PAUSE).some((part) => {
      const { tokens } = spell(part);
      return tokens.some((token, at) => successWords.has(token) && !isDenied(tokens, at));
    });
}

interface Spoken {
  tokens: string[];
  /** All letters in one row. */
  letters: string;
}

/** "InsufficientFunds" is two words, and "SenderIDNotFound" four. */
const CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

function spell(words: string): Spoken {
  return spokenBy(fold(words.replace(CAMEL, ' ')).match(/\p{L}+/gu) ?? []);
}

function spokenBy(tokens: string[]): Spoken {
  return { tokens, letters: tokens.join('') };
}

/** In lower case, and without accents: services leave them out as they like. "Isn't" and "n'est" are "is not" and "ne est". */
function fold(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('’', "'");
  return plain.replace(/n't\b/g, ' not').replace(/\bn'/g, 'ne ');
}

/** "not sent", "cannot be sent", "no message was queued". */
function isDenied(tokens: string[], at: number): boolean {
  const before = tokens.slice(0, at);
  while (AUXILIARIES.has(before.at(-1) ?? '')) before.pop();
  return before.slice(-2).some((token) => NEGATIONS.has(token));
}

/** Makes the reader of the classes that words speak of. `isSure`: it is a refusal, so that vague words count by themselves. */
function classReader(profile: SendProfile): (words: string, isSure: boolean) => RefusalClass[] {
  const vague = new Set(profile.vague_words.map(lettersOf));
  const denials = profile.denial_words.map(lettersOf);
  const rows = profile.refusal_words.map((row) => ({ ...row, words: row.words.map(lettersOf) }));
  const isDenial = (clause: Spoken) => denials.some((word) => holds(clause, word));
  const isSending = sendingWords(profile);
  const plain = rows.flatMap((row) => row.words).filter((word) => !vague.has(word));
  const isNamed = (token: Spoken) => isDenial(token) || plain.some((word) => holds(token, word));
  return (words, isSure) => {
    const clauses = clausesOf(words).map((clause) => {
      const left = withoutNegated(clause, { isNamed, isSending });
      const denied = isDenial(left);
      return { clause: denied ? spell(clause) : left, denied: isSure || denied };
    });
    const isSaid = (word: string) =>
      clauses.some(({ clause, denied }) => (denied || !vague.has(word)) && holds(clause, word));
    return rows.filter((row) => row.words.some(isSaid)).map((row) => row.refusal);
  };
}

/** "Twins were rejected. Balance: 93.20": what is denied in one clause says nothing of another. A point in a number ends none. */
function clausesOf(words: string): string[] {
  return words
    .replace(UNCHARGED, ' ')
    .replace(NUMBER_NO, '$1 number')
    .split(/[.,;!?](?!\d)|\n/)
    .filter((clause) => LACK.test(clause) || !COUNTS_OF_NONE.some((none) => none.test(clause)))
    .filter((clause) => !DENIED.some((denied) => denied.test(clause)))
    .map(beforeOthers);
}

/** As far as it speaks of this message. */
function beforeOthers(clause: string): string {
  const parts = clause.split(ASIDE);
  const others = parts.findIndex((part) => OF_OTHERS.test(part));
  return others < 0 ? clause : parts.slice(0, others).join(' - ');
}

/** "Send" and "process", too, where "processed" is a word of success. */
function sendingWords({ success_words: words }: SendProfile): (token: string) => boolean {
  const folded = ['send', ...words.map(fold)];
  return (token) => token.length > MOST_LETTERS_ALONE && folded.some((word) => word.startsWith(token));
}

interface Negatable {
  isNamed: (token: Spoken) => boolean;
  isSending: (token: string) => boolean;
}

/**
 * "No invalid recipients", "none of them is blacklisted": what is denied there denies nothing. But where a sending is denied, what
 * follows is why: "cannot deliver to a blacklisted number" ("do not" tells what is usual). And what denies without it, such as
 * "not allowed on DND", is read as it stands.
 */
function withoutNegated(clause: string, { isNamed, isSending }: Negatable): Spoken {
  return spokenBy(
    clause.split(PAUSE).flatMap((part) => {
      const { tokens } = spell(part);
      const from = tokens.findIndex((token) => NEGATIONS.has(token));
      if (from < 0) return tokens;
      const isUsual = tokens[from - 1] === 'do';
      const sending = tokens.findIndex((token, at) => at > from && !isUsual && isSending(token));
      const to = sending < 0 ? tokens.length : sending;
      return tokens.filter((token, at) => at < from || at >= to || !isNamed(spokenBy([token])));
    }),
  );
}

function lettersOf(word: string): string {
  return fold(word).replace(/[^\p{L}]/gu, '');
}

/** A longer word may begin or end within another, but not begin there and end behind it: "Techno balance" is no "no balance". */
function holds({ tokens, letters }: Spoken, word: string): boolean {
  if (word.length <= MOST_LETTERS_ALONE) return tokens.includes(word);
  if (!letters.includes(word)) return false;
  let begin = 0;
  return tokens.some((token) => {
    const found = token.includes(word) || letters.startsWith(word, begin);
    begin += token.length;
    return found;
  });
}
