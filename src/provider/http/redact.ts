import { maskMobile } from '../../domain/text/mask.ts';

/** The largest kept evidence. */
const MOST_EVIDENCE_BYTES = 2_048;
/** The read part of an answer: enough to fill the evidence after all private parts are removed. */
const MOST_READ_CHARS = 8_192;
/** Any part of the text this long is removed, so that a cut or repeated echo is found as well. */
const TEXT_WINDOW = 12;
const SECRET_WINDOW = 8;
/** Longer words get the full check. */
const MOST_PLAIN_CHARS = 48;
/** Shorter texts ("Hi") would blacken every other word and are no secret. */
const SHORTEST_TEXT = 4;

/** The private parts of a piece of evidence. */
interface Private {
  /** The message's text. */
  message: string;
  /** Numbers as sent or as echoed. */
  numbers: string[];
}

/** Removes private parts before they reach a log, an error or the ledger's evidence. */
export interface Redactor {
  /** At most 2 kB, one line, without credentials, text, full numbers and control characters. */
  clean(text: string, hidden: Private): string;
  /** True: the text holds a credential. Cheap, because every message takes this path. */
  holdsSecret(text: string): boolean;
  /** True: `clean` would leave these few words unchanged. Also cheap; false when in doubt. */
  isHarmless(words: string, message: string): boolean;
}

/** Makes the redactor of one account's credentials. */
export function createRedactor(secrets: string[]): Redactor {
  const known = secrets.filter((secret) => secret !== '');
  const spellings = [...new Set(known.flatMap(spellingsOf))];
  const holdsSecret = (text: string) => spellings.some((secret) => text.includes(secret));
  return {
    holdsSecret,
    isHarmless: (words, message) =>
      isFewPlainWords(words) &&
      !shares(words, { secret: message, window: TEXT_WINDOW }) &&
      !spellings.some((secret) => shares(words, { secret, window: SECRET_WINDOW })),
    clean(text, hidden) {
      let clean = withoutEscapes(text.slice(0, MOST_READ_CHARS));
      clean = blacken(clean, { secrets: spellings, window: SECRET_WINDOW, mark: '[secret]' });
      clean = withoutText(clean, hidden.message);
      for (const number of hidden.numbers) clean = withoutNumber(clean, number);
      return cut(withoutControls(clean));
    },
  };
}

function isFewPlainWords(words: string): boolean {
  return words.length <= MOST_PLAIN_CHARS && /^[A-Za-z .,:;!?_-]*$/.test(words);
}

/** True: the words hold a part of a secret as long as the window. */
function shares(words: string, { secret, window }: { secret: string; window: number }): boolean {
  const size = Math.min(window, secret.length);
  const searched = lower(secret);
  const wanted = lower(words);
  for (let at = 0; at + size <= wanted.length; at++) {
    if (searched.includes(wanted.slice(at, at + size))) return true;
  }
  return false;
}

/** The possible echoes of a secret: plain, inside JSON, inside a URL. */
function spellingsOf(secret: string): string[] {
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl];
}

/** PHP writes `\u00e9` and `\/` for é and /; .NET writes `\u0022` for a quotation mark. */
function withoutEscapes(text: string): string {
  return text
    .replaceAll('\\/', '/')
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function withoutText(text: string, message: string): string {
  if (message.length < SHORTEST_TEXT) return text;
  const secrets = [message, JSON.stringify(message).slice(1, -1)];
  return blacken(text, { secrets, window: TEXT_WINDOW, mark: '[text]' });
}

interface Blackening {
  /** Spellings of private parts. */
  secrets: string[];
  /** The shortest part of a spelling that is removed. */
  window: number;
  mark: string;
}

function blacken(text: string, { secrets, window, mark }: Blackening): string {
  const searched = lower(text);
  const black = new Uint8Array(searched.length);
  for (const secret of secrets) cover(black, { searched, secret: lower(secret), window });
  let clean = '';
  for (let at = 0; at < text.length; at++) {
    if (black[at] === 0) clean += text[at];
    else if (at === 0 || black[at - 1] === 0) clean += mark;
  }
  return clean;
}

function cover(
  black: Uint8Array,
  { searched, secret, window }: { searched: string; secret: string; window: number },
): void {
  const size = Math.min(window, secret.length);
  const parts = new Set<string>();
  for (let at = 0; at + size <= secret.length; at++) parts.add(secret.slice(at, at + size));
  for (let at = 0; at + size <= searched.length; at++) {
    if (parts.has(searched.slice(at, at + size))) black.fill(1, at, at + size);
  }
}

/** Lower case of the same length, so that positions agree: only İ would become two characters. */
function lower(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

/** Masks a number in any shape with any separators, and other numbers of its country and length. */
function withoutNumber(text: string, number: string): string {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 7) return text;
  const national = Array.from(digits.slice(-9)).join('[\\s().-]{0,2}');
  const same = new RegExp(`(?:\\+|\\d[\\s().-]?){0,6}${national}`, 'g');
  const alike = new RegExp(`\\+?\\b${digits.slice(0, 3)}\\d{${digits.length - 3}}\\b`, 'g');
  return text.replace(same, maskMobile(digits)).replace(alike, (found) => maskMobile(found));
}

/** Controls can move a terminal's cursor or forge a log line; direction marks can reorder it. */
function withoutControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ').trim();
}

function cut(text: string): string {
  if (Buffer.byteLength(text) <= MOST_EVIDENCE_BYTES) return text;
  const bytes = Buffer.from(text).subarray(0, MOST_EVIDENCE_BYTES);
  // A character cut in half comes back as a replacement character.
  return bytes.toString('utf8').replace(/\ufffd$/, '');
}
