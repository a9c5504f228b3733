import { createHash } from 'node:crypto';
import type { AnswerQuestion } from '../../domain/answer-meaning.ts';
import { strangersWords } from '../../domain/text/mask.ts';
import { plainKey } from '../webhooks/body.ts';
import { isGivenId, numberText, parseExactly } from './read-answer.ts';

/*
 * The content of an answer that nobody knows. Answers with the same content are one question to a person, and
 * her reply decides all of them. So only parts that surely vary from message to message are left out. Two
 * answers that differ in anything else are two questions.
 */

/** An answer with its message. */
export interface AskedAnswer {
  body: string;
  /** True: the answer said where it ends. */
  endIsSaid: boolean;
  /** The sent number, international digits. */
  mobile: string;
  /** The sent text. */
  text: string;
  /** The names of the fields that hold a messageid and a code, by the profile. */
  fields: { message_id: readonly string[]; code: readonly string[] };
  /** Removes private parts from what people see. */
  clean: (text: string) => string;
}

/** A longer answer is not kept whole, so a person could not see all of it. */
const MOST_BYTES = 2_048;
/** A shorter text is an echo only where it is a whole value, because it may be a word of the answer. */
const FEWEST_ECHOED = 20;
const SHORTEST_TEXT = 4;

/**
 * The question about an answer. Null: it may be cut, so it waits by itself. `said`: its explanation; null: its
 * content is shown.
 */
export function questionAbout(answer: AskedAnswer, said: string | null): AnswerQuestion | null {
  const content = contentOf(answer);
  if (content === null) return null;
  const words = said === null ? content : lessVaried(answer)(said);
  return {
    content: createHash('sha256').update(content).digest('hex'),
    words: strangersWords(answer.clean(words)),
  };
}

/** The content without its varying parts; null: it is empty, too long, or may be cut. */
function contentOf(answer: AskedAnswer): string | null {
  const { body } = answer;
  if (body.trim() === '' || Buffer.byteLength(body) > MOST_BYTES) return null;
  const vary = lessVaried(answer);
  const value = parseExactly(body);
  if (isNested(value)) {
    const { message_id: ids, code: codes } = answer.fields;
    return written(value, { vary, ids: ids.map(plainPath), codes: lastNames(codes), path: '' });
  }
  const mayBeCut = !answer.endIsSaid || (value === undefined && /^\s*[[{"]/.test(body));
  return mayBeCut ? null : vary(body.replace(/\s+/g, ' ').trim());
}

function plainPath(path: string): string {
  return path.split('.').map(plainKey).join('.');
}

function lastNames(paths: readonly string[]): Set<string> {
  return new Set(paths.map((path) => lastName(plainPath(path))));
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

interface Place {
  vary: (text: string) => string;
  /** The fields with a messageid: of any depth by a name, or by a whole path. */
  ids: readonly string[];
  /** The names of fields with a code. */
  codes: ReadonlySet<string>;
  /** The path of the field; of a list's members, that of the list. */
  path: string;
}

/** JSON with sorted names, because their order says nothing. */
function written(value: unknown, place: Place): string {
  if (Array.isArray(value)) return `[${value.map((each) => written(each, place)).join(',')}]`;
  if (isNested(value)) {
    const fields = Object.entries(value).map(([name, inner]) => {
      return `${JSON.stringify(place.vary(name))}:${written(inner, { ...place, path: under(place, name) })}`;
    });
    return `{${fields.sort().join(',')}}`;
  }
  const number = numberText(value);
  if (number === null && typeof value !== 'string') return String(value);
  const text = number ?? String(value);
  // Whether there is an id may be the whole difference.
  if (isId(place) && isGivenId(text)) return '<id>';
  const kept = isCode(place) ? text : place.vary(text);
  return number === null ? JSON.stringify(kept) : kept;
}

function under({ path }: Place, name: string): string {
  return path === '' ? plainKey(name) : `${path}.${plainKey(name)}`;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && numberText(value) === null;
}

/** `data.id` is no `error.id`, which may be the number of the error. */
function isId({ ids, path }: Place): boolean {
  return ids.includes(path) || ids.includes(lastName(path));
}

/** A code and a status stay whole, because each long number may have a meaning of its own. */
function isCode({ codes, path }: Place): boolean {
  const name = lastName(path);
  return codes.has(name) || /(?:codes?|status(?:es)?)(?:id|no|number)?$/.test(name);
}

const MONTH = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`;
const DATE = String.raw`(?:(?:19|20)\d\d([-/.])[01]?\d\1[0-3]?\d|[0-3]?\d([-/.])[01]?\d\2(?:19|20)\d\d|[0-3]?\d[- ]${MONTH}[- ,]{1,2}(?:19|20)\d\d|${MONTH} [0-3]?\d,? (?:19|20)\d\d)`;
const CLOCK = String.raw`[0-2]?\d:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?: ?[AP]M\b)?`;
const ZONE = String.raw`(?: ?(?:Z\b|UTC|GMT|EAT|[+-]\d\d:?\d\d(?!\d)))?`;
/** A date, a date with a time of day, or a time of day to the second. */
const TIME = new RegExp(
  String.raw`(?<![\d.])(?:(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?${DATE}(?:[T ,]{1,2}${CLOCK}${ZONE})?|[0-2]?\d:[0-5]\d:[0-5]\d(?:[.,]\d+)?${ZONE})(?![\d])`,
  'gi',
);
/** A UUID, or a long hexadecimal number: no word looks like it. */
const ID = /\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{16,})\b/gi;
const LONG_NUMBER = /(?<before>(?:code|status)\W{0,4})?\+?\d{7,}/gi;

/** Makes the function that leaves out what varies. */
function lessVaried({ mobile, text }: Pick<AskedAnswer, 'mobile' | 'text'>): (value: string) => string {
  const shapes = shapesOf(mobile);
  return (value) =>
    withoutEcho(value, text.trim())
      .replace(shapes, (found) => (isShapeOf(found, mobile) ? '<mobile>' : found))
      .replace(ID, '<id>')
      .replace(TIME, '<time>')
      .replace(LONG_NUMBER, (found, before?: string) => (before === undefined ? '<number>' : found));
}

/**
 * The number with any signs between its digits, or with covered digits. A digit before it is none of its own, unless
 * it is the country's or stands right before it.
 */
function shapesOf(mobile: string): RegExp {
  const apart = String.raw`[\s().-]{0,2}`;
  const national = Array.from(mobile.slice(-9)).join(apart);
  const country = mobile.slice(0, -9);
  return new RegExp(
    String.raw`(?<!\d)(?:(?:\+|00)?\(?${country}${apart}|0)?${national}(?!\d)|(?<![\d*])\+?\d{2,}[*xX]{2,}\d{2,}(?![\d*])`,
    'g',
  );
}

/** True: the digits of the number, or a covered form that fits it. */
function isShapeOf(found: string, mobile: string): boolean {
  const [begin = '', end = ''] = found.replace(/^\+/, '').split(/[*xX]+/);
  return end === '' || (mobile.endsWith(end) && (mobile.startsWith(begin) || begin.startsWith('0')));
}

/** Without the sent text, whole or cut. */
function withoutEcho(value: string, sent: string): string {
  if (sent.length < FEWEST_ECHOED)
    return sent.length >= SHORTEST_TEXT && value.trim() === sent ? '<text>' : value;
  const whole = value.replaceAll(sent, '<text>');
  const at = whole.indexOf(sent.slice(0, FEWEST_ECHOED));
  if (at < 0) return whole;
  let length = FEWEST_ECHOED;
  while (length < sent.length && whole[at + length] === sent[length]) length += 1;
  return `${whole.slice(0, at)}<text>${whole.slice(at + length)}`;
}
