/* The text of a `.env`. A TUMA_ line of another form is a problem, because its setting would be lost. */

/** The settings of a `.env`, and what could not be read of it. */
export interface EnvFile {
  values: Record<string, string>;
  problems: string[];
}

/**
 * A value in quotes, or one that begins behind the `=` and holds no quote, `;` or `#`; a comment may follow.
 * Only single quotes may hold a `$`, because Docker Compose reads the same file and replaces it elsewhere.
 */
const SETTING =
  /^\s*(?:export\s+)?(?<name>TUMA_[A-Z0-9_]+)\s*=(?:\s*"(?<double>[^"$]*)"|\s*'(?<single>[^']*)'|(?<plain>(?:[^\s"'`#;$“”‘’](?:(?!TUMA_\w+=)[^"'`#;$])*?)?))\s*(?:\s#.*)?$/;
/** A line that names a setting of ours, in any form. */
const NAMES_OURS = /^(?!\s*#)[^=#]*?\b(?<name>TUMA_\w*)/i;
const FORM =
  'write NAME=value, or NAME="value" where the value begins with a blank or holds a quotation mark, a ; or a #; a value with a $ needs single quotes';

/** Reads the text of a `.env` line by line, only the TUMA_ names. A problem never holds a value. */
export function parseEnvFile(text: string, file: string): EnvFile {
  const read: EnvFile = { values: {}, problems: [] };
  // An editor may put a mark before the text, and some programs end a line with CR alone.
  const lines = text.replace(/^\ufeff/, '').split(/\r\n?|\n/);
  for (const [index, line] of lines.entries()) {
    const name = NAMES_OURS.exec(line)?.groups?.['name'];
    if (name === undefined) continue;
    const value = valueIn(line);
    const problem = (words: string) => read.problems.push(`${name} (${file}:${index + 1}): ${words}`);
    if (value === null) problem(FORM);
    else if (name in read.values) problem('is given twice');
    else read.values[name] = value;
  }
  return read;
}

/** Null: the line does not have the form. */
function valueIn(line: string): string | null {
  const found = SETTING.exec(line)?.groups;
  if (found === undefined) return null;
  // Within double quotes `\n` is a line end, as Node and Docker Compose read it.
  return found['double']?.replaceAll('\\n', '\n') ?? found['single'] ?? found['plain'] ?? '';
}
