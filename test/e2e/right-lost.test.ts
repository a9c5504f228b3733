import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import type { DonePlan } from '../../src/campaign/prepare/preparation.ts';
import { Preparations } from '../../src/campaign/prepare/preparations.ts';
import { askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import { planningApart } from '../../src/runtime/plan-apart.ts';
import { systemClock } from '../../src/system/clock.ts';
import { systemProcesses } from '../../src/system/processes.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { LAUNCH_SETTINGS } from '../support/launch-settings.ts';
import { openLedgerHere, openReaderHere } from '../support/ledger-here.ts';
import { makeTempDir } from '../support/temp-home.ts';

/* The process that launches knows by which right it was asked for. */

it('an operator who is removed before the process launches has launched nothing [X21]', async () => {
  const home = makeTempDir();
  const file = join(home, 'ledger.db');
  const [ledger, reader, log] = [await openLedgerHere(file), await openReaderHere(file), new MemoryLog()];
  onTestFinished(async () => {
    await reader.close();
    await ledger.close();
  });
  const now = systemClock.now();
  const link = { digest: 'link', endsAt: now + 60_000 };
  await ledger.addUser({ id: 'user 1', name: 'asha', role: 'operator', link, now, by: 'admin' });
  const apart = planningApart(
    { home, ledgerFile: file, ledgerPlace: file, postgres: null, stateFolder: null },
    log,
  );
  const preparations = new Preparations({
    ledger,
    reader: async () => reader,
    provider: async () => ({
      send: () => Promise.reject(new Error('a launch sends nothing')),
      balance: async () => ({ outcome: 'balance', creditMicro: 100_000_000, clientId: 'C-1' }),
      mapAnswers: () => undefined,
      close: async () => undefined,
    }),
    settings: { ...LAUNCH_SETTINGS, sender: 'DUKA', prices: [800_000], ledgerPlace: file },
    clock: systemClock,
    random: Math.random,
    log,
    processes: systemProcesses('command'),
    sharedFolder: home,
    copies: join(home, 'tmp'),
    jobs: null,
    async planApart(order, progress) {
      if (order.launch !== null) await ledger.removeUser({ name: 'asha', now, by: 'admin' });
      await apart(order, progress);
    },
  });
  const actor = { name: 'asha', identities: ['asha', 'user 1'], mayApprove: false };
  const right = { of: { user: 'user 1' }, role: 'operator' } as const;
  await askedFrom.run({ from: '10.0.0.7', right }, async () => {
    const job = { name: 'promo', kind: 'transactional', message: 'Hi <<name>>', window: 'always' } as const;
    const { id, revision } = await preparations.create(actor, { job });
    const stream = Readable.from([Buffer.from('phone,name\n254700000001,Ann\n')]);
    const kept = await preparations.keepContacts(id, {
      revision,
      actor,
      name: 'x.csv',
      stream,
      length: null,
    });
    await preparations.plan(id, { revision: kept.revision, actor });
    const { plan } = await preparations.planned(id);
    const { digest, questions: accepted } = plan as DonePlan;
    await expect(
      preparations.launch(id, { revision: kept.revision, actor, digest, accepted }),
    ).rejects.toMatchObject({ code: 'right_lost' });
  });
  expect(await reader.campaigns()).toEqual([]);
});
