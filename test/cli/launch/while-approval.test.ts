import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import { tuma } from '../command-line.ts';
import { type LaunchingHome, openLaunchingHome } from '../launching-home.ts';

/* The command line while a second person must approve: nobody knows who sits there, so it can ask nobody. */

let at: LaunchingHome;
beforeAll(async () => {
  at = await openLaunchingHome();
  writeFileSync(join(at.home, 'list.csv'), 'phone,name\n0712345678,Ann\n');
  const ledger = await openLedgerHere(join(at.home, 'ledger.db'));
  await ledger.setApproval({ on: true, now: Date.now(), by: 'admin' });
  await ledger.close();
});
afterAll(() => at.close());

const launch = (...args: string[]) =>
  tuma(['launch', join(at.home, 'list.csv'), '--message', 'Hi <<name>>', '--sender', 'DUKA', ...args], {
    env: at.env,
  });

it('a launch is refused before it is planned, and says what to do', async () => {
  const { code, stdout, stderr } = await launch('--kind', 'transactional', '--yes', '--new-ledger');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('none is launched at the command line. Nothing was launched.');
  expect(stderr).toContain('ask for approval; an approver launches it');
  const reader = await openReaderHere(join(at.home, 'ledger.db'));
  expect(await reader.campaigns()).toEqual([]);
  const { entries } = await reader.auditTrail({ campaign: null, limit: 10 });
  expect(entries.map(({ verb }) => verb)).toEqual(['approval']);
  await reader.close();
});
