import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contacts, errorOf, openPlace } from './harness.ts';

/* A campaign that somebody canceled in the middle: nobody is told that it was sent, and nobody gets it twice unasked. */

const place = openPlace({ sandbox: { startBalance: '2.40' }, env: { TUMA_RATE: 'unlimited' } });

test('launched again it is refused with how much went out; --again says who gets it twice; the rest alone is a launch of its own', async () => {
  place().write('contacts.csv', contacts(10));
  const first = ['launch', 'job.yaml', '--yes', '--partial', '--wait', '--wait-paused', '1s'];
  const { campaign, messages } = await place().json(first, { code: 5 });
  expect(messages['sent']).toBe(3);
  await place().json(['cancel', campaign.id, '--yes']);
  const refused = await place().tuma(['launch', 'job.yaml', '--yes', '--json']);
  expect([refused.code, refused.stdout, errorOf(refused)]).toEqual([
    2,
    '',
    {
      code: 'state_forbids',
      message: `These files were launched as ${campaign.id}, which was canceled after 3 of 10 were sent.`,
      hint: `To send to the others: tuma export ${campaign.id} --as contacts --state canceled --out rest-${campaign.id}.csv, and launch with --contacts rest-${campaign.id}.csv. --again launches all of them anew.`,
      where: campaign.id,
    },
  ]);
  await place().sandbox.topUp('50.00');
  const again = await place().tuma(['launch', 'job.yaml', '--again']);
  expect([again.code, place().campaigns().length]).toEqual([2, 1]);
  expect(again.stderr).toContain(
    `! ${campaign.id} sent these files before, or may have, to 3: people in both launches get it again\n`,
  );
  const out = ['--as', 'contacts', '--state', 'canceled', '--out', 'rest.csv'];
  expect(await place().json(['export', campaign.id, ...out])).toMatchObject({ rows: 7 });
  expect(readFileSync(place().path('rest.csv'), 'utf8').trim().split('\n')).toHaveLength(8);
  const rest = ['launch', 'job.yaml', '--contacts', 'rest.csv', '--yes', '--wait'];
  expect((await place().json(rest)).messages).toMatchObject({ sent: 7 });
  // The rest is another launch of that name: it makes what was canceled no new one.
  const all = await place().tuma(['launch', 'job.yaml', '--yes', '--json']);
  expect([all.code, errorOf(all).code]).toEqual([2, 'state_forbids']);
  expect(place().sandbox.stats().accepted).toBe(10);
});
