import { copyFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, openPlace } from './harness.ts';

vi.setConfig({ testTimeout: 120_000 });

/* An older ledger is put back together with the older note of its claims, so that only the credit tells. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited' } });
const accepted = () => place().sandbox.stats().accepted;
const WAIT = ['--wait', '--wait-reports', '0s'];
const TOKEN = 'abcdefghijklmnopqrstuvwx';

/** What it holds now, to be put back later: as if nothing had happened since. */
async function snapshot(name: string): Promise<() => void> {
  const copy = place().path(`${name}.db`);
  const state = place().path('state');
  expect((await place().tuma(['backup', copy])).code).toBe(0);
  cpSync(state, `${copy}.state`, { recursive: true });
  return () => {
    for (const part of ['-wal', '-shm']) rmSync(join(place().home, `ledger.db${part}`), { force: true });
    copyFileSync(copy, join(place().home, 'ledger.db'));
    rmSync(state, { recursive: true });
    cpSync(`${copy}.state`, state, { recursive: true });
  };
}

function countOf(table: 'webhook' | 'reading', where = 'TRUE'): number {
  const database = new DatabaseSync(join(place().home, 'ledger.db'), { readOnly: true });
  try {
    return Number(database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).get()?.['n']);
  } finally {
    database.close();
  }
}

/** What a stranger's report of a message is answered with. */
async function reported(messageId: string): Promise<number> {
  const url = `http://127.0.0.1:${place().env['TUMA_PORT']}/webhooks/${TOKEN}`;
  const body = JSON.stringify({ messageid: messageId, status: 'DELIVRD' });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

async function states(campaign: string) {
  const { queued, sent } = (await place().json(['status', campaign])).messages;
  return { queued, sent };
}

test('D9 an older ledger with its older note keeps serve from sending, not from taking reports, until a person accepts the credit', async () => {
  place().write('first.csv', contacts(1, 100));
  place().write('first.yaml', jobFile({ name: 'first', contacts: './first.csv' }));
  await place().json(['launch', 'first.yaml', '--yes', ...WAIT]);
  await place().json(['launch', 'job.yaml', '--yes']);
  const putBack = await snapshot('older');
  await place().json(['launch', 'job.yaml', '--yes', ...WAIT]);
  putBack();
  expect([await states('promo'), accepted()]).toEqual([{ queued: 3, sent: 0 }, 4]);

  const serving = place().start(['serve']);
  await serving.printed(/serving collector, dashboard/);
  await serving.printed(/"code":"credit_unexplained".*the role worker waits/);
  expect(await reported('of-a-lost-message')).toBe(200);
  await waitFor(() => countOf('webhook') > 0, { what: 'the report in the ledger' });
  expect([await states('promo'), accepted()]).toEqual([{ queued: 3, sent: 0 }, 4]);
  await serving.stop('SIGTERM');
  expect((await serving.exited).code).toBe(143);
  expect(serving.stderr()).toMatch(
    /error: The credit is KES 1\.60 lower than this ledger explains: KES 9,999\.20 at /,
  );
  expect(serving.stderr()).toMatch(
    / {2}\w{8} \(promo\)\n {2}If others spent it: `tuma balance --accept`, once\./,
  );

  // It begins by itself when a person accepts it.
  const waiting = place().start(['serve']);
  await waiting.printed(/the role worker waits/);
  expect((await place().json(['balance', '--accept']))['credit']).toBe('9996.80');
  await waiting.printed(/serving worker, collector, dashboard/, 15_000);
  await waitFor(() => accepted() === 7, { what: 'the queued ones to be sent' });
  await waiting.stop('SIGTERM');
  expect((await waiting.exited).code).toBe(0);
  expect((await place().json(['verify']))['violations']).toEqual([]);
}, 60_000);
