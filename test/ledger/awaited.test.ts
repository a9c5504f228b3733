import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/processes.ts';

/**
 * A statement's answer that is not awaited is a promise on an engine that answers later: it is never undefined, and a cast
 * hides that. On SQLite nobody would notice. Calls of the operations' own functions are seen by the linter.
 */
const ASKED =
  /(await\s+)?(?:[\w#]+\s*\.\s*)*#?\bsql(?:<[^()]*>)?\(\s*(?:'\w+'|\w+),?\s*\)\s*\.(?:get|all|run|iterate)\(/g;

it('every answer of a statement is awaited on the spot', () => {
  const found = globSync('src/ledger/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(ASKED)].map(([asked, awaited]) => ({ file, asked, awaited }));
  });
  expect(found.length).toBeGreaterThan(400);
  expect(found.filter(({ awaited }) => awaited === undefined)).toEqual([]);
});
