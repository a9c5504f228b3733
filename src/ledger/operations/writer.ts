import type { Connection } from '../connection.ts';
import type { Engine } from '../engine.ts';
import type { CampaignHashes } from '../../domain/campaign.ts';
import { EndpointBook, endpointOperations } from './keeping/alert-endpoints.ts';
import { alertOperations } from './keeping/alerts.ts';
import { AnswerGroups, answerOperations } from './sending/answers.ts';
import { batchRecords } from './planning/batches.ts';
import { totalsOpener } from './sending/running-totals.ts';
import { type CampaignRecords, campaignRecords } from './planning/campaigns.ts';
import { canceledPeopleOperations } from './orders/canceled-people.ts';
import { CanaryGate } from './sending/canary.ts';
import { claimOperations } from './sending/claim.ts';
import { countedConnection } from './keeping/counted-statements.ts';
import { Counters } from './keeping/counters.ts';
import { clockRollbackOperations } from './sending/clock-rollback.ts';
import { factOperations } from './keeping/facts.ts';
import { ReportMatcher } from './inbox/report-matcher.ts';
import { leaseOperations } from './sending/leases.ts';
import { Memory } from './memory.ts';
import { operation } from './operation.ts';
import { accountOperations } from './sending/accounts.ts';
import { NetworkBreaker } from './sending/network-breaker.ts';
import { Networks } from './sending/networks.ts';
import { OptOutBook, optOutOperations } from './inbox/opt-outs.ts';
import { outcomeOperations } from './sending/outcomes.ts';
import { peopleOperations } from './keeping/people.ts';
import { planOperations } from './planning/plan.ts';
import { PreparationBook } from './planning/preparations.ts';
import { purgeOperations } from './keeping/purge.ts';
import { ReplyBook } from './inbox/replies.ts';
import { reminderRecords } from './planning/reminders.ts';
import { retryOperations } from './orders/retry-and-resolve.ts';
import { requestOperations } from './orders/requests.ts';
import { scheduleOperations } from './orders/schedules.ts';
import { taskOperations } from './keeping/tasks.ts';
import { uploadOperations } from './planning/uploads.ts';
import { verbOperations } from './orders/verbs.ts';
import { replayOperations } from './inbox/webhook-replay.ts';
import { webhookOperations } from './inbox/webhooks.ts';
import { reportWordOperations } from './inbox/report-words.ts';
import { workerOperations } from './sending/workers.ts';

/** Every operation of the writing thread, on one connection, inside a transaction of group-commit.ts. */
export type WriterOperations = ReturnType<typeof writerOperations>;

/** What operations need of their engine, and the guards against a nearly full disk. */
export interface WriterParts {
  engine: Engine;
  /** For plans and claims, and for webhooks. Both throw `ledger_full`. */
  requireSpace: () => void;
  requireRoom: () => void;
}

/** `WriterOperations` over this connection. Who undoes a transaction takes back its part of the memory, too. */
export function writerOperations(
  connection: Connection,
  { requireSpace, requireRoom, engine }: WriterParts,
  memory: Memory = new Memory(),
) {
  const counters = new Counters(connection, memory);
  const database = countedConnection(connection, counters);
  const campaigns = campaignRecords(database);
  const batches = batchRecords(database);
  const openTotals = totalsOpener(database);
  const answers = new AnswerGroups(database);
  const optOuts = new OptOutBook(database);
  const replies = new ReplyBook(database, optOuts);
  const matcher = new ReportMatcher(database, { openTotals, optOuts });
  const canary = new CanaryGate(database, { campaigns });
  const networks = new Networks(database);
  const networkBreaker = new NetworkBreaker(database, { campaigns, networks, memory });
  const preparations = new PreparationBook(database, campaigns);
  const shared = { campaigns, batches, counters, preparations, requireSpace };
  const { resumeSchedule, recordFiring, ...schedules } = scheduleOperations(database, { ...shared, canary });
  const verbs = verbOperations(database, { ...shared, canary, networkBreaker, resumeSchedule });
  const verdicts = { batches, counters, openTotals, matcher, answers, networkBreaker };
  const reminders = reminderRecords(database, shared);
  const endpoints = new EndpointBook(database);
  const alerts = alertOperations(database, endpoints);
  return {
    ...reminders.operations,
    ...uploadOperations(database, { ...shared, reminders }),
    ...schedules,
    ...planOperations(database, { ...shared, reminders, canary, optOuts, recordFiring }),
    ...requestOperations(database),
    ...verbs,
    ...canceledPeopleOperations(database, { campaigns, batches }),
    ...optOutOperations(optOuts, campaigns),
    senders: () => replies.senders(),
    ...retryOperations(database, { ...shared, openTotals, answers }),
    ...workerOperations(database, { batches, openTotals, pause: verbs.pause }),
    ...clockRollbackOperations(database, schedules),
    ...leaseOperations(database, { campaigns, batches }),
    ...claimOperations(database, { requireSpace, networks, counters }),
    ...outcomeOperations(database, { ...verdicts, pause: verbs.pause }),
    ...accountOperations(database),
    networksOf: operation({ durable: false }, (mobiles: string[]) => networks.ofEach(mobiles)),
    ...alerts,
    ...endpointOperations(database, campaigns, alerts),
    ...answerOperations({ ...shared, answers, openTotals }),
    ...webhookOperations(database, { matcher, replies, requireRoom, memory }),
    ...replayOperations(database, { campaigns, matcher, optOuts, replies }),
    ...reportWordOperations(database, { campaigns, matcher }),
    ...campaignLookUps(campaigns),
    bringBackHeld: (now: number) => networkBreaker.bringBack(now),
    ...peopleOperations(database, campaigns, { preparations, endpoints }),
    ...purgeOperations(database, { campaigns, engine }),
    ...taskOperations(database, campaigns),
    ...factOperations(database, { campaigns, engine }),
  };
}

function campaignLookUps(campaigns: CampaignRecords) {
  return {
    campaign: (n: number) => campaigns.find(n),
    pausedCampaigns: () => campaigns.paused(),
    latestNamed: (name: string) => campaigns.latestNamed(name),
    latestOfContacts: (hashes: CampaignHashes, since: number) => campaigns.latestOfContacts(hashes, since),
  };
}
