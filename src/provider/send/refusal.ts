import { createNegationReader, createStrangeReader, createSuccessReader } from './denied.ts';
import { isGivenId } from './given-id.ts';
import type { SendProfile } from '../profiles/profile.ts';
import type { RefusalClass } from '../provider.ts';
import { holds, lettersOf, spell } from './spoken.ts';

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

/** No service needs so many for a refusal, and what is longer would hold up all other answers. */
const MOST_CHARS = 2_000;
/** A point in a number ends no sentence. */
const SENTENCE_END = /[.;!?](?!\d)|\n/;
/** There is none: "0 rejected", "DND = off", "Rejected: null", "Missing parameters: []", "not found in the blacklist". */
const NONE = [
  /\[\s*\]|[:=]\s*-\s*$/,
  /[:=]\W{0,4}(?:nil|null|zero|empty|false|off)\W{0,4}$/i,
  /\bnot (?:found|registered|listed) (?:in|on|for) (?:the |any )?(?:blacklist|dnd)|\b(?:blacklist|dnd)\W+not\b/i,
];
const ZERO = /(?<![\d.,])0{1,2}(?:[.,]0+)?(?![.,]?\d)/;
/** "Insufficient balance: 0", "balance too low: 0": the 0 is what is left. */
const LACK =
  /insuffi|n[o't]+ (?:have )?(?:enough|sufficient)|too low|out of (?:credit|balance|units|sms)|exhaust|deplet|[eé]puis|toshi/i;
/** An acceptance may say it in the same words: that the operator gave no id, that nothing failed, what it cost and left. */
const OF_ACCEPTANCE =
  /^(?=[^]*\bcost\b)(?=[^]*\b(?:dnd|left)\b)|\bmessage[ _-]?id\b|\bno (?:error|failure)\b|\b(?:error(?: code)?|failed|failure)\W+(?:none|0+)\b(?!\.\d)/i;
/** "2 credits are required", "KES 1.00 was blocked from your balance", "invalid recipient, balance 93.20": of what it costs or was left. */
const MONEY = /\b(?:balance|credits?|units?|solde|salio)\b/i;
const NO_LACK =
  /required|blocked|reject|refuse|invalid|missing|(?<!(?:credit|balance) )(?:limit|quota) (?:has been )?exceeded/i;
/** "Mobile no is invalid", "Phone no. 254712345678": an abbreviation, and no negation. */
const NUMBER_NO = /\b(mobile|phone|msisdn|recipient|contact) no\b\.?(?=\s*(?:[:#+\d]|is\b|was\b))/giu;
/** "Sender ID DUKA is not registered": a name says nothing. In capitals, where the rest is not. */
const SENDER_NAME =
  /\b([Ss]ender(?:[ -]?(?:ID|Id|id|[Nn]ame))?|[Ss]hort ?[Cc]ode)\W{1,3}[A-Z\d][A-Z\d._-]{1,10}\W{1,2}(?=(?:is|was|has|does|not)\b)/g;
/** "No credit charged", "no credit is required": said of what was taken as of what was refused. */
const UNCHARGED = /\bno (?:\p{L}+ ){1,3}(?:charged|deducted|used|required|needed)\b/giu;

/**
 * Makes the reader of refusals from the profile's rows. A code that the profile calls uncertain and words that speak of
 * success are never a refusal. Words alone refuse only where every one of them is known, for any other may take back what they say, and
 * where no messageid is given: a success under a code of its own may well speak of the balance that is left. What such a success may
 * hold needs a word that denies in the same sentence. Where words and number disagree about the class the words win; they agree when the
 * words hold any word of the number's own class.
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
    return agreed(byNumber, classesOf(words ?? '', byNumber !== null || refusedByStatus === true));
  };
}

function agreed(byNumber: RefusalClass | null, byWords: RefusalClass[]): RefusalClass | null {
  return byNumber !== null && byWords.includes(byNumber) ? byNumber : (byWords[0] ?? byNumber);
}

/**
 * Makes the reader of the classes that words speak of. `isSure`: it is a refusal, so that vague words count by themselves, and strange
 * ones take nothing back.
 */
function classReader(profile: SendProfile): (words: string, isSure: boolean) => RefusalClass[] {
  const vague = new Set(profile.vague_words.map(lettersOf));
  const denials = profile.denial_words.map(lettersOf);
  const rows = profile.refusal_words.map((row) => ({ ...row, words: row.words.map(lettersOf) }));
  const [isStrange, deniesOther] = [createStrangeReader(profile), createNegationReader(profile)];
  return (words, isSure) => {
    const said = withoutAsides(words.slice(0, MOST_CHARS));
    if (!isSure && (words.length > MOST_CHARS || OF_ACCEPTANCE.test(said) || isStrange(said))) return [];
    const sentences = sentencesOf(said)
      .filter((sentence) => isSure || !isOfCost(sentence))
      .filter((sentence) => !deniesOther(sentence))
      .map(spell)
      .map((spoken) => ({ spoken, denied: isSure || denials.some((word) => holds(spoken, word)) }));
    const isSaid = (word: string) =>
      sentences.some(({ spoken, denied }) => (denied || !vague.has(word)) && holds(spoken, word));
    return rows.filter((row) => row.words.some(isSaid)).map((row) => row.refusal);
  };
}

function withoutAsides(words: string): string {
  return words.replace(UNCHARGED, ' ').replace(NUMBER_NO, '$1 number').replace(SENDER_NAME, '$1 ');
}

function isOfCost(sentence: string): boolean {
  return MONEY.test(sentence) && NO_LACK.test(sentence) && !LACK.test(sentence);
}

/** "Twins were rejected. Balance: 93.20": what is denied in one sentence says nothing of the other. */
function sentencesOf(words: string): string[] {
  return words
    .split(SENTENCE_END)
    .filter((sentence) => !NONE.some((none) => none.test(sentence)))
    .filter((sentence) => LACK.test(sentence) || !ZERO.test(sentence));
}
