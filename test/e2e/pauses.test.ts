import { expect, test } from 'vitest';
import { contacts, jobFile, openPlace } from './harness.ts';

/* A campaign that stops by itself: whoever watches it is told why and what helps, and a script ends with a code. */

const place = openPlace({ sandbox: { startBalance: '2.40' }, env: { TUMA_RATE: 'unlimited' } });

test('credit for a part of it: refused without --partial, then paused with what is missing; a top-up goes on by itself', async () => {
  place().write('contacts.csv', contacts(10));
  const refused = await place().tuma(['launch', 'job.yaml', '--yes']);
  expect([refused.code, refused.stdout]).toEqual([5, '']);
  expect(refused.stderr).toContain(
    'error: The balance is KES 2.40 and the campaign may cost KES 8.00: KES 5.60 short. Nothing was activated.\n',
  );
  expect(place().campaigns()).toEqual([]);
  const child = place().start(['launch', 'job.yaml', '--yes', '--partial', '--wait']);
  await child.printed(/Paused: not enough credit/);
  expect(child.stderr()).toContain(
    'Paused: not enough credit (KES 0.00 left). About KES 5.60 short: top up and it goes on by itself.\n',
  );
  // The same is told to whoever looks from elsewhere.
  expect(await place().json(['status', 'promo'])).toMatchObject({
    reason: 'balance',
    what_helps: 'About KES 5.60 short: top up and it goes on by itself.',
    short_of: '5.60',
  });
  expect(place().sandbox.stats().accepted).toBe(3);
  await place().sandbox.topUp('20.00');
  expect((await child.exited).code).toBe(0);
  const report = await place().json(['report', 'promo']);
  expect(report.messages).toMatchObject({ sent: 10, rejected: 0, uncertain: 0 });
  expect(report.cost).toMatchObject({ charged: '8.00' });
});

test('a script waits for a pause no longer than it was told, ends with 8, and the campaign goes on later', async () => {
  place().write('held.yaml', jobFile({ name: 'held' }));
  await place().json(['launch', 'held.yaml', '--yes']);
  await place().json(['pause', 'held']);
  const held = await place().tuma(['launch', 'held.yaml', '--wait', '--wait-paused', '1s']);
  expect(held.code).toBe(8);
  expect(held.stderr).toMatch(/Paused by an operator\. Go on: tuma resume \w{8}\n/);
  expect(held.stderr).toMatch(/Still paused after \w+; no longer waiting\. .*tuma resume \w{8}\n$/);
  expect(held.stdout).toMatch(/^held {2}paused by an operator\n/);
  const shown = await place().tuma(['status', 'held']);
  expect(shown.stdout).toMatch(/\nstate\tpaused by an operator\nwhat helps\tGo on: tuma resume \w{8}\n/);
  await place().json(['resume', 'held']);
  expect((await place().tuma(['launch', 'held.yaml', '--wait'])).code).toBe(0);
});

test('a budget that is used up for longer than a script waits ends with 5, and is not passed', async () => {
  place().write('scant.yaml', jobFile({ name: 'scant', budget: '1.60' }));
  place().write('few.csv', contacts(5, 200));
  const flags = ['--contacts', 'few.csv', '--yes', '--wait', '--wait-paused', '1s'];
  expect(await place().json(['launch', 'scant.yaml', ...flags], { code: 5 })).toMatchObject({
    campaign: { state: 'paused', reason: 'budget' },
    messages: { sent: 2, queued: 3 },
    cost: { spent: '1.60' },
  });
});

test('no credit for longer than a script waits ends with 5, with the report on stdout', async () => {
  place().write('poor.yaml', jobFile({ name: 'poor' }));
  place().write('many.csv', contacts(30, 100));
  const flags = ['--contacts', 'many.csv', '--yes', '--partial', '--wait', '--wait-paused', '1s'];
  const report = await place().json(['launch', 'poor.yaml', ...flags], { code: 5 });
  expect(report).toMatchObject({
    campaign: { state: 'paused', reason: 'balance' },
    messages: { rejected: 0 },
  });
  expect(report.messages['sent'] ?? 0).toBeLessThan(30);
  expect(await place().json(['verify'])).toMatchObject({ violations: [] });
});
