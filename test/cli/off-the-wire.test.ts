import { expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { offTheWire } from '../../src/cli/off-the-wire.ts';
import type { CampaignOverview } from '../../src/ledger/reader.ts';

/* Who counts those that a canceled campaign does not reach knows of each of them. */

const look = (sending: number, canceled: number) =>
  ({ campaign: { n: 1 }, messages: { sending, canceled } }) as CampaignOverview;

/** What is answered in the end where the ledger shows this, one a look, while so many workers live; and what was said meanwhile. */
async function waited(looks: CampaignOverview[], workers: number) {
  const notes: string[] = [];
  let now = 0;
  const reader = {
    overview: () => Promise.resolve((looks.length > 1 ? looks.shift() : looks[0]) as CampaignOverview),
    aliveWorkers: () => Promise.resolve(Array.from({ length: workers }, () => ({}))),
  };
  const context = {
    clock: { now: () => now, monotonic: () => now, sleep: async (ms: number) => void (now += ms) },
    signal: new AbortController().signal,
    output: { note: (text: string) => notes.push(text) },
    processes: { fate: () => 'unknown' },
    ledger: () => Promise.resolve({ otherWorkers: () => Promise.resolve([]) }),
    reader: () => Promise.resolve(reader),
  } as unknown as Context;
  const { messages } = await offTheWire(context, look(8, 12));
  return { messages, notes, waitedMs: now };
}

const WAITING = ['8 are on their way: waiting for what becomes of them.'];

it('what is on its way when a campaign is canceled, and is not sent after all, counts among those that it does not reach', async () => {
  const { messages, notes } = await waited([look(3, 14), look(0, 17), look(0, 0)], 1);
  expect([messages, notes]).toEqual([{ sending: 0, canceled: 17 }, WAITING]);
});

it('it is waited for a minute, and not at all where nobody could tell', async () => {
  expect(await waited([look(2, 14)], 1)).toEqual({
    messages: { sending: 2, canceled: 14 },
    notes: WAITING,
    waitedMs: 60_000,
  });
  expect(await waited([look(2, 14)], 0)).toMatchObject({ messages: { sending: 2 }, waitedMs: 0 });
});
