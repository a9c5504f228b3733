import { readFileSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

/**
 * SQL lives in files of named blocks beside the code that runs them:
 *
 *     -- name: lease_batch
 *     -- ?1 batch, ?2 epoch
 *     UPDATE batch SET …
 *
 * The header lists the parameters in order, which a test holds against the statement. A name that the code asks for and
 * the file lacks, and a block that nobody asks for, fail when the ledger opens.
 */

/** The statements of one file, by name. A name that the file lacks throws. */
export type Sql = (name: string) => StatementSync;

/** The prepared statements of a list of names. */
export type Statements<Names extends readonly string[]> = Record<Names[number], StatementSync>;

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

/** The statements of one file, prepared. `url` is usually `new URL('./claim.sql', import.meta.url)`. */
export function prepareStatements<Name extends string>(
  database: DatabaseSync,
  url: URL,
  names: readonly Name[],
): Record<Name, StatementSync> {
  const blocks = parseBlocks(readFileSync(url, 'utf8'), url.pathname);
  const missing = names.filter((name) => !blocks.has(name));
  const unused = [...blocks.keys()].filter((name) => !names.includes(name as Name));
  if (missing.length > 0) throw new Error(`${url.pathname} has no statement named ${missing.join(', ')}`);
  if (unused.length > 0) throw new Error(`${url.pathname}: nobody uses ${unused.join(', ')}`);
  const prepared = names.map((name) => [name, database.prepare(blocks.get(name) ?? '')] as const);
  return Object.fromEntries(prepared) as Record<Name, StatementSync>;
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
  return blocks;
}
