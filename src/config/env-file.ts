/* What stands in a `.env`. What cannot be meant as it is read is a problem: a line that is dropped is a setting that lies. */

/** The settings of a `.env`, and what could not be read of it. */
export interface EnvFile {
  values: Record<string, string>;
  problems: string[];
}

/** A quoted value may go on over lines; `rest` is what stands behind it, or the unquoted value. */
const ENTRY =
  /[^\S\n]*(?:export[^\S\n]+)?(?<name>[^=#\n]*?)[^\S\n]*=(?<blanks>[^\S\n]*)(?:(?<quote>["'`])(?<quoted>[^]*?)\k<quote>)?(?<rest>[^\n]*)/y;
/** Also behind what makes it no name for us: `declare -x`, `set`, a mark that nobody sees. */
const OURS = /^(?:\s*(?:export\s+)?|[^=#\n]*?\b(?=TUMA_\w+\s*=))(?<name>TUMA_\w*)/i;
const OURS_WITHIN = /\n[^\S\n]*(?:export[^\S\n]+)?(?<name>TUMA_\w+)[^\S\n]*=/i;
/** One that a value would swallow: `TUMA_SENDER=SHOP TUMA_PORT=8085`. */
const OURS_BESIDE = /[\s;,]["']?(?<name>TUMA_\w+)[^\S\n]*=/;
/** As a word processor writes quotation marks. */
const CURLY = /^[“”„‟‘’‚‛«»]/;
const NOTHING_OR_COMMENT = /^\s*(?:#.*)?$/;

/** Reads the text of a `.env`: the TUMA_ names of it, for all others belong to others. A problem never holds a value. */
export function parseEnvFile(text: string, file: string): EnvFile {
  const read: EnvFile = { values: {}, problems: [] };
  const lines = new Map<string, number>();
  // Some programs end a line with CR alone, and all that follows a comment would be part of it.
  for (const { line, name, value } of entriesOf(text.replaceAll(/\r\n?/g, '\n'))) {
    const problem = (words: string) => read.problems.push(`${name} (${file}:${line}): ${words}`);
    const first = lines.get(name);
    if ('problem' in value) problem(value.problem);
    else if (first !== undefined) problem(`is given twice, in line ${first} too`);
    else read.values[name] = value.value;
    if (first === undefined) lines.set(name, line);
  }
  return read;
}

type Entry = Record<'blanks' | 'rest', string> & Partial<Record<'quote' | 'quoted', string>>;
type Value = { value: string } | { problem: string };

const NO_ENTRY: Value = { problem: 'is not followed by =; write NAME=value' };
const NOT_FIRST: Value = { problem: 'does not begin its line; write NAME=value' };
const NO_CAPITALS: Value = { problem: 'is not a setting; names are written in capitals' };

/** A place that names a setting of ours, by its line. */
interface Place {
  line: number;
  name: string;
  value: Value;
}

function* entriesOf(text: string): Generator<Place> {
  for (let at = 0, line = 1; at < text.length; ) {
    ENTRY.lastIndex = at;
    const match = ENTRY.exec(text);
    const end = match === null ? endOfLine(text, at) : ENTRY.lastIndex;
    const { name: assigned, ...entry } = { ...match?.groups };
    const name = OURS.exec(text.slice(at, endOfLine(text, at)))?.groups?.['name'];
    const within = ourLineWithin(entry['quoted'] ?? '', line);
    if (within !== null) yield within;
    else if (name !== undefined)
      yield {
        line,
        name,
        value: assigned === name ? valueOf(name, entry as Entry) : notOurs(name, assigned),
      };
    line += text.slice(at, end).split('\n').length;
    at = end + 1;
  }
}

/** Of a quote that was never meant to go on so far: that setting would be lost, and shown as a part of another one. */
function ourLineWithin(quoted: string, line: number): Place | null {
  const match = OURS_WITHIN.exec(quoted);
  const name = match?.groups?.['name'];
  if (match === null || name === undefined) return null;
  const problem = `stands within the quotes that open in line ${line}; close them there`;
  return { line: line + quoted.slice(0, match.index).split('\n').length, name, value: { problem } };
}

function notOurs(name: string, assigned: string | undefined): Value {
  return assigned?.endsWith(name) === true ? NOT_FIRST : NO_ENTRY;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function valueOf(name: string, { quote, quoted, blanks, rest }: Entry): Value {
  if (name !== name.toUpperCase()) return NO_CAPITALS;
  if (quoted === undefined) return unquoted(name, blanks + rest);
  if (!NOTHING_OR_COMMENT.test(rest)) return { problem: 'goes on behind its closing quote' };
  return { value: quote === '"' ? quoted.replaceAll('\\n', '\n') : quoted };
}

function unquoted(name: string, text: string): Value {
  const hash = text.indexOf('#');
  // Else a part of the value would be taken for a comment, or a comment for a part of the value.
  if (hash >= 0 && !/\s/.test(text[hash - 1] ?? ''))
    return { problem: `has a # that no blank precedes; put the value into quotes: ${name}="…#…"` };
  const value = (hash < 0 ? text : text.slice(0, hash)).trim();
  const wrong = whyNotMeant(value);
  if (wrong !== null) return { problem: wrong };
  // Of this one a blank is a character that is counted.
  if (name === 'TUMA_OPT_OUT_TEXT' && value !== '' && /^\s/.test(text))
    return { problem: `begins with a blank; put the value into quotes: ${name}=" …"` };
  return { value };
}

function whyNotMeant(value: string): string | null {
  const beside = OURS_BESIDE.exec(value)?.groups?.['name'];
  if (beside !== undefined) return `goes on with ${beside}; give each setting a line of its own`;
  if (/^["'`]/.test(value)) return 'begins with a quote that is not closed';
  if (CURLY.test(value))
    return 'begins with a quotation mark that is none in this file; write " in its place';
  return value.endsWith(';')
    ? 'ends with a ;, which only a shell reads; leave it out, or put all into quotes'
    : null;
}
