import type { Ledger } from '../ledger.ts';
import type { VoidCounts } from '../replies.ts';
import type { LedgerThread } from './ledger-thread.ts';
import type { GuardedOperations } from './stale-ledger-guard.ts';

/** Opt-outs added or removed in one transaction: each is worked out from its history. */
const OPT_OUTS_A_STEP = 1_000;

/** What of the write contract is about replies, opt-outs and webhooks, over the writing thread. */
export function replyLedger(thread: Pick<LedgerThread<GuardedOperations>, 'call'>) {
  return {
    async addOptOuts(entries, now) {
      let added = 0;
      for (let from = 0; from < entries.length; from += OPT_OUTS_A_STEP) {
        added += await thread.call('addOptOuts', {
          entries: entries.slice(from, from + OPT_OUTS_A_STEP),
          now,
        });
      }
      return added;
    },
    async removeOptOuts(mobiles, change) {
      let removed = 0;
      for (let from = 0; from < mobiles.length; from += OPT_OUTS_A_STEP) {
        const step = mobiles.slice(from, from + OPT_OUTS_A_STEP);
        removed += await thread.call('removeOptOuts', { ...change, mobiles: step });
      }
      return removed;
    },
    suppressed: (query) => thread.call('suppressed', query),
    async mapWord(map) {
      let step = await thread.call('mapStep', { ...map, after: null });
      let count = step.count;
      while (step.after !== null) {
        step = await thread.call('mapStep', { ...map, after: step.after });
        count += step.count;
      }
      return count;
    },
    async voidWebhooks(order) {
      const counts: VoidCounts = { webhooks: 0, reports: 0, replies: 0, uncertain: 0 };
      let after: number | null = 0;
      while (after !== null) {
        const step: VoidCounts & { after: number | null } = await thread.call('voidStep', {
          ...order,
          after,
        });
        for (const key of ['webhooks', 'reports', 'replies', 'uncertain'] as const) counts[key] += step[key];
        after = step.after;
      }
      return counts;
    },
    mapAnswer: (order) => thread.call('mapAnswer', order),
    unmapAnswer: (order) => thread.call('unmapAnswer', order),
    mappedAnswers: () => thread.call('mappedAnswers', undefined),
    payloadMappings: () => thread.call('payloadMappings', undefined),
    addPayloadMapping: (order) => thread.call('addPayloadMapping', order),
    voidPayloadMapping: (order) => thread.call('voidPayloadMapping', order),
    storedWebhooks: (query) => thread.call('storedWebhooks', query),
    rereadWebhook: (record) => thread.call('rereadWebhook', record),
  } satisfies Partial<Ledger>;
}
