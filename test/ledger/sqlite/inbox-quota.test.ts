import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { TumaError } from '../../../src/domain/errors.ts';
import { inboxQuota } from '../../../src/ledger/sqlite/inbox-quota.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const webhook = (body: string) => ({
  receivedAt: 1,
  method: 'POST',
  contentType: '',
  query: '',
  body: Buffer.from(body),
  ip: '203.0.113.66',
});

function codeOf(attempt: () => void): string | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof TumaError) return error.code;
    throw error;
  }
}

it('X5 W11: takes no webhook while too many wait to be read, and takes them again when some were', async () => {
  const story = await LedgerStory.begin();
  const database = new DatabaseSync(story.file);
  const quota = inboxQuota(database, { requireRoom: () => undefined, mostUnread: 3, checkEveryMs: 0 });
  expect(codeOf(quota)).toBeNull();
  for (const body of ['a', 'b']) await story.ledger.storeWebhook(webhook(body));
  expect(codeOf(quota)).toBeNull();
  await story.ledger.storeWebhook(webhook('c'));
  expect(codeOf(quota)).toBe('inbox_full');
  const [first] = await story.ledger.newWebhooks(1);
  await story.ledger.recordReports({ webhook: first?.webhook ?? 0, kind: 'other', reports: [], now: 2 });
  expect(codeOf(quota)).toBeNull();
  database.close();
});

it('X5 D2: takes no webhook when the disk has too little room', async () => {
  const story = await LedgerStory.begin();
  const database = new DatabaseSync(story.file);
  const requireRoom = () => {
    throw new TumaError('ledger_full', { message: 'full' });
  };
  expect(codeOf(inboxQuota(database, { requireRoom }))).toBe('ledger_full');
  database.close();
});
