import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openSqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts';
import { makeTempDir } from '../../support/temp-home.ts';

const PATIENCE_MS = 40_000;

it('the ledger begins with what many ask in one turn of the event loop before that turn is over', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  const webhook = { receivedAt: 1, method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };
  const stored = Array.from({ length: 40 }, (_, n) =>
    ledger.storeWebhook({ ...webhook, body: Buffer.from(`report ${n}`) }),
  );
  using other = new DatabaseSync(file, { readOnly: true });
  const count = other.prepare('SELECT count(*) AS count FROM webhook');
  const deadline = performance.now() + PATIENCE_MS;
  let seen = 0;
  // Nothing of this process runs meanwhile.
  while (seen === 0 && performance.now() < deadline) seen = Number(count.get()?.['count']);
  expect(seen).toBeGreaterThan(0);
  expect(seen).toBeLessThan(40);
  await Promise.all(stored);
  expect(count.get()).toEqual({ count: 40 });
  await ledger.close();
});
