import type { Firing, StateChange } from '../contracts/records.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { ErasureStepDone } from '../operations/keeping/erase.ts';
import type { StaleLedgerGuard } from '../operations/sending/stale-ledger-guard.ts';
import type { WriterOperations } from '../operations/writer.ts';
import { type Forwards, forwards, type Functions } from './forwards.ts';
import type { Caller } from './ledger-thread.ts';
import { encodeRows, encodeWebhook } from './thread-codec.ts';

/** Opt-outs added or removed in one transaction. */
const OPT_OUTS_A_STEP = 1_000;

/** The operations of the writing thread. */
export type LedgerOperations = WriterOperations &
  ReturnType<StaleLedgerGuard['operations']> & { inPlace: () => boolean };

type Operations = Forwards<LedgerOperations>;

/**
 * The write contract over any runner of the operations, on any engine. A method is the operation of its name; here are
 * only those that do more: in steps, each a transaction of its own, or with another engine's own means.
 */
export function ledgerOver(
  caller: Caller<LedgerOperations>,
  engines: Pick<Ledger, 'backup' | 'rewrite'>,
): Ledger {
  const operations = forwards(caller);
  return {
    ...operations,
    ...planning(operations),
    ...orders(operations),
    ...sending(operations),
    ...inbox(operations),
    ...purging(operations),
    ...engines,
    close: () => caller.close(),
  } satisfies Functions<Ledger>;
}

function planning(operations: Operations) {
  return {
    addMessages: (campaign, rows, about) => operations.addMessages(campaign, encodeRows(rows), about),
    async discardDraft(campaign) {
      while (!(await operations.discardChunk(campaign)));
    },
    async arrangeReminders(draft, now) {
      while (!(await operations.arrangeStep({ draft, now })));
    },
    async applyUploads(now) {
      for (;;) {
        const step = await operations.uploadStep(now);
        if (step !== 'again') return step === 'none';
      }
    },
    async fire(firing: Firing) {
      for (;;) {
        const step = await operations.fireStep(firing);
        if (step.done) return step.campaign;
      }
    },
  } satisfies Partial<Ledger>;
}

function orders(operations: Operations) {
  const cancelFrom = (campaign: number, now: number) =>
    countOf(0, (after: number) => operations.cancelChunk({ campaign, after, now }));
  return {
    async cancel(campaign, change: StateChange) {
      const begun = await operations.beginCancel({ ...change, campaign });
      return begun ? cancelFrom(campaign, change.now) : 0;
    },
    retry: (campaign, change) =>
      countOf(0, (after: number) => operations.retryStep({ ...change, campaign, after })),
    async resolve(campaign, change) {
      const none = { resolved: 0, tooYoung: 0, named: 0 };
      const { named, ...counts } = await sumOfSteps(none, 0, (after: number) =>
        operations.resolveStep({ ...change, campaign, after }),
      );
      return named === 0 ? counts : { ...counts, named };
    },
    async startDue(now) {
      // The sweep calls this, so unfinished cancels of dead processes are finished here too.
      for (const campaign of await operations.unfinishedCancels()) await cancelFrom(campaign, now);
      return operations.startDue(now);
    },
  } satisfies Partial<Ledger>;
}

function sending(operations: Operations) {
  return {
    async bringBackHeld(now) {
      while (await operations.bringBackHeld(now));
    },
    async clockSetBack(clock) {
      if (await operations.isClockAhead(clock())) await operations.setClockBack(clock());
    },
  } satisfies Partial<Ledger>;
}

function inbox(operations: Operations) {
  return {
    storeWebhook: (webhook) => operations.storeWebhook(encodeWebhook(webhook)),
    addOptOuts: (entries, now) => inSlices(entries, (slice) => operations.addOptOuts(slice, now)),
    removeOptOuts: (mobiles, change) => inSlices(mobiles, (slice) => operations.removeOptOuts(slice, change)),
    mapWord(map) {
      type After = Parameters<typeof operations.mapStep>[0]['after'];
      return countOf(null, (after: After) => operations.mapStep({ ...map, after }));
    },
    voidWebhooks: (order) =>
      sumOfSteps({ webhooks: 0, reports: 0, replies: 0, uncertain: 0 }, 0, (after: number) =>
        operations.voidStep({ ...order, after }),
      ),
  } satisfies Partial<Ledger>;
}

function purging(operations: Operations) {
  return {
    async purgeCampaign(campaign, { now, by }) {
      if (!(await operations.beginPurge({ campaign, now, by }))) return null;
      return await countOf(0, () => operations.purgeStep({ campaign, now }));
    },
    async erasePerson(order, done = () => {}) {
      const erased = await operations.beginErasure(order);
      if (erased === null) return null;
      await eraseRest(operations, order, (step) => {
        for (const each of ['reports', 'webhooks', 'shared'] as const) erased[each] += step[each];
        if (step.after !== null) done(step.after / step.last);
      });
      return erased;
    },
    async finishErasures({ now, before }) {
      const open = await operations.openErasures(before);
      for (const mobile of open) await eraseRest(operations, { mobile, now });
      return open.length;
    },
    purgeTraces: (order) =>
      sumOfSteps({ webhooks: 0, reports: 0, replies: 0 }, 0, (after: number) =>
        operations.traceStep({ ...order, after }),
      ),
  } satisfies Partial<Ledger>;
}

/** All steps of an erasure that has begun. */
async function eraseRest(
  operations: Operations,
  order: { mobile: string; now: number },
  stepped: (step: ErasureStepDone) => void = () => {},
): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const step: ErasureStepDone = await operations.erasureStep({ ...order, after });
    stepped(step);
    after = step.after;
  }
  await operations.endErasure({ mobile: order.mobile });
}

/** Each opt-out is computed from its number's history, so one transaction takes a bounded number. */
async function inSlices<Item>(items: Item[], work: (slice: Item[]) => Promise<number>): Promise<number> {
  let count = 0;
  for (let from = 0; from < items.length; from += OPT_OUTS_A_STEP)
    count += await work(items.slice(from, from + OPT_OUTS_A_STEP));
  return count;
}

/** The counts of one step, and the start of the next; null: it was the last. */
type Step<Counts, After> = Counts & { after: After | null };

/** Repeats a step, from `first` on, until it was the last. Returns the sums of its counts. */
async function sumOfSteps<Counts extends Record<keyof Counts, number>, After>(
  none: Counts,
  first: After,
  step: (after: After) => Promise<Step<Counts, After>>,
): Promise<Counts> {
  const sum: Record<keyof Counts, number> = { ...none };
  for (let from: After | null = first; ; ) {
    const done: Step<Counts, After> = await step(from);
    for (const key of Object.keys(none) as (keyof Counts)[]) sum[key] += done[key];
    from = done.after;
    if (from === null) return sum as Counts;
  }
}

/** The same of a single count. */
async function countOf<After>(
  first: After,
  step: (after: After) => Promise<Step<{ count: number }, After>>,
): Promise<number> {
  return (await sumOfSteps({ count: 0 }, first, step)).count;
}
