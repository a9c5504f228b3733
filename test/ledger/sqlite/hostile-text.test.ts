import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { LedgerStory } from '../../support/ledger-story.ts';
import { ROOT } from '../../support/processes.ts';

const DROP = "'; DROP TABLE message; --";

it('text that looks like SQL is text, wherever it is kept [X26]', async () => {
  const story = await LedgerStory.begin();
  const settings = { header: ['Phone', DROP], columns: { mobile: 'Phone', [DROP]: DROP } };
  const rows = [{ fields: [DROP, DROP], key: DROP }, { mobile: `2547${DROP}` }];
  const n = await story.launch({ id: DROP, name: DROP, account: DROP, settings, rows });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent', messageId: DROP, network: DROP },
    2: { to: 'rejected', reason: DROP },
  });
  await story.report(DROP, 'undelivered', DROP);
  await story.ledger.addOptOuts(
    [{ mobile: DROP, sender: DROP, source: 'operator', by: DROP, evidence: DROP }],
    story.now,
  );
  await story.ledger.mapWord({ word: DROP, delivery: 'delivered', now: story.now, by: DROP });
  await story.ledger.voidWebhooks({ ip: DROP, since: null, now: story.now, by: DROP });
  const reader = await story.reader();
  expect(await reader.find(DROP)).toMatchObject([{ id: DROP, name: DROP }]);
  const messages = await reader.messages({ campaign: n, afterSeq: 0, limit: 10, states: null });
  expect(messages).toMatchObject([{ messageId: DROP, network: DROP }, { reason: DROP }]);
  expect(await reader.violations(null)).toEqual([]);
  const database = new DatabaseSync(story.file, { readOnly: true });
  expect(database.prepare('SELECT count(*) AS rows FROM message').get()).toEqual({ rows: 2 });
  database.close();
});

/** Settings of a connection, and the names of the migrations' own tables. */
const OURS = /^\s*(?:PRAGMA \w+ = -?\$\{|SELECT count\(\*\) AS n FROM \$\{table\}$)/;

it('no statement of the ledger is put together from text of others [X26]', () => {
  const files = globSync('src/ledger/**/*.ts', { cwd: ROOT });
  const built = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const calls = text.matchAll(/\.(?:prepare|exec)\(\s*`([^`]*)`/g);
    return [...calls].flatMap(([, sql = '']) => sql.split(';').filter((each) => each.includes('${')));
  });
  expect(built.length).toBeGreaterThan(3);
  expect(built.filter((sql) => !OURS.test(sql))).toEqual([]);
});
