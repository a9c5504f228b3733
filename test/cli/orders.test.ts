import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LedgerStory } from '../support/ledger-story.ts';
import { tuma } from './command-line.ts';

/* What a flag of an order says is done, and what was done is counted. */

async function place() {
  const story = await LedgerStory.begin();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await tuma([...args, '--json'], { env: { TUMA_HOME: story.directory } });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return { story, run };
}

it('retry --reason takes those of that reason only', async () => {
  const { story, run } = await place();
  const n = await story.launch({ messages: 3 });
  await story.claim();
  await story.record(n, {
    1: { to: 'rejected', reason: 'no credit' },
    2: { to: 'rejected', reason: 'gave up after 5', retryHelps: true },
    3: { to: 'rejected', reason: 'gave up after 5', retryHelps: true },
  });
  expect(await run('retry', 'bf-1', '--reason', 'no credit')).toMatchObject({ retried: 1 });
  const { messages } = await (await story.reader()).overview(n);
  expect(messages).toMatchObject({ queued: 1, rejected: 2 });
});

it('resume --sender goes on under that sender', async () => {
  const { story, run } = await place();
  const n = await story.launch();
  await run('pause', 'bf-1');
  await run('resume', 'bf-1', '--sender', 'SACCO');
  expect((await (await story.reader()).overview(n)).campaign.sender).toBe('SACCO');
});

it('a campaign that is canceled already has no more messages that will not be sent', async () => {
  const { story, run } = await place();
  await story.launch();
  expect(await run('cancel', 'bf-1', '--yes')).toMatchObject({ changed: true, canceled: 4 });
  expect(await run('cancel', 'bf-1', '--yes')).toMatchObject({ changed: false, canceled: 0 });
});

it('an export of opt-outs has every number, however many pages they are', async () => {
  const { story, run } = await place();
  const mobiles = Array.from({ length: 4_001 }, (_, at) => `2547${String(at).padStart(8, '0')}`);
  const entries = mobiles.map((mobile) => ({ mobile, source: 'operator' as const, by: 'test' }));
  await story.ledger.addOptOuts(entries, story.now);
  const out = join(story.directory, 'out.csv');
  expect(await run('optouts', 'export', '--out', out)).toMatchObject({ rows: 4_001 });
  const text = readFileSync(out, 'utf8');
  expect(new Set(text.match(/2547\d{8}/g))).toEqual(new Set(mobiles));
  expect(text.trimEnd().split('\n')).toHaveLength(4_002);
});
