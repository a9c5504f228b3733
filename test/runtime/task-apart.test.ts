import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openServices } from '../../src/runtime/services.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { atFileEnd } from '../support/file-end.ts';
import { LEDGERS_HERE } from '../support/ledger-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';

test('a real process of its own writes the file of an export, and says in the ledger what came of it', async () => {
  const story = await LedgerStory.begin();
  await story.launch({ id: 'few-1', messages: 7 });
  const config = resolveConfig({ cwd: story.directory, env: { TUMA_HOME: story.directory } });
  const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
  atFileEnd(() => services.dispose());
  const tasks = await services.tasks();
  const actor = { name: 'otto', identities: ['otto'], isAdmin: false };
  const only = { as: 'messages', format: 'csv', state: null, delivery: null, reason: null } as const;
  const asked = { kind: 'export', campaign: 'few-1', ...only, withText: true, withFields: true } as const;
  const { id } = await tasks.begin(actor, { asked, total: 7, audit: { campaign: 1, detail: {} } });
  await tasks.ended(id);
  expect(await tasks.find(id, actor)).toMatchObject({ state: 'done', done: 7, result: { rows: 7 } });
  const { path, name } = await tasks.file(id, actor);
  expect(name).toBe('messages-few-1.csv');
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(8);
  await expect(tasks.find(id, { ...actor, identities: ['olga'] })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('every start removes files of exports that are older than a day, also where no pages run', async () => {
  const story = await LedgerStory.begin();
  const old = join(story.directory, 'exports', 'feedfeedfeedfeed-00000000.csv');
  mkdirSync(join(story.directory, 'exports'));
  writeFileSync(old, 'full numbers');
  utimesSync(old, 0, 0);
  const config = resolveConfig({ cwd: story.directory, env: { TUMA_HOME: story.directory } });
  const services = await openServices(config, new MemoryLog(), LEDGERS_HERE);
  atFileEnd(() => services.dispose());
  expect(existsSync(old)).toBe(false);
});
