import { displayWidth } from '../text/table.ts';

/* Lines for a terminal: a terminal breaks a long line inside a word, so such a line is broken before. */

/** Continued lines stand so far behind the beginning of their line. */
const INDENT = 4;
/** A narrower terminal has no room to break lines well. */
const LEAST_WIDTH = 40;

/** The text with its long lines broken between words. A word that is longer than a line stays whole. */
export function fitted(text: string, width: number): string {
  if (width < LEAST_WIDTH) return text;
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= width ? line : broken(line, width)))
    .join('\n');
}

function broken(line: string, width: number): string {
  const indent = ' '.repeat((/^ */.exec(line)?.[0].length ?? 0) + INDENT);
  const lines: string[] = [];
  let current = '';
  // Words with the blanks before them: columns keep their distance inside a line.
  for (const part of line.match(/\s*\S+/g) ?? []) {
    const fits = displayWidth(current + part) <= width;
    if (!fits && current.trim() !== '') {
      lines.push(current);
      current = indent + part.trimStart();
    } else current += part;
  }
  return [...lines, current].join('\n');
}
