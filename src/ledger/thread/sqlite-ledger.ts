import type { AlertEndpointLedger } from '../contracts/alert-endpoints.ts';
import type { Firing, StateChange } from '../contracts/records.ts';
import type { Ledger } from '../contracts/ledger.ts';
import type { GuardedOperations } from '../operations/sending/stale-ledger-guard.ts';
import { backUp } from '../sqlite/backup.ts';
import type { StepDone } from '../operations/planning/batches.ts';
import { encodeOutcomes, encodeRows, encodeWebhook, fromCrossing, resultsOf } from './thread-codec.ts';
import type { PreparationLedger } from '../contracts/preparations.ts';
import type { RequestLedger } from '../contracts/requests.ts';
import type { ScheduleLedger } from '../contracts/schedules.ts';
import type { TaskLedger } from '../contracts/tasks.ts';
import type { ErasureStepDone } from '../operations/keeping/erase.ts';
import { rewriteLedger } from '../sqlite/purge-rewrite.ts';
import { type LedgerThread, startLedgerThread, type ThreadLog, threadFile } from './ledger-thread.ts';

/** Opt-outs added or removed in one transaction. */
const OPT_OUTS_A_STEP = 1_000;

/** The file, and the receivers of its log and commits. */
export interface SqliteLedgerOptions {
  /** The ledger's file; it and its folder are created when they are missing. */
  file: string;
  /** The folder for the notes of claims, which reveal an older ledger; null and by default: none. */
  stateFolder?: string | null;
  log?: ThreadLog;
  /** Called with the milliseconds of each commit. */
  committed?: (ms: number) => void;
}

/** The operations of the writing thread. */
type LedgerOperations = GuardedOperations & { inPlace: () => boolean };

/** Runs the operations of the writing thread. */
export type LedgerWriter = Pick<LedgerThread<LedgerOperations>, 'call' | 'close'>;
type Thread = LedgerWriter;

/**
 * Opens the ledger and updates its schema. Rejects with `ledger_invalid` (damaged, read-only, on a network
 * file system), `ledger_newer`, `ledger_busy` or `sqlite_too_old`.
 */
export async function openSqliteLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { file } = options;
  const entry = threadFile('writer-thread', import.meta.url);
  const thread = await startLedgerThread<LedgerOperations>({ entry, ...options });
  return ledgerOver(thread, file);
}

/** The write contract over any runner of the operations: this process's thread, or a simulation of it. */
export function ledgerOver(thread: LedgerWriter, file: string): Ledger {
  return {
    ...planning(thread),
    ...scheduling(thread),
    ...operating(thread),
    ...working(thread),
    ...accounting(thread),
    ...replying(thread),
    ...purging(thread),
    ...people(thread),
    ...preparing(thread),
    ...keepingRequests(thread),
    ...workingLong(thread),
    ...keepingEndpoints(thread),
    behind: (now) => thread.call('behind', now),
    isGuarded: () => thread.call('isGuarded', undefined),
    acceptLoss: (change) => thread.call('acceptLoss', change),
    rewrite: () => rewriteLedger(file),
    campaign: (n) => thread.call('campaign', n),
    haltedCampaigns: (asked) => thread.call('haltedCampaigns', asked),
    pausedCampaigns: () => thread.call('pausedCampaigns', undefined),
    latestNamed: (name) => thread.call('latestNamed', name),
    latestOfContacts: (hashes, since) => thread.call('latestOfContacts', { hashes, since }),
    inPlace: () => thread.call('inPlace', undefined),
    answerLoss: (change) => thread.call('answerLoss', change),
    begin: (change) => thread.call('begin', change),
    facts: () => thread.call('facts', undefined),
    backup: (target) => backUp({ file, target }),
    close: () => thread.close(),
  };
}

function planning(thread: Thread) {
  return {
    createDraft: (draft) => thread.call('createDraft', draft),
    addMessages: (campaign, rows, { now, sender = null }) =>
      thread.call('addMessages', { campaign, rows: encodeRows(rows), now, sender }),
    async activate(activation) {
      while (!(await thread.call('identifyStep', activation.campaign)));
      return thread.call('activate', activation);
    },
    async discardDraft(campaign) {
      while (!(await thread.call('discardChunk', campaign)));
    },
  } satisfies Partial<Ledger>;
}

function preparing(thread: Thread) {
  return {
    createPreparation: (preparation) => thread.call('createPreparation', preparation),
    changePreparation: (change) => thread.call('changePreparation', change),
    beginPlanning: (change) => thread.call('beginPlanning', change),
    recordPlan: (change) => thread.call('recordPlan', change),
    askApproval: (change) => thread.call('askApproval', change),
    refuseApproval: (change) => thread.call('refuseApproval', change),
    joinPreparation: (change) => thread.call('joinPreparation', change),
    endPreparations: (end) => thread.call('endPreparations', end),
    setApproval: (change) => thread.call('setApproval', change),
    approvalNeeded: () => thread.call('approvalNeeded', undefined),
  } satisfies PreparationLedger;
}

function keepingRequests(thread: Thread) {
  return {
    beginRequest: (request) => thread.call('beginRequest', request),
    answerRequest: (request) => thread.call('answerRequest', request),
    leaveRequest: (request) => thread.call('leaveRequest', request),
    forgetRequest: (request) => thread.call('forgetRequest', request),
  } satisfies RequestLedger;
}

function workingLong(thread: Thread) {
  return {
    beginTask: (task) => thread.call('beginTask', task),
    takeTask: (task) => thread.call('takeTask', task),
    noteTask: (task) => thread.call('noteTask', task),
    endTask: (task) => thread.call('endTask', task),
    forgetTasks: (asked) => thread.call('forgetTasks', asked),
  } satisfies TaskLedger;
}

function keepingEndpoints(thread: Thread) {
  return {
    addAlertEndpoint: (endpoint) => thread.call('addAlertEndpoint', endpoint),
    removeAlertEndpoint: (order) => thread.call('removeAlertEndpoint', order),
    renewAlertSecret: (order) => thread.call('renewAlertSecret', order),
    alertTarget: (id) => thread.call('alertTarget', id),
    noteEndpointTry: (tried) => thread.call('noteEndpointTry', tried),
  } satisfies AlertEndpointLedger;
}

function scheduling(thread: Thread) {
  return {
    stageReminders: (draft, rows) => thread.call('stageReminders', { draft, rows }),
    compareReminders: (campaign, rows, now) => thread.call('compareReminders', { campaign, rows, now }),
    remindedBefore: (query) => thread.call('remindedBefore', query),
    openReminders: (campaign) => thread.call('openReminders', campaign),
    async arrangeReminders(draft, now) {
      while (!(await thread.call('arrangeStep', { draft, now })));
    },
    beginUpload: (upload) => thread.call('beginUpload', upload),
    async applyUploads(now) {
      for (;;) {
        const step = await thread.call('uploadStep', now);
        if (step !== 'again') return step === 'none';
      }
    },
    holdSchedule: (held) => thread.call('holdSchedule', held),
    leaveOutFiring: (asked) => thread.call('leaveOutFiring', asked),
    dueSchedules: (now) => thread.call('dueSchedules', now),
    async fire(firing: Firing) {
      for (;;) {
        const step = await thread.call('fireStep', firing);
        if (step.done) return step.campaign;
      }
    },
  } satisfies ScheduleLedger;
}

function operating(thread: Thread) {
  const cancelFrom = (campaign: number, now: number) =>
    inSteps((afterSeq) => thread.call('cancelChunk', { campaign, afterSeq, now }));
  return {
    pause: (campaign, change) => thread.call('pause', { ...change, campaign }),
    resume: (campaign, change) => thread.call('resume', { ...change, campaign }),
    async cancel(campaign, change: StateChange) {
      const begun = await thread.call('beginCancel', { ...change, campaign });
      return begun ? cancelFrom(campaign, change.now) : 0;
    },
    cancelPerson: (campaign, order) => thread.call('cancelPerson', { ...order, campaign }),
    watchCanaries: (now) => thread.call('watchCanaries', now),
    watchNetworks: (now) => thread.call('watchNetworks', now),
    async bringBackHeld(now) {
      while (await thread.call('bringBackHeld', now));
    },
    setRate: (campaign, change) => thread.call('setRate', { ...change, campaign }),
    retry: (campaign, change) =>
      inSteps((afterSeq) => thread.call('retryStep', { ...change, campaign, afterSeq })),
    async resolve(campaign, change) {
      let [tooYoung, named] = [0, 0];
      const resolved = await inSteps(async (afterSeq) => {
        const step = await thread.call('resolveStep', { ...change, campaign, afterSeq });
        tooYoung += step.tooYoung;
        named += step.named;
        return { count: step.resolved, afterSeq: step.afterSeq };
      });
      return { resolved, tooYoung, ...(named === 0 ? {} : { named }) };
    },
    async startDue(now) {
      // The sweep calls this, so unfinished cancels of dead processes are finished here too.
      for (const campaign of await thread.call('unfinishedCancels', undefined))
        await cancelFrom(campaign, now);
      return thread.call('startDue', now);
    },
  } satisfies Partial<Ledger>;
}

function working(thread: Thread) {
  return {
    registerWorker: (identity, now) => thread.call('registerWorker', { identity, now }),
    async clockSetBack(clock) {
      if (await thread.call('isClockAhead', clock())) await thread.call('setClockBack', clock());
    },
    heartbeat: (worker, now, outage = null) => thread.call('heartbeat', { worker, now, outage }),
    retireWorker: (worker, now) => thread.call('retireWorker', { worker, now }),
    otherWorkers: (except) => thread.call('otherWorkers', except),
    stillSending: (worker) => thread.call('stillSending', worker),
    reap: (worker, now) => thread.call('reap', { worker, now }),
    dueBatches: (query) => thread.call('dueBatches', query),
    leaseBatch: (lease) => thread.call('leaseBatch', lease),
    releaseBatch: (release) => thread.call('releaseBatch', release),
    claim: async (request) => fromCrossing(await thread.call('claim', request)),
    takeSlots: (request) => thread.call('takeSlots', request),
    recordOutcomes: async (record) =>
      resultsOf(record, await thread.call('recordOutcomes', encodeOutcomes(record))),
  } satisfies Partial<Ledger>;
}

function accounting(thread: Thread) {
  return {
    beginReading: (account, now) => thread.call('beginReading', { account, now }),
    beginReadings: (now) => thread.call('beginReadings', now),
    recordReading: (reading) => thread.call('recordReading', reading),
    knownPrices: (account) => thread.call('knownPrices', account),
    guardedBefore: (query) => thread.call('guardedBefore', query),
    networksOf: (mobiles) => thread.call('networksOf', mobiles),
    storeWebhook: (webhook) => thread.call('storeWebhook', encodeWebhook(webhook)),
    tryInbox: (now) => thread.call('tryInbox', now),
    newWebhooks: (limit) => thread.call('newWebhooks', limit),
    recordReports: (records) => thread.call('recordReports', records),
    joinWaiting: (now) => thread.call('joinWaiting', now),
  } satisfies Partial<Ledger>;
}

function replying(thread: Thread) {
  return {
    addOptOuts: (entries, now) =>
      inSlices(entries, (slice) => thread.call('addOptOuts', { entries: slice, now })),
    removeOptOuts: (mobiles, change) =>
      inSlices(mobiles, (slice) => thread.call('removeOptOuts', { ...change, mobiles: slice })),
    decideReply: (decision) => thread.call('decideReply', decision),
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
    voidWebhooks: (order) =>
      sumOfSteps({ webhooks: 0, reports: 0, replies: 0, uncertain: 0 }, (after) =>
        thread.call('voidStep', { ...order, after }),
      ),
    raiseAlerts: (limits) => thread.call('raiseAlerts', limits),
    raiseAlert: (cause, now) => thread.call('raiseAlert', { cause, now }),
    takeAlerts: (due) => thread.call('takeAlerts', due),
    recordAlertTry: (tried) => thread.call('recordAlertTry', tried),
    mapAnswer: (order) => thread.call('mapAnswer', order),
    unmapAnswer: (order) => thread.call('unmapAnswer', order),
    mappedAnswers: () => thread.call('mappedAnswers', undefined),
    senders: () => thread.call('senders', undefined),
    storedWebhooks: (query) => thread.call('storedWebhooks', query),
    rereadWebhook: (record) => thread.call('rereadWebhook', record),
  } satisfies Partial<Ledger>;
}

function people(thread: Thread) {
  return {
    addUser: (order) => thread.call('addUser', order),
    renewLink: (order) => thread.call('renewLink', order),
    changeRole: (order) => thread.call('changeRole', order),
    removeUser: (order) => thread.call('removeUser', order),
    setPassword: (order) => thread.call('setPassword', order),
    beginSignIn: (attempt) => thread.call('beginSignIn', attempt),
    beginSession: (order) => thread.call('beginSession', order),
    beginHomeSession: (order) => thread.call('beginHomeSession', order),
    touchSession: (digest, now) => thread.call('touchSession', { digest, now }),
    endSession: (order) => thread.call('endSession', order),
    endSessions: (order) => thread.call('endSessions', order),
    addToken: (order) => thread.call('addToken', order),
    removeToken: (order) => thread.call('removeToken', order),
    touchToken: (digest, now) => thread.call('touchToken', { digest, now }),
  } satisfies Partial<Ledger>;
}

function purging(thread: Thread) {
  return {
    async purgeCampaign(campaign, { now, by }) {
      if (!(await thread.call('beginPurge', { campaign, now, by }))) return null;
      let messages = 0;
      for (;;) {
        const step = await thread.call('purgeStep', { campaign, now });
        messages += step.count;
        if (step.done) return messages;
      }
    },
    async erasePerson(order, done = () => {}) {
      const erased = await thread.call('beginErasure', order);
      if (erased === null) return null;
      await eraseRest(thread, order, (step) => {
        for (const each of ['reports', 'webhooks', 'shared'] as const) erased[each] += step[each];
        if (step.after !== null) done(step.after / step.last);
      });
      return erased;
    },
    async finishErasures({ now, before }) {
      const open = await thread.call('openErasures', before);
      for (const mobile of open) await eraseRest(thread, { mobile, now });
      return open.length;
    },
    takeDailyPurge: (now) => thread.call('takeDailyPurge', now),
    purgeTraces: (order) =>
      sumOfSteps({ webhooks: 0, reports: 0, replies: 0 }, (after) =>
        thread.call('traceStep', { ...order, after }),
      ),
  } satisfies Partial<Ledger>;
}

/** All steps of an erasure that has begun. */
async function eraseRest(
  thread: Thread,
  order: { mobile: string; now: number },
  stepped: (step: ErasureStepDone) => void = () => {},
): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const step: ErasureStepDone = await thread.call('erasureStep', { ...order, after });
    stepped(step);
    after = step.after;
  }
  await thread.call('endErasure', { mobile: order.mobile });
}

/** Each opt-out is computed from its number's history, so one transaction takes a bounded number. */
async function inSlices<Item>(items: Item[], work: (slice: Item[]) => Promise<number>): Promise<number> {
  let count = 0;
  for (let from = 0; from < items.length; from += OPT_OUTS_A_STEP)
    count += await work(items.slice(from, from + OPT_OUTS_A_STEP));
  return count;
}

/** The counts of one step, and the start of the next; null: it was the last. */
type Step<Counts> = Counts & { after: number | null };

/** Repeats a step until it was the last. Returns the sums of its counts. */
async function sumOfSteps<Counts extends Record<keyof Counts, number>>(
  none: Counts,
  step: (after: number) => Promise<Step<Counts>>,
): Promise<Counts> {
  const sum: Record<keyof Counts, number> = { ...none };
  let after: number | null = 0;
  while (after !== null) {
    const done: Step<Counts> = await step(after);
    for (const key of Object.keys(none) as (keyof Counts)[]) sum[key] += done[key];
    after = done.after;
  }
  return sum as Counts;
}

/** Repeats a step until it was the last. Returns the sum. */
async function inSteps(step: (afterSeq: number) => Promise<StepDone>): Promise<number> {
  let count = 0;
  let afterSeq: number | null = 0;
  while (afterSeq !== null) {
    const done: StepDone = await step(afterSeq);
    count += done.count;
    afterSeq = done.afterSeq;
  }
  return count;
}
