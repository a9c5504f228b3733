import { expect, it } from 'vitest';
import { replayWebhooks } from '../../../src/campaign/inbound/replay-webhooks.ts';
import { TumaError } from '../../../src/domain/errors.ts';

const PAGE = 500;

/** Reads so many webhooks again; `stop` is aborted when this one is read, and `busy` is one that the ledger refuses. */
async function replayed(count: number, { stop = 0, busy = 0 } = {}) {
  const stopping = new AbortController();
  const reread: number[] = [];
  const ledger = {
    storedWebhooks: async ({ after, limit }: { after: number; limit: number }) =>
      Array.from({ length: Math.min(limit, count - after) }, (_, index) => ({ webhook: after + index + 1 })),
    rereadWebhook: async ({ webhook }: { webhook: number }) => {
      if (webhook === busy) throw new TumaError('ledger_busy', { message: 'Busy.' });
      if (webhook === stop) stopping.abort();
      reread.push(webhook);
    },
  };
  const parse = () => ({ kind: 'other', reports: [] }) as const;
  const env = { ledger, clock: { now: () => 1 } } as never;
  const told: number[] = [];
  const options = {
    parse: parse as never,
    signal: stopping.signal,
    progress: (done: number) => void told.push(done),
  };
  return { count: await replayWebhooks(env, options), reread, told };
}

it('reads every webhook once, a page at a time', async () => {
  const { count, reread, told } = await replayed(2 * PAGE + 1);
  expect([count, told]).toEqual([2 * PAGE + 1, [PAGE, 2 * PAGE, 2 * PAGE + 1]]);
  expect(reread).toEqual(Array.from({ length: 2 * PAGE + 1 }, (_, index) => index + 1));
});

it('ends behind the page in which it was interrupted', async () => {
  expect((await replayed(3 * PAGE, { stop: PAGE + 7 })).count).toBe(2 * PAGE);
});

it('does not count what the ledger refused', async () => {
  await expect(replayed(9, { busy: 5 })).rejects.toMatchObject({ code: 'ledger_busy' });
});
