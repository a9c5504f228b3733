import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './processes.ts';

/** A text in quotes that ends with ids in brackets: a title, or the row of a table that titles are made from. */
const TITLE = /\S \[((?:[ABDIMPRSWX]\d{1,2}b?)(?:,? [ABDIMPRSWX]\d{1,2}b?)*)\]['"`]/gu;

/** The ids with which titles of tests end, each with a file that has it. */
export function idsInTitles(): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of globSync('test/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, ids = ''] of text.matchAll(TITLE)) {
      for (const id of ids.split(/,? /)) found.set(id, file);
    }
  }
  return found;
}
