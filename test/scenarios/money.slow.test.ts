import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun } from '../faults/check.ts';
import { openStage, writeContacts } from '../faults/harness.ts';
import { document, launch, verified, write } from './world.ts';

/* Two worker processes, one budget, one balance that runs out in the middle. */

const PRICE = 0.8;
const jobOf = (name: string, budget: string) => `name: ${name}
kind: transactional
sender: DUKA
message: "Hi <<name>>, come today."
contacts: ./contacts.csv
columns: { mobile: Phone }
window: always
batch: 50
budget: ${budget}
`;

interface Account {
  balance: { top_ups: { amount: string }[] };
}

const localDay = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv', { timeZone: 'Africa/Nairobi' });

test('two workers spend one budget to the cent and never more, wait when the balance runs out, and go on after each top-up [M2 M3]', async () => {
  const prices = { 1: '0.80', 2: '0.80', 3: '0.80', 4: '0.80' };
  const stage = await openStage({
    contacts: 1_500,
    sandbox: { prices, startBalance: '400.79', latencyMs: 20 },
    env: { TUMA_PRICE: '0.80' },
  });
  const workers = [stage.serve('worker'), stage.serve('worker,collector')];
  await Promise.all(workers.map((worker) => worker.printed(/serving/)));
  const looking = new AbortController();
  const spent: Record<string, number> = {};
  // What the program says that it spent, and what the service really took, all the time.
  const watching = (async () => {
    while (!looking.signal.aborted) {
      const { campaigns } = (await stage.tuma(['status'])).document as unknown as {
        campaigns: { name: string; spent: string; budget: string }[];
      };
      for (const { name, spent: now, budget } of campaigns) {
        expect(Number(now)).toBeLessThanOrEqual(Number(budget));
        spent[name] = Math.max(spent[name] ?? 0, Number(now));
      }
      await sleep(100);
    }
  })();
  // Looked at in the end; until then its failure is nobody's surprise.
  watching.catch(() => undefined);
  const paused = async (name: string, reason: string, accepted: number) => {
    await waitFor(async () => (await document(stage, ['report', name])).campaign.reason === reason, {
      what: `${name} to be paused for ${reason}`,
    });
    expect((await stage.provider.stats()).accepted).toBe(accepted);
  };
  // The budget is for 1,250 of 1,500; the balance for 500, then for 375 more, then for more than all.
  write(stage, 'short.yaml', jobOf('short', '1000.00'));
  const refused = await stage.tuma(['launch', 'short.yaml', '--yes']);
  expect([refused.code, refused.document]).toEqual([5, null]);
  expect(refused.stderr).toContain('may cost KES 1,200.00: KES 799.21 short');
  await launch(stage, 'short.yaml', ['--partial']);
  await paused('short', 'balance', 500);
  await stage.provider.topUp('300.00');
  await stage.provider.accepted(875);
  await paused('short', 'balance', 875);
  await stage.provider.topUp('5000.00');
  await stage.provider.accepted(1_250);
  await paused('short', 'budget', 1_250);
  // Another campaign of the account has its own budget, which is exactly what it costs: all of it goes.
  writeContacts(stage.directory, { contacts: 1_500, name: 'Neighbour' });
  write(stage, 'exact.yaml', jobOf('exact', String(1_500 * PRICE)));
  await launch(stage, 'exact.yaml');
  await stage.provider.accepted(2_750);
  await waitFor(async () => (await document(stage, ['report', 'exact'])).campaign.state === 'finished', {
    what: 'the exact one to be finished',
  });
  looking.abort();
  await watching;
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  expect(spent['short']).toBe(1_000);
  expect((await document(stage, ['report', 'short'])).cost.charged).toBe('1000.00');
  expect((await document(stage, ['report', 'exact'])).cost.charged).toBe('1200.00');
  expect([...(await stage.provider.truth()).refused]).toEqual([]);
  // Estimated, charged, and what the balance lost: the three agree to the cent, and the top-ups are seen.
  const truth = await stage.provider.truth();
  const days = ['--from', localDay(-1), '--to', localDay(1)];
  const [account] = (await document(stage, ['statement', ...days]))['accounts'] as Account[];
  expect(account).toMatchObject({
    total: { campaigns: 2, sent: 2_750, charged: '2200.00', unknown: 0 },
    balance: { movement: '2200.00', charged: '2200.00', unexplained: '0.00', charged_outside: '0.00' },
  });
  expect(account?.balance.top_ups.map(({ amount }) => amount)).toEqual(['300.00', '5000.00']);
  expect([truth.chargedMicro, truth.topUpsMicro]).toEqual([2_200_000_000, 5_300_000_000]);
  await verified(stage);
  const findings = await checkRun(stage, { kills: 0, settled: false });
  expect(findings).toMatchObject({ accepted: 2_750, sent: 2_750, queued: 250, uncertain: 0 });
}, 300_000);
