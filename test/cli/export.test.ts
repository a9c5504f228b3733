import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

/* What an export is asked for is what it writes, or it is refused: nobody uploads the wrong rows again. */

async function exported() {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2 });
  await story.claim();
  await story.record(n, { 1: { to: 'sent' }, 2: { to: 'rejected' } });
  const file = join(story.directory, 'out.csv');
  return async (...flags: string[]) => {
    const env = { TUMA_HOME: story.directory };
    const { code, stdout } = await tuma(['export', 'bf-1', '--out', file, ...flags, '--json'], { env });
    return { code, rows: code === 0 ? (JSON.parse(stdout) as { rows: number }).rows : null, file };
  };
}

it.each([
  ['--format', 'ods'],
  ['--as', 'contact', '--state', 'rejected'],
  ['--state', 'refused'],
])('what it does not know is refused and nothing written: %s %s', async (...flags) => {
  const { code, file } = await (await exported())(...flags);
  expect({ code, written: existsSync(file) }).toEqual({ code: 2, written: false });
});

it('each state of messages, and each delivery of sent ones, can be asked for', async () => {
  const run = await exported();
  const rows: Record<string, number | null> = {};
  for (const state of ['queued', 'sending', 'sent', 'rejected', 'uncertain', 'skipped', 'canceled'])
    rows[state] = (await run('--state', state, '--force')).rows;
  for (const state of ['pending', 'delivered', 'undelivered', 'unreported'])
    rows[state] = (await run('--state', state, '--force')).rows;
  const none = { queued: 0, sending: 0, uncertain: 0, skipped: 0, canceled: 0, delivered: 0, undelivered: 0 };
  // The clock is that of this machine: the one that was sent has waited for its report for long, or not at all.
  expect(rows).toMatchObject({ ...none, sent: 1, rejected: 1 });
  expect((rows['pending'] ?? 0) + (rows['unreported'] ?? 0)).toBe(1);
});

it('it is CSV, or a line of JSON a row', async () => {
  const run = await exported();
  const { file } = await run();
  expect(readFileSync(file, 'utf8')).toMatch(/^campaign,line,mobile,[^]*\nbf-1,2,"=""254700000001""",/);
  await run('--format', 'ndjson', '--force');
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { mobile: string }).mobile)).toEqual([
    '254700000001',
    '254700000002',
  ]);
});
