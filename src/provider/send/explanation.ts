import { plainKey } from '../webhooks/body.ts';
import { numberText, parseExactly } from './read-answer.ts';

/*
 * The provider's explanation of an answer, for people. It takes any shape: a plain text, a page, objects and
 * lists inside each other. Nothing in it is ever interpreted.
 */

/** Names of fields that hold an explanation, or whose object or list does. Other names are said, too. */
const NAMES_OF_WORDS = new Set(
  `error, errors, message, messages, detail, details, description, reason, reasons, title, text, fault, faults,
  exception, violations, issues, responsedescription, resposedescription, statusdesc, errordescription,
  errormessage, errormessages, statusmessage, statusdescription, responsemessage, errormsg, msg, desc, faultstring`
    .split(',')
    .map((name) => name.trim()),
);
/** More is not read, because people see 200 characters. */
const MOST_CHARS = 1_000;
/** Deeper objects explain nothing. */
const MOST_DEPTH = 8;
/** A value this long that begins like the text is an echo of it. */
const FEWEST_ECHOED = 20;

/** An answer, the message that it is about, and the words that were read already. */
interface Explained {
  body: string;
  /** The sent text; empty: none. */
  text: string;
  /** The words by the rows of the profile; null: none. */
  words: string | null;
}

/** The words of an answer, and all further texts of it that explain something. Null: there is no text. */
export function explanationOf({ body, text, words }: Explained): string | null {
  const value = parseExactly(body);
  const found = new Found(text, words);
  if (isNested(value)) {
    collect(value, { found, name: '', says: false, depth: 0 });
    // No field is known to explain, so all texts are shown.
    if (found.isEmpty) collect(value, { found, name: '', says: true, depth: 0 });
  } else found.add(typeof value === 'string' ? value : withoutMarkup(body));
  return found.sentence();
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && numberText(value) === null;
}

/** The texts that were found, without repeats and echoes. */
class Found {
  readonly #texts: string[] = [];
  readonly #sent: string;
  #length = 0;

  constructor(sent: string, words: string | null) {
    this.#sent = sent;
    if (words !== null) this.add(words);
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  get isFull(): boolean {
    return this.#length >= MOST_CHARS;
  }

  /** `name` tells what the text is about, such as the missing field. */
  add(found: string, name = ''): void {
    const text = found.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (text === '' || this.#isEcho(text)) return;
    if (this.#texts.some((each) => each.includes(text))) return;
    const said = name === '' ? text : `${name}: ${text}`;
    this.#texts.push(said);
    this.#length += said.length;
  }

  sentence(): string | null {
    return this.isEmpty ? null : this.#texts.join('. ').replaceAll(/([.!?:;])\. /g, '$1 ');
  }

  #isEcho(text: string): boolean {
    const sent = this.#sent.replace(/\s+/g, ' ').trim();
    if (sent === '') return false;
    return text.includes(sent) || (text.length >= FEWEST_ECHOED && sent.startsWith(text));
  }
}

interface Place {
  found: Found;
  /** The name of the field; empty: it only says that this is an explanation. */
  name: string;
  /** True: the field, or one around it, holds an explanation. */
  says: boolean;
  depth: number;
}

function collect(value: unknown, place: Place): void {
  const { found, name, says, depth } = place;
  if (typeof value === 'string' && says) found.add(value, name);
  if (!isNested(value) || depth > MOST_DEPTH) return;
  for (const [key, inner] of Object.entries(value)) {
    if (found.isFull) return;
    const isWords = NAMES_OF_WORDS.has(plainKey(key));
    const named = Array.isArray(value) ? name : isWords ? '' : key;
    collect(inner, { found, name: named, says: says || isWords, depth: depth + 1 });
  }
}

/** The text of a page, or of any other body that is no JSON. */
function withoutMarkup(body: string): string {
  const begin = body.slice(0, MOST_CHARS * 8);
  if (!/^\s*</.test(begin)) return begin;
  const shown = begin.replace(/<(script|style|head)\b[^]*?<\/\1\s*>/gi, ' ');
  return textOf(shown) || textOf(begin);
}

function textOf(markup: string): string {
  const text = markup.replace(/<[^>]*>?/g, ' ').replace(/&nbsp;|&#160;/gi, ' ');
  return text.replace(/\s+/g, ' ').trim();
}
