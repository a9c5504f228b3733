import { expect, test } from 'vitest';
import { pauseAdvice } from '../../src/cli/text/pause-text.ts';
import { missingCredit } from '../../src/reports/pause-help.ts';
import { PAUSE_REASONS, type PauseReason } from '../../src/domain/campaign.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

const WINDOW = { fromMinute: 480, toMinute: 1080, days: [1, 2, 3, 4, 5, 6] };
const KES = 1_000_000;

async function paused(reason: PauseReason, now: number, creditMicro: number | null): Promise<string> {
  const story = await LedgerStory.begin();
  const launched = { estimatedMicro: 1_500 * KES, budgetMicro: 20_000 * KES, settings: { window: WINDOW } };
  const campaign = await story.launch({ id: `p-${reason}`, name: reason, ...launched });
  await story.ledger.pause(campaign, { now: story.now, by: 'test', reason });
  const overview = await (await story.reader()).overview(campaign);
  return pauseAdvice({ overview, reason, creditMicro, now });
}

test('not enough credit: what is left, what is missing by the estimate, and that it goes on by itself', async () => {
  expect(await paused('balance', T0, 260 * KES)).toBe(
    'Paused: not enough credit (KES 260.00 left). About KES 1,240.00 short: top up and it goes on by itself.',
  );
  expect(await paused('balance', T0, null)).toBe(
    'Paused: not enough credit. Top up and it goes on by itself.',
  );
});

test('what was skipped, rejected or sent already needs no credit any more', async () => {
  const story = await LedgerStory.begin();
  const campaign = await story.launch({ messages: 4, estimatedMicro: 4 * KES });
  await story.claim();
  await story.record(campaign, {
    1: { to: 'sent' },
    2: { to: 'rejected' },
    3: { to: 'queued' },
    4: { to: 'queued' },
  });
  const overview = await (await story.reader()).overview(campaign);
  const asked = { overview, reason: 'balance', now: T0 } as const;
  expect(missingCredit({ ...asked, creditMicro: 0.5 * KES })).toBe(1.5 * KES);
  expect(missingCredit({ ...asked, creditMicro: 2 * KES })).toBeNull();
});

test('what is left is counted in segments: long texts at the end cost more than their share of the messages', async () => {
  const story = await LedgerStory.begin();
  const rows = [1, 1, 3, 3].map((segments) => ({ segments }));
  const campaign = await story.launch({ rows, estimatedMicro: 8 * KES });
  await story.claim();
  const [sent, back] = [{ to: 'sent' } as const, { to: 'queued' } as const];
  await story.record(campaign, { 1: sent, 2: sent, 3: back, 4: back });
  const overview = await (await story.reader()).overview(campaign);
  expect(missingCredit({ overview, reason: 'balance', now: T0, creditMicro: KES })).toBe(5 * KES);
});

test('outside of its hours: when they begin again', async () => {
  const saturdayAt19 = Date.UTC(2026, 10, 28, 16);
  expect(await paused('window', saturdayAt19, null)).toBe(
    'Paused: outside the hours for sending. It goes on by itself at 30 Nov 2026 08:00:00.',
  );
});

test('every other reason names the command that helps', async () => {
  for (const reason of PAUSE_REASONS.filter((other) => other !== 'balance' && other !== 'window'))
    expect(await paused(reason, T0, null)).toMatch(new RegExp(`tuma (resume|cancel) p-${reason}`));
  expect(await paused('sender', T0, null)).toContain('--sender NAME');
});

test('a campaign that was cut off: when, how far the ledger knows that it went, and the credit that it explains', async () => {
  const story = await LedgerStory.begin();
  const campaign = await story.launch({ id: 'cut', messages: 6 });
  await story.readBalance(100 * KES);
  await story.claim();
  await story.record(campaign, { 1: { to: 'sent' }, 2: { to: 'rejected' }, 3: { to: 'queued' } });
  const later = T0 + 3 * 3_600_000;
  await story.ledger.reap(story.worker, later);
  const reader = await story.reader();
  const overview = await reader.overview(campaign);
  const lastReading = await reader.lastReading('acc');
  expect(lastReading).toMatchObject({ creditMicro: 100 * KES, chargedSinceMicro: 800_000 });
  const asked = { overview, reason: 'start', creditMicro: null, now: later } as const;
  expect(pauseAdvice({ ...asked, lastReading })).toMatch(
    /^Paused: it was cut off while it was sending\. Cut off at 27 Nov 2026 09:00:\d\d: this ledger knows of 1 of 6 sent, and a machine that was restored may have sent more\. It last read a credit of KES 100\.00 at 27 Nov 2026 09:00:\d\d, which leaves KES 99\.20 by what it knows: compare that with tuma balance\. Send the rest: tuma resume cut; or drop it: tuma cancel cut$/,
  );
  expect(pauseAdvice(asked)).toContain('may have sent more. Send the rest: tuma resume cut');
});
