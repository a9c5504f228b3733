import { changeEach, type Connection, getEach } from '../../connection.ts';
import type { AnswerMeaning } from '../../../domain/answer-meaning.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { OrderedPause, Outcome, OutcomeRecord, OutcomeResult } from '../../contracts/sending.ts';
import {
  type Before,
  decideVerdict,
  mayFollow,
  messageOf,
  noChanges,
  type QueuedChange,
  type SentChange,
  type Source,
  type VerdictChanges,
} from '../../decide/verdicts.ts';
import { roundsOf } from '../../decide/rounds.ts';
import type { AnswerGroups } from './answers.ts';
import type { BatchRecords, TouchedBatches } from '../planning/batches.ts';
import type { Counters } from '../keeping/counters.ts';
import type { ReportMatcher } from '../inbox/report-matcher.ts';
import type { RunningTotals, OpenTotals } from './running-totals.ts';
import type { NetworkBreaker } from './network-breaker.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/*
 * Verdicts: sending → sent, rejected, uncertain, queued. They come from the worker of the attempt, or from
 * the reaper by a dead worker's note. A verdict of a former attempt is `stale` and changes nothing. One
 * commit holds the verdicts and all consequences: money, prices, evidence, pauses, early reports, settled
 * batches. Many verdicts take as few statements as one: they are loaded, decided (decide/verdicts.ts), and written.
 */

/** The records that outcomes share with other operations. */
export interface OutcomeRecords {
  batches: BatchRecords;
  counters: Counters;
  openTotals: OpenTotals;
  matcher: ReportMatcher;
  answers: AnswerGroups;
  networkBreaker: NetworkBreaker;
  pause: (campaign: number, change: Omit<OrderedPause, 'campaign'> & StateChange) => Promise<boolean>;
}

/** Outcomes (contracts/sending.ts): verdicts and their consequences for batch, money and waiting reports. */
export function outcomeOperations(database: Connection, records: OutcomeRecords) {
  const sql = loadStatements(database, new URL('./outcomes.sql', import.meta.url));

  return {
    // A verdict exists only here until it is written.
    recordOutcomes: operation(
      { patienceMs: Infinity },
      async ({ worker, by = 'worker', now, outcomes, pauses }: OutcomeRecord): Promise<OutcomeResult[]> => {
        const { batches, openTotals, matcher, pause } = records;
        const commit = { ...records, sql, totals: openTotals(), touched: batches.touched(), worker, by, now };
        await matcher.beginCommit();
        const recorded = new Set<Outcome>();
        for (const round of roundsOf(outcomes, messageOf))
          for (const outcome of await recordRound(commit, round)) recorded.add(outcome);
        await records.networkBreaker.note(
          outcomes.filter((outcome) => recorded.has(outcome)),
          now,
        );
        await commit.totals.post(now);
        await commit.touched.settle(now);
        for (const { campaign, ...each } of pauses) await pause(campaign, { ...each, now, by });
        // What is recorded again, after a commit of which nobody knew whether it was made, was counted then. The wire note
        // counts every verdict, so one that came too late voids the note until the worker registers anew.
        if (by === 'worker') await sql('count_recorded').run(worker, recorded.size);
        return outcomes.map((outcome) => (recorded.has(outcome) ? 'recorded' : 'stale'));
      },
    ),
  };
}

/** The values that the verdicts of one transaction share. */
interface Commit extends OutcomeRecords {
  sql: Sql;
  totals: RunningTotals;
  touched: TouchedBatches;
  worker: number;
  by: Source;
  now: number;
}

/** Records verdicts about different messages. Returns those that are not stale. */
async function recordRound(commit: Commit, round: readonly Outcome[]): Promise<Outcome[]> {
  const rows = await getEach(
    commit.sql<Before>('attempt_state'),
    round.map(({ campaign, seq, attempt }) => [campaign, seq, attempt, commit.worker]),
  );
  const before = new Map<Outcome, Before>();
  for (const [index, outcome] of round.entries()) {
    const row = rows[index];
    if (row !== undefined && mayFollow(row, outcome, commit.by)) before.set(outcome, row);
  }
  const recorded = [...before.keys()];
  await commit.touched.add(recorded);
  await write(commit, await decided(commit, before));
  return recorded;
}

/** Decides verdicts that may follow. Keeps their evidence first, because its mapping may decide, too. */
async function decided(commit: Commit, before: ReadonlyMap<Outcome, Before>): Promise<VerdictChanges> {
  const { totals } = commit;
  const recorded = [...before.keys()];
  await totals.load(recorded.map(({ campaign }) => campaign));
  const meanings = await keepEvidence(commit, recorded);
  const changes = noChanges();
  for (const [outcome, row] of before)
    decideVerdict({ changes, prices: totals.prices }, outcome, {
      before: row,
      meaning: meanings.get(outcome) ?? null,
      entry: totals.entry(outcome.campaign),
    });
  return changes;
}

/** Returns the meanings that persons gave to the answers. Left out: none, or the profile knows the answer. */
async function keepEvidence(
  { sql, answers, now }: Commit,
  outcomes: readonly Outcome[],
): Promise<Map<Outcome, AnswerMeaning>> {
  const kept = outcomes.flatMap((outcome) => {
    const { evidence } = outcome;
    return evidence === null ? [] : [{ outcome, evidence }];
  });
  const groups = await answers.groupsOf(
    kept.map(({ evidence }) => evidence),
    now,
  );
  await changeEach(
    sql('add_evidence'),
    kept.map(({ outcome: { campaign, seq, attempt }, evidence }, index) => {
      const { httpStatus, code, raw, words = null } = evidence;
      return [campaign, seq, attempt, now, httpStatus, code, raw, groups[index]?.id ?? null, words];
    }),
  );
  const meanings = new Map<Outcome, AnswerMeaning>();
  for (const [index, { outcome }] of kept.entries()) {
    const meaning = groups[index]?.meaning ?? null;
    if (meaning !== null) meanings.set(outcome, meaning);
  }
  return meanings;
}

/** Each statement guards what was read of its rows, so nothing is written over another state. */
async function write(commit: Commit, changes: VerdictChanges): Promise<void> {
  const { sql, answers, by, now } = commit;
  await changeEach(
    sql('rejected'),
    changes.rejected.map(({ campaign, seq, attempt, sendMs, reason, retryHelps }) => {
      return [campaign, seq, now, sendMs, reason, retryHelps ? 1 : 0, by, attempt];
    }),
  );
  await changeEach(sql('uncertain'), changes.uncertain, ({ campaign, seq, attempt, sendMs, reason }) => {
    return [campaign, seq, now, sendMs, reason, by, attempt];
  });
  await answers.writeMapped(changes.mapped, now);
  await writeQueued(commit, changes.queued);
  await writeSent(commit, changes.sent);
}

async function writeQueued(commit: Commit, queued: readonly QueuedChange[]): Promise<void> {
  const { sql, batches, by, now } = commit;
  const outcomes = queued.map(({ outcome }) => outcome);
  await changeEach(
    sql('keep_attempt'),
    outcomes.map(({ campaign, seq, sendMs, reason }) => [campaign, seq, now, sendMs, reason]),
  );
  await changeEach(sql('queued'), outcomes, ({ campaign, seq, attempt, notBefore, countsAsTry, reason }) => {
    return [campaign, seq, notBefore, countsAsTry ? 1 : 0, reason, by, attempt];
  });
  const takenBack = outcomes.filter(({ reason }) => by === 'reaper' && reason === 'taken back, never sent');
  const byCampaign = Map.groupBy(takenBack, ({ campaign }) => campaign);
  await changeEach(sql('count_taken_back'), [...byCampaign], ([campaign, { length }]) => [campaign, length]);
  await changeEach(
    sql('cancel'),
    queued.filter(({ isCanceled }) => isCanceled),
    ({ outcome: { campaign, seq } }) => [campaign, seq, now],
  );
  await batches.makeEachDue(dueTimes(commit, queued));
}

/** A batch that nobody holds has work again, from the first of its messages on. */
function dueTimes({ touched }: Commit, queued: readonly QueuedChange[]): Map<number, number> {
  const dueAt = new Map<number, number>();
  for (const { outcome, isCanceled } of queued) {
    const { id, worker } = touched.batch(outcome.campaign, outcome.seq);
    if (!isCanceled && worker === null) dueAt.set(id, Math.min(dueAt.get(id) ?? Infinity, outcome.notBefore));
  }
  return dueAt;
}

async function writeSent(commit: Commit, sent: readonly SentChange[]): Promise<void> {
  const { matcher, now } = commit;
  await changeSent(commit, sent);
  await matcher.ids.given(sent.map(({ outcome }) => outcome));
  // Reports are placed once all messages have their ids, because their places depend on all of them.
  const isNew = ({ outcome, before }: SentChange) =>
    before.messageId === null || before.messageId === outcome.messageId;
  await matcher.joinEarly(sent.filter(isNew).map(({ outcome }) => outcome.messageId));
  for (const change of sent) if (!isNew(change)) await matcher.joinAgain(change.outcome.messageId, now);
}

function sentValues({ by, now }: Commit, { outcome, before, counted }: SentChange) {
  const { campaign, seq, attempt, sendMs, messageId, network, costMicro } = outcome;
  const flags = outcome.flags.length === 0 ? null : outcome.flags.join(',');
  const facts = [messageId, network, costMicro, flags, counted, by];
  return [campaign, seq, now, sendMs, ...facts, attempt, before.state];
}

/** What a worker's verdict ends tells the counters by itself (counters.ts). */
async function changeSent(commit: Commit, sent: readonly SentChange[]): Promise<void> {
  const change = async (changes: readonly SentChange[]) =>
    await changeEach(commit.sql('sent'), changes, (each) => sentValues(commit, each));
  const isOfWorker = ({ before }: SentChange) => before.state === 'sending' && commit.by === 'worker';
  const ended = sent.filter(isOfWorker);
  await change(ended);
  countSent(commit, ended);
  const others = sent.filter((each) => !isOfWorker(each));
  const spans = others.map(({ outcome: { campaign, seq } }) => [campaign, seq, seq] as const);
  await commit.counters.around(spans, () => change(others));
}

function countSent({ counters, now }: Commit, ended: readonly SentChange[]): void {
  for (const [campaign, sent] of Map.groupBy(ended, ({ outcome }) => outcome.campaign)) {
    const messages = sent.map(({ outcome: { network, costMicro: cost, sendMs }, before, counted }) => {
      // The row's segments, because the outcome's are those of the claim.
      return { network, segments: before.segments, cost, counted, sendMs };
    });
    counters.sent(campaign, messages, now);
  }
}
