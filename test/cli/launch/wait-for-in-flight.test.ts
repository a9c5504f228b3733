import { expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/campaigns/cancel.ts';
import type { Context } from '../../../src/cli/context.ts';
import { waitForInFlight } from '../../../src/cli/launch/wait-for-in-flight.ts';
import type { CampaignOverview } from '../../../src/ledger/contracts/reader.ts';

/* Who counts those that a canceled campaign does not reach knows of each of them. */

const hashes = { job: 'j', template: 't', contacts: 'c' };
const carols = { n: 1, id: 'k7', name: 'carols', settings: {}, hashes };
const none = { queued: 0, sent: 3, rejected: 0, uncertain: 0, skipped: 0, written_off: 0 };

const look = (sending: number, canceled: number) =>
  ({ campaign: carols, state: 'canceled', messages: { ...none, sending, canceled } }) as CampaignOverview;

/** What is shown by the ledger, one a look, while so many workers live; and what was said. */
function shown(looks: CampaignOverview[], workers: number) {
  const said: string[] = [];
  let now = 0;
  const reader = {
    find: () => Promise.resolve([carols]),
    agenda: () => Promise.resolve({ firedBy: null, schedule: null }),
    overview: () => Promise.resolve((looks.length > 1 ? looks.shift() : looks[0]) as CampaignOverview),
    aliveWorkers: () => Promise.resolve(Array.from({ length: workers }, () => ({}))),
  };
  const ledger = {
    otherWorkers: () => Promise.resolve([]),
    cancel: () => Promise.resolve(12),
    campaign: () => Promise.resolve({ ...carols, state: 'canceled' }),
  };
  const context = {
    config: { ledgerFile: import.meta.filename },
    clock: { now: () => now, monotonic: () => now, sleep: async (ms: number) => void (now += ms) },
    signal: new AbortController().signal,
    output: {
      note: (text: string) => said.push(text),
      result: (document: { canceled: number }) => said.push(`canceled ${document.canceled}`),
    },
    processes: { fate: () => 'unknown' },
    ledger: () => Promise.resolve(ledger),
    reader: () => Promise.resolve(reader),
  } as unknown as Context;
  return { context, said, waitedMs: () => now };
}

const WAITING = 'carols is canceled, with 8 in flight: waiting for what becomes of that.';

it('what is on its way when a campaign is canceled, and is not sent after all, also while the others are, counts among those that it does not reach', async () => {
  const running = { ...look(8, 0), state: 'running' as const };
  const looks = [running, look(8, 14), look(3, 16), look(0, 19), look(0, 0)];
  const { context, said } = shown(looks, 1);
  await command.run(context, { args: ['carols'], flags: { yes: true } });
  expect(said).toEqual([WAITING, 'canceled 19', expect.stringContaining('rest-k7.csv')]);
});

it('it is waited for a minute, and not at all where nobody could tell', async () => {
  for (const [workers, waitedMs] of [
    [1, 60_000],
    [0, 0],
  ] as const) {
    const { context, said, ...waited } = shown([look(2, 14)], workers);
    expect((await waitForInFlight(context, look(8, 12))).messages).toMatchObject({
      sending: 2,
      canceled: 14,
    });
    expect([said, waited.waitedMs()]).toEqual([[WAITING], waitedMs]);
  }
});
