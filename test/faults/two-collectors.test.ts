import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startReportLoop } from '../../src/campaign/inbound/webhook-loop.ts';
import { openSqliteReader } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks/read-webhook.ts';
import { systemClock } from '../../src/system/clock.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCollectorOn, storedBodies } from './collector-apart.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { claimCampaign } from '../collector/sent-campaign.ts';

const TIMES = 10;
const REPORTS = 20;

test('the same reports, each posted ten times to two processes at once, are one row that counted to ten, with one effect [W4]', async () => {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openSqliteLedger({ file });
  const reader = await openSqliteReader({ file });
  const campaign = await claimCampaign(ledger, REPORTS);
  const ids = Array.from({ length: REPORTS }, (_, index) => `id-${index + 1}`);
  for (const [index, id] of ids.entries()) await campaign.accept(index + 1, id);
  const both = await Promise.all([startCollectorOn(file), startCollectorOn(file)]);
  const bodies = ids.map((messageid) => JSON.stringify({ messageid, description: 'DeliveredToTerminal' }));
  // Of each report five go to one process and five to the other, all on their way together.
  const posts = bodies.flatMap((body) =>
    Array.from({ length: TIMES }, async (_, time) => {
      const { url } = both[time % 2] as (typeof both)[number];
      return (await fetch(url, { method: 'POST', body })).status;
    }),
  );
  expect(new Set(await Promise.all(posts))).toEqual(new Set([200]));
  await Promise.all(both.map(({ process }) => process.stop('SIGKILL')));
  expect(storedBodies(file)).toEqual(new Map(bodies.map((body) => [body, TIMES])));

  const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
  const loop = startReportLoop({ clock: systemClock, ledger, log: new MemoryLog() }, { parse });
  await waitFor(async () => (await reader.webhookCounts()).new === 0, { what: 'all of them to be read' });
  await loop.stop();
  expect(await reader.webhookCounts()).toMatchObject({ report: REPORTS, waiting: 0 });
  expect((await reader.tallies(campaign.n, 0)).delivery).toMatchObject({ delivered: REPORTS, pending: 0 });
  await reader.close();
  await ledger.close();
});
