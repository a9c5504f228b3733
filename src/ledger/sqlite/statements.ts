import { readFileSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * SQL lives in files of named blocks beside the code that runs them:
 *     -- name: lease_batch
 *     -- ?1 batch, ?2 epoch
 *     UPDATE batch SET …
 * The header lists the parameters in order; a header without `?` means none. The ledger does not open when a
 * header does not fit its statement. A test compares the names with those in the code.
 */

/** The statements of one file, by name. A missing name throws. */
export type Sql = (name: string) => StatementSync;

const NAME_LINE = /^-- name: ([a-z0-9_]+)$/;

/** Prepares the statements of one file. `url` is usually `new URL('./claim.sql', import.meta.url)`. */
export function loadStatements(database: DatabaseSync, url: URL): Sql {
  const prepared = prepareAll(database, url);
  return (name) => {
    const found = prepared.get(name);
    if (found === undefined) throw new Error(`${url.pathname} has no statement named ${name}`);
    return found;
  };
}

/** Every statement of a file by name, prepared, in the order of the file. */
export function prepareAll(database: DatabaseSync, url: URL): Map<string, StatementSync> {
  const blocks = parseBlocks(readFileSync(url, 'utf8'), url.pathname);
  return new Map([...blocks].map(([name, sql]) => [name, database.prepare(sql)]));
}

function parseBlocks(text: string, file: string): Map<string, string> {
  const blocks = new Map<string, string>();
  let name: string | null = null;
  for (const line of text.split('\n')) {
    const match = NAME_LINE.exec(line.trimEnd());
    if (match?.[1] !== undefined) {
      name = match[1];
      if (blocks.has(name)) throw new Error(`${file}: two statements are named ${name}`);
      blocks.set(name, '');
    } else if (name !== null) {
      blocks.set(name, `${blocks.get(name)}${line}\n`);
    }
  }
  for (const [name, sql] of blocks) checkHeader({ name, sql, file });
  return blocks;
}

function checkHeader({ name, sql, file }: { name: string; sql: string; file: string }): void {
  const lines = sql.split('\n');
  const header = lines.filter((line) => line.startsWith('--')).join('\n');
  const body = lines.filter((line) => !line.startsWith('--')).join('\n');
  const listed = parametersIn(header);
  const used = parametersIn(body);
  if (listed !== used)
    throw new Error(`${file}: the header of ${name} lists parameters ${listed}, it uses ${used}`);
}

function parametersIn(text: string): string {
  const numbers = new Set([...text.matchAll(/\?(\d+)/g)].map((match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b).join(' ');
}
