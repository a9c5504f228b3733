import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { storeWebhook } from '../../../src/campaign/inbound/store-webhook.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { encodeWebhook } from '../../../src/ledger/thread/thread-codec.ts';
import { writerOperations } from '../../../src/ledger/operations/writer.ts';
import { sqliteEngine } from '../../../src/ledger/sqlite/sqlite-engine.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const webhook = (body: string) => ({
  receivedAt: 1,
  method: 'POST',
  contentType: '',
  query: '',
  body: Buffer.from(body),
  ip: '203.0.113.66',
});

async function codeOf(attempt: () => Promise<void>): Promise<string | null> {
  try {
    await attempt();
    return null;
  } catch (error) {
    if (error instanceof TumaError) return error.code;
    throw error;
  }
}

it('takes no webhook when the disk has too little room, and its sender is asked to come again [X5 D2]', async () => {
  const story = await LedgerStory.begin();
  const database = new DatabaseSync(story.file);
  const requireRoom = () => {
    throw new TumaError('ledger_full', { message: 'full' });
  };
  const operations = writerOperations(database, {
    engine: sqliteEngine(database),
    requireSpace: () => undefined,
    requireRoom,
  });
  expect(await codeOf(() => operations.storeWebhook(encodeWebhook(webhook('a'))))).toBe('ledger_full');
  expect(await codeOf(() => operations.tryInbox(1))).toBe('ledger_full');
  expect(database.prepare('SELECT count(*) AS rows FROM webhook').get()).toEqual({ rows: 0 });
  database.close();
});

it.each([
  ['ledger_full', 'full'],
  ['ledger_busy', 'busy'],
  ['internal', 'failed'],
] as const)('a webhook that the ledger refuses with %s is %s, never stored [X5]', async (code, result) => {
  const ledger = { storeWebhook: () => Promise.reject(new TumaError(code, { message: 'no' })) };
  const env = { clock: systemClock, ledger: ledger as never };
  expect(await storeWebhook(env, webhook('a'))).toBe(result);
});
