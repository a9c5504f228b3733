import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, jobFile, mobile, openPlace } from './harness.ts';

/* People answer a campaign, and the next one knows it: by real processes, the collector and the sandbox. */

const place = openPlace({
  env: { TUMA_RATE: 'unlimited', TUMA_SENDER: 'DUKA' },
  sandbox: { reportDelayMs: { min: 3_600_000, max: 3_600_000 } },
});
let serve: TestProcess | null = null;

afterAll(async () => {
  await serve?.stop();
});

/** What a list command shows once it holds `count` rows. */
async function list(args: string[], { key, count }: { key: string; count: number }) {
  return waitFor(
    async () => {
      const rows = (await place().json(args))[key] as Record<string, unknown>[];
      return rows.length >= count ? rows : null;
    },
    { what: `${count} rows of ${args.join(' ')}` },
  );
}

test('a STOP, a blacklisted sender and an operator keep three people out of the next campaign, and it says what was saved', async () => {
  place().write('job.yaml', jobFile({ kind: 'promotional' }));
  place().write('contacts.csv', contacts(5));
  serve = place().start(['serve']);
  await serve.printed(/webhooks +http/);
  await place().json(['launch', 'job.yaml', '--yes', '--wait', '--wait-reports', '0s']);
  await place().json(['export', 'promo', '--out', 'sent.ndjson']);
  const [, second = ''] = readFileSync(place().path('sent.ndjson'), 'utf8').split('\n');
  const { messageid } = JSON.parse(second) as { messageid: string };

  await place().json(['trigger', 'reply', mobile(0), 'Sitaki!']);
  await place().json(['trigger', 'reply', mobile(2), 'Bei gani?']);
  await place().json(['trigger', 'report', messageid, 'SenderName Blacklisted']);
  await place().json(['optouts', 'add', mobile(3)]);
  const replies = await list(['inbox'], { key: 'replies', count: 2 });
  expect(replies).toMatchObject([
    { text: 'Bei gani?', wish: null, mobile: '2547****0002', campaign: { name: 'promo', line: 4 } },
    { text: 'Sitaki!', wish: 'stop', campaign: { line: 2 } },
  ]);
  const out = await list(['optouts', 'list'], { key: 'opt_outs', count: 3 });
  expect(out).toMatchObject([
    { mobile: '2547****0000', source: 'reply', sender: null },
    { mobile: '2547****0001', source: 'report', sender: 'DUKA' },
    { mobile: '2547****0003', source: 'operator', sender: null },
  ]);

  const again = ['launch', 'job.yaml', '--yes', '--again', '--wait', '--wait-reports', '0s'];
  const report = await place().json(again);
  expect(report.rows).toMatchObject({ read: 5, planned: 2, suppressed: 3 });
  expect(report.messages).toMatchObject({ sent: 2, skipped: 0 });
  expect(Number(report.cost['charged'])).toBeGreaterThan(0);
  expect(report.cost['saved']).toBe(savedOf(report.cost));
  const rejects = readFileSync(place().path('rejects.csv'), 'utf8');
  expect(rejects.match(/opted out/g)).toHaveLength(3);
  expect((await place().json(['verify']))['violations']).toEqual([]);
});

test('another sender may write to whom only this one may not, and START brings the other back', async () => {
  await place().json(['trigger', 'reply', mobile(0), 'anza']);
  await waitFor(
    async () => ((await place().json(['optouts', 'list']))['opt_outs'] as unknown[]).length === 2,
    {
      what: 'the number to be back',
    },
  );
  place().write('other.yaml', jobFile({ name: 'other', kind: 'promotional', sender: 'OTHER' }));
  const plan = await place().json(['plan', 'other.yaml']);
  expect(plan.rows).toMatchObject({ planned: 4, suppressed: 1 });
});

/** Three rows of one segment at the price that was paid for each of two. */
function savedOf({ charged }: Record<string, string | null>): string {
  return ((Number(charged) / 2) * 3).toFixed(2);
}
