import { readFileSync } from 'node:fs';
import type { Connection, Row, Statement } from './connection.ts';

/**
 * SQL lives in files of named blocks beside the code that runs them:
 *     -- name: lease_batch
 *     -- ?1 batch bigint, ?2 epoch bigint
 *     UPDATE batch SET …
 * The header lists the parameters in order, each with its type (bigint, float8, text or bytea); a header without `?` means
 * none. The statements stay in the part of SQL that SQLite and Postgres both take (docs/decisions/0013). A test prepares
 * every statement. It compares the headers with the parameters, and the names with those in the code.
 */

/** The statements of one file, by name, with the shape of their rows. A missing name throws. */
export type Sql = <Found = Row>(name: string) => Statement<Found>;

const NAME_LINE = /^-- name: ([a-z0-9_]+)$/;
/** By address. An update may replace the files while a process runs; it goes on with the statements that it began with. */
const filesRead = new Map<string, ReadonlyMap<string, string>>();

/**
 * The statements of one file. `url` is usually `new URL('./operations/sending/claim.sql', import.meta.url)`. A statement is prepared when it
 * is first asked for, because a process uses few of them.
 */
export function loadStatements(database: Connection, url: URL): Sql {
  const blocks = blocksOf(url);
  const prepared = new Map<string, Statement>();
  const statementOf = (name: string): Statement => {
    const known = prepared.get(name);
    if (known !== undefined) return known;
    const sql = blocks.get(name);
    if (sql === undefined) throw new Error(`${url.pathname} has no statement named ${name}`);
    const statement = database.prepare(sql);
    prepared.set(name, statement);
    return statement;
  };
  return statementOf as Sql;
}

/** Every statement of a file by name, prepared, in the order of the file. */
export function prepareAll<Prepared extends Statement>(
  database: Connection<Prepared>,
  url: URL,
): Map<string, Prepared> {
  return new Map([...blocksOf(url)].map(([name, sql]) => [name, database.prepare(sql)]));
}

/** The text of every statement of a file, by name. Throws where two have one name. */
export function blocksOf(url: URL): ReadonlyMap<string, string> {
  const known = filesRead.get(url.href);
  if (known !== undefined) return known;
  const blocks = parseBlocks(readFileSync(url, 'utf8'), url.pathname);
  filesRead.set(url.href, blocks);
  return blocks;
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
