import type { DatabaseSync } from 'node:sqlite';
import { batchRecords } from './batches.ts';
import { bookkeeper } from './running-totals.ts';
import { campaignRecords } from './campaigns.ts';
import { CanaryGate } from './canary.ts';
import { claimOperations } from './claim.ts';
import { setBackOperations } from './clock-rollback.ts';
import { factOperations } from './facts.ts';
import { DraftIdentities } from './identities.ts';
import { inboxQuota } from './inbox-quota.ts';
import { Joiner } from './report-matcher.ts';
import { leaseOperations } from './leases.ts';
import { moneyOperations } from './money.ts';
import { NetworkBreaker } from './network-breaker.ts';
import { Networks } from './networks.ts';
import { OptOutBook, optOutOperations } from './opt-outs.ts';
import { outcomeOperations } from './outcomes.ts';
import { planOperations } from './plan.ts';
import { purgeOperations } from './purge.ts';
import { ReplyBook } from './replies.ts';
import { reminderRecords } from './reminders.ts';
import { resendOperations } from './retry-and-resolve.ts';
import { scheduleOperations } from './schedules.ts';
import { shapeOperations } from './payload-mappings.ts';
import { uploadOperations } from './uploads.ts';
import { verbOperations } from './verbs.ts';
import { againOperations } from './webhook-replay.ts';
import { webhookOperations } from './webhooks.ts';
import { wordOperations } from './report-words.ts';
import { workerOperations } from './workers.ts';

/** Every operation of the writing thread, over one connection. Each runs inside a transaction of group-commit.ts. */
export type WriterOperations = ReturnType<typeof writerOperations>;

/** What throws while the disk is nearly full: the first one for plans and claims, later the other for webhooks. */
export interface SpaceGuards {
  requireSpace: () => void;
  requireRoom: () => void;
}

/** `WriterOperations` over this connection. */
export function writerOperations(database: DatabaseSync, { requireSpace, requireRoom }: SpaceGuards) {
  const campaigns = campaignRecords(database);
  const batches = batchRecords(database);
  const openBooks = bookkeeper(database);
  const optOuts = new OptOutBook(database);
  const replies = new ReplyBook(database, optOuts);
  const joiner = new Joiner(database, { openBooks, optOuts });
  const identities = new DraftIdentities(database, campaigns);
  const canary = new CanaryGate(database, { campaigns, identities });
  const networks = new Networks(database);
  const networkBreaker = new NetworkBreaker(database, { campaigns, networks });
  const verbs = verbOperations(database, { campaigns, batches, canary, networkBreaker });
  const money = moneyOperations(database);
  const schedules = scheduleOperations(database, { campaigns, canary, identities, requireSpace });
  const reminders = reminderRecords(database, { campaigns, batches, identities, requireSpace });
  return {
    ...reminders.operations,
    ...uploadOperations(database, { campaigns, batches, identities, requireSpace, reminders }),
    ...schedules,
    ...planOperations(database, { campaigns, canary, identities, optOuts, requireSpace }),
    ...verbs,
    ...optOutOperations(optOuts),
    ...resendOperations(database, { campaigns, batches, openBooks }),
    ...workerOperations(database, { batches, openBooks, ids: joiner.ids, pause: verbs.pause }),
    ...setBackOperations(database, schedules),
    ...leaseOperations(database, { campaigns, batches }),
    ...claimOperations(database, { requireSpace, networks }),
    ...outcomeOperations(database, { batches, openBooks, joiner, networkBreaker, pause: verbs.pause }),
    ...money,
    ...webhookOperations(database, { joiner, replies, requireInbox: inboxQuota(database, { requireRoom }) }),
    ...againOperations(database, { campaigns, joiner, optOuts, replies }),
    ...wordOperations(database, { campaigns, joiner }),
    ...shapeOperations(database, { campaigns }),
    campaign: (n: number) => campaigns.find(n),
    bringBackHeld: (now: number) => networkBreaker.bringBack(now),
    pausedCampaigns: () => campaigns.paused(),
    latestNamed: (name: string) => campaigns.latestNamed(name),
    latestAlike: (asked: Parameters<typeof campaigns.latestAlike>[0]) => campaigns.latestAlike(asked),
    ...purgeOperations(database, { campaigns }),
    ...factOperations(database),
  };
}

/** How long an operation waits while another process holds the ledger, in milliseconds. */
export const PATIENCE_MS = {
  claim: 5_000,
  storeWebhook: 5_000,
  tryInbox: 5_000,
  // A verdict exists only here until it is written.
  recordOutcomes: Infinity,
};

/**
 * A draft lost at a power cut is a draft that nobody launched: the sync of the launch makes all of it durable. What only
 * reads, and what a plan asks between its rows, is not synced either.
 */
export const UNSYNCED = new Set([
  'suppressed',
  'remindedBefore',
  'compareReminders',

  'addMessages',
  'stageReminders',
  'arrangeStep',
  'identifyStep',
  'discardChunk',
]);
