import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { openReaderHere } from '../support/ledger-here.ts';
import { formatMoney } from '../../src/domain/money.ts';
import { readAmount } from '../../src/sandbox/money.ts';
import type { Truth } from '../../src/sandbox/truth/truth.ts';
import type { AcceptedEntry } from '../../src/sandbox/truth/truth-entry.ts';
import { type CampaignDocument, IN_FLIGHT, type Stage } from './harness.ts';

/* Holds the ledger against the sandbox's truth: the invariants of the design, by their names. */

export interface Expected {
  /** Worker processes that were killed; each may leave at most TUMA_CONCURRENCY messages uncertain. */
  kills: number;
  /** Messages that became uncertain for another reason than a kill: an answer was lost. */
  lostAnswers?: number;
  /** False: the campaign is still under way, or was stopped in the middle. */
  settled?: boolean;
  /** Rows of all uploads together; those of one CSV for each campaign by default. */
  read?: number;
  /** The report that the run printed: its money is held against the truth too. */
  report?: CampaignDocument | null;
}

/** What a run came to, for its summary. */
export interface Findings {
  messages: number;
  accepted: number;
  sent: number;
  uncertain: number;
  queued: number;
  /** Accepted more often than the ledger can account for. */
  double: number;
  /** In no state, or settled without having been handed over. */
  lost: number;
}

/** A message as the ledger or its export tells it. */
export interface Row {
  mobile: string;
  state: string;
  messageid: string | null;
  cost: number | null;
  flags: string | null;
  delivery: string | null;
}

/** Checks I1, I2, I3, I5, I6, the money, and every invariant of `tuma verify`. Fails with all that is wrong. */
export async function checkRun(stage: Stage, expected: Expected): Promise<Findings> {
  const truth = await stage.provider.truth();
  const { rows, campaigns, read, planned } = readRows(stage.ledgerFile);
  const rowsRead = expected.read ?? stage.contacts * campaigns;
  const states = countBy(rows, (row) => row.state);
  const of = (state: string) => states.get(state) ?? 0;
  const { double, unfounded, money } = contradictions(rows, { truth, report: expected.report ?? null });
  const problems = [
    ...double,
    ...unfounded,
    ...(read === rowsRead ? [] : [`I2 ${read} rows were read for ${campaigns} campaigns`]),
    ...(rows.length === planned ? [] : [`I2 ${planned} messages were planned, ${rows.length} are there`]),
    ...openProblems(of('queued') + of('sending'), expected),
    ...uncertainProblems(of('uncertain'), expected),
    ...money,
    ...(await brokenInvariants(stage.ledgerFile)),
  ];
  expect(problems).toEqual([]);
  return {
    messages: planned,
    accepted: truth.acceptedCount,
    sent: of('sent'),
    uncertain: of('uncertain'),
    queued: of('queued'),
    double: double.length,
    lost: planned - rows.length + unfounded.length,
  };
}

/** What of these messages contradicts the truth: I1 (`double`), I3 (`unfounded`), and the money. */
export function contradictions(
  rows: Row[],
  { truth, report }: { truth: Truth; report: CampaignDocument | null },
): Record<'double' | 'unfounded' | 'money', string[]> {
  return {
    double: doubles(rows, truth),
    unfounded: unfoundedClaims(rows, truth),
    money: moneyProblems(rows, { truth, report }),
  };
}

/** Every report that the collector acknowledged is joined to its message (I6). Empty is what must be. */
export async function unjoinedReports(stage: Stage): Promise<string[]> {
  const truth = await stage.provider.truth();
  const deliveries = new Map(readRows(stage.ledgerFile).rows.map((row) => [row.messageid, row.delivery]));
  const final = truth.reports.filter(({ result, outcome }) => result === 'taken' && outcome !== 'sent');
  return final
    .filter(({ messageid }) => deliveries.has(messageid) && deliveries.get(messageid) === 'pending')
    .map(({ messageid, outcome }) => `I6 ${messageid} was reported ${outcome} and is pending`);
}

/** The bodies of all webhooks that the ledger holds, whether or not anybody has read them. */
export function storedWebhooks(stage: Stage): string[] {
  const rows = read(stage.ledgerFile, (database) => database.prepare('SELECT body FROM webhook').all());
  return rows.map(({ body }) => Buffer.from(body as Uint8Array).toString());
}

/** How many messages of launched campaigns are in that state. */
export function countState(stage: Stage, state: string): number {
  return mobilesIn(stage, state).length;
}

/** The numbers of the messages of launched campaigns that are in that state. */
export function mobilesIn(stage: Stage, state: string): string[] {
  const { rows } = readRows(stage.ledgerFile);
  return rows.filter((row) => row.state === state).map(({ mobile }) => mobile);
}

/** How many living workers have shown themselves at that moment or later. */
export function workersSince(stage: Stage, at: number): number {
  const sql = 'SELECT count(*) AS n FROM worker WHERE ended_at IS NULL AND heartbeat_at >= ?';
  return read(stage.ledgerFile, (database) => Number(database.prepare(sql).get(at)?.['n']));
}

/** How many batches that were due by `now` are not settled yet. */
export function unsettledBatches(stage: Stage, now: number): number {
  const sql = 'SELECT count(*) AS n FROM batch WHERE settled_at IS NULL AND due_at <= ?';
  return read(stage.ledgerFile, (database) => Number(database.prepare(sql).get(now)?.['n']));
}

/** How many of the messages that are `sending` the provider had accepted: what was killed with them knew of no answer. */
export async function acceptedWhileSending(stage: Stage): Promise<number> {
  const { acceptedByMobile } = await stage.provider.truth();
  return mobilesIn(stage, 'sending').filter((mobile) => acceptedByMobile.has(mobile)).length;
}

/** Whether a launched campaign has messages that are queued or sending. */
export function isOpen(stage: Stage): boolean {
  const open = `SELECT 1 FROM message JOIN campaign ON n = campaign
    WHERE campaign.state <> 'draft' AND message.state IN ('queued', 'sending') LIMIT 1`;
  return read(stage.ledgerFile, (database) => database.prepare(open).get() !== undefined);
}

/** How many messages the process of that pid left `sending`. */
export function leftSending(stage: Stage, pid: number): number {
  const left = `SELECT count(*) AS left FROM message
    WHERE state = 'sending' AND worker IN (SELECT id FROM worker WHERE pid = ?)`;
  return read(stage.ledgerFile, (database) => Number(database.prepare(left).get(pid)?.['left']));
}

/** The pid of the worker that registered last. */
export function latestWorker(stage: Stage): number {
  return read(stage.ledgerFile, (database) =>
    Number(database.prepare('SELECT pid FROM worker ORDER BY id DESC LIMIT 1').get()?.['pid']),
  );
}

/** How many messages the provider accepted after the latest order of that kind was given. */
export async function acceptedSince(stage: Stage, verb: 'pause' | 'cancel'): Promise<number> {
  const latest = 'SELECT max(at) AS at FROM audit WHERE verb = ?';
  const orderedAt = read(stage.ledgerFile, (database) => Number(database.prepare(latest).get(verb)?.['at']));
  const { messages } = await stage.provider.truth();
  return [...messages.values()].flat().filter(({ at }) => at > orderedAt).length;
}

/** How many leases there ever were: it rises when a job came out of the queue. */
export function leasesEver(stage: Stage): number {
  return read(stage.ledgerFile, (database) =>
    Number(database.prepare('SELECT total(epoch) AS leases FROM batch').get()?.['leases']),
  );
}

/** How many launched campaigns the ledger holds; none where there is no ledger yet. */
export function countCampaigns(stage: Stage): number {
  if (!existsSync(stage.ledgerFile)) return 0;
  return read(stage.ledgerFile, (database) => {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'campaign'").get();
    if (table === undefined) return 0;
    const launched = "SELECT count(*) AS launched FROM campaign WHERE state <> 'draft'";
    return Number(database.prepare(launched).get()?.['launched']);
  });
}

/** How many claims were ever made, in all campaigns. */
export function claimsEver(stage: Stage): number {
  return read(stage.ledgerFile, (database) =>
    Number(database.prepare('SELECT total(claims) AS claims FROM account').get()?.['claims']),
  );
}

/** When the last claim was asked for that led to a message, by the wall clock; 0: never. */
export function lastClaimAt(stage: Stage): number {
  return read(stage.ledgerFile, (database) =>
    Number(database.prepare('SELECT coalesce(max(claimed_at), 0) AS at FROM message').get()?.['at']),
  );
}

/** Messages and uploads of launched campaigns. Later campaigns plan fewer: numbers that opted out are suppressed. */
function readRows(file: string): { rows: Row[]; campaigns: number; read: number; planned: number } {
  const launched = "SELECT n FROM campaign WHERE state <> 'draft'";
  const messages = `SELECT mobile, state, messageid, cost, flags, delivery FROM message WHERE campaign IN (${launched})`;
  const uploads = `SELECT total(read) AS read, total(planned) AS planned FROM upload WHERE campaign IN (${launched})`;
  return read(file, (database) => {
    const counts = database.prepare(uploads).get();
    return {
      rows: database.prepare(messages).all() as unknown as Row[],
      campaigns: database.prepare(launched).all().length,
      read: Number(counts?.['read']),
      planned: Number(counts?.['planned']),
    };
  });
}

/** Not by way of the product's own reader: a mistake in it cannot agree with itself here. */
function read<Answer>(file: string, question: (database: DatabaseSync) => Answer): Answer {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  try {
    return question(database);
  } finally {
    database.close();
  }
}

/** I1: nothing was accepted more often than there are messages to that number that say sent or uncertain. */
function doubles(rows: Row[], truth: Truth): string[] {
  const may = countBy(
    rows.filter(({ state }) => state === 'sent' || state === 'uncertain' || state === 'sending'),
    (row) => row.mobile,
  );
  return [...truth.acceptedByMobile]
    .filter(([mobile, count]) => count > (may.get(mobile) ?? 0))
    .map(([mobile, count]) => `I1 I3 ${mobile} was accepted ${count} times, for ${statesOf(rows, mobile)}`);
}

/** I3: what is called sent was accepted, under that id, for that number, at that cost. */
function unfoundedClaims(rows: Row[], truth: Truth): string[] {
  return rows
    .filter(({ state }) => state === 'sent')
    .filter((row) => {
      const entry = truthOf(row, truth);
      if (entry === undefined || readableCost(entry) !== row.cost) return true;
      return saysUnreadable(row) !== (row.cost === null);
    })
    .map(({ mobile, messageid }) => `I3 ${mobile} is sent as ${messageid}, which the truth does not know`);
}

/** What was accepted for that number under that id, which another number may have too. */
function truthOf({ mobile, messageid }: Row, truth: Truth): AcceptedEntry | undefined {
  return truth.messages.get(messageid ?? '')?.find((entry) => entry.mobile === mobile);
}

/** The cost as the answer said it; null where it was no amount. */
function readableCost({ cost, answer }: AcceptedEntry): number | null {
  return answer === '200_bad_cost' ? null : readAmount(cost);
}

function saysUnreadable({ flags }: Row): boolean {
  const said = flags?.split(',') ?? [];
  return said.includes('cost_unreadable') || said.includes('cost_two_ways');
}

function openProblems(open: number, { settled = true }: Expected): string[] {
  return settled && open > 0 ? [`I13 ${open} messages are queued or sending for ever`] : [];
}

function uncertainProblems(uncertain: number, { kills, lostAnswers = 0 }: Expected): string[] {
  const most = kills * IN_FLIGHT + lostAnswers;
  return uncertain > most ? [`I5 ${uncertain} messages are uncertain, at most ${most} may be`] : [];
}

/** What the ledger and the report call charged is what the sandbox took for the messages that are called sent. */
function moneyProblems(
  rows: Row[],
  { truth, report }: { truth: Truth; report: CampaignDocument | null },
): string[] {
  const sent = rows.filter(({ state }) => state === 'sent');
  const charged = sent.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const taken = sent.reduce((sum, row) => {
    const entry = truthOf(row, truth);
    return sum + (entry === undefined ? 0 : (readableCost(entry) ?? 0));
  }, 0);
  const said = report?.cost.charged ?? formatMoney(taken);
  return [
    ...(charged === taken ? [] : [`money: ${charged} booked, ${taken} taken (millionths)`]),
    ...(said === formatMoney(taken) ? [] : [`money: the report says ${said}, taken ${formatMoney(taken)}`]),
  ];
}

async function brokenInvariants(file: string): Promise<string[]> {
  const reader = await openReaderHere(file);
  try {
    const violations = await reader.violations(null);
    return violations.map(({ invariant, row, detail }) => `verify ${invariant}: ${row} ${detail}`);
  } finally {
    await reader.close();
  }
}

function statesOf(rows: Row[], mobile: string): string {
  return rows
    .filter((row) => row.mobile === mobile)
    .map(({ state }) => state)
    .join(' and ');
}

function countBy<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
