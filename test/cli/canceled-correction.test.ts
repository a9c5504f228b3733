import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { World } from '../ledger/contract-world.ts';
import { reminderWorld } from '../ledger/reminder-world.ts';
import { openLedgerHere, openReaderHere } from '../support/ledger-here.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

it('the file of those whom canceled reminders did not reach follows corrected contacts that nobody had laid over them yet', async () => {
  const home = makeTempDir();
  const file = join(home, 'ledger.db');
  const ledger = await openLedgerHere(file);
  onTestFinished(() => ledger.close());
  const open = { ledger, another: () => openLedgerHere(file), reader: () => openReaderHere(file) };
  const world = new World({ ...open, sql: () => Promise.resolve([]), close: () => ledger.close() });
  world.now = Date.now();
  const { launch, upload } = reminderWorld(() => world);
  const campaign = await launch([
    { who: 1, day: 5 },
    { who: 2, day: 5 },
  ]);
  // Whoever corrected it was killed, and no worker is alive.
  const corrected = [
    { who: 1, day: 5, name: 'Latest' },
    { who: 3, day: 7 },
  ];
  expect(await upload(campaign, corrected)).toBe(true);
  const asked = async (...args: string[]) => {
    const { code, stdout } = await tuma([...args, '--json'], { env: { TUMA_HOME: home } });
    return [code, JSON.parse(stdout)] as const;
  };
  expect(await asked('cancel', campaign.id)).toMatchObject([
    0,
    { campaign: { state: 'canceled' }, canceled: 3 },
  ]);
  const rest = join(home, 'rest.csv');
  await asked('export', campaign.id, '--as', 'contacts', '--state', 'canceled', '--out', rest);
  expect(readFileSync(rest, 'utf8').trim().split('\n').slice(1)).toEqual([
    '254700000001,Latest',
    '254700000003,name 3',
  ]);
});
