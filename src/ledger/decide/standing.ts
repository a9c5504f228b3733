import type { NumberEffect } from '../../domain/message.ts';
import type { OptOutSource } from '../../domain/opt-out-source.ts';

/**
 * A number's standing follows from two things alone: the wishes in order, and the messages with bad delivery.
 * So each of them can come, go or be taken back at any time. The same facts give the same result.
 */

/** One wish that still counts. */
export interface Asked {
  at: number;
  /** Empty: every sender. A removal is always of every sender. */
  sender: string;
  change: 'added' | 'removed';
  source: OptOutSource;
  evidence: string | null;
}

/** A message whose delivery speaks against its number. */
export interface Failure {
  /** The campaign's id for people. */
  campaign: string;
  /** The sender of the message. */
  sender: string;
  effect: NumberEffect;
  /** The arrival time of the report, in milliseconds. */
  at: number;
}

/** All known facts of a number, from which its standing follows. */
export interface NumberFacts {
  /** In order of time, then of arrival. */
  asked: Asked[];
  failures: Failure[];
  /** The last sign of life: a delivered message or a reply; null: none. It matters only where `mayBeDead`. */
  aliveAt: number | null;
}

/** A number's opt-out as it is stored. */
export type StoredOptOut = Omit<Asked, 'change'>;

/** The standing of a number. */
export interface Standing {
  /** By sender. */
  optOuts: Map<string, StoredOptOut>;
  dead: { at: number; evidence: string } | null;
}

/** What is stored of a number's standing. */
export interface StoredStanding {
  optOuts: readonly StoredOptOut[];
  isDead: boolean;
}

/** What makes the stored standing of a number the one that follows from its facts. */
export interface StandingChanges {
  /** The senders whose opt-out goes. */
  dropped: string[];
  kept: StoredOptOut[];
  /** Null: the number is not dead. */
  dead: Standing['dead'];
  /** Events of the history for people to read, without consequences. */
  learned: Asked[];
}

/** The least number of campaigns with a final failure before a number counts as dead. */
const LEAST_CAMPAIGNS = 2;
/** The least absence of a phone before its number counts as dead. */
const ABSENT_MS = 30 * 24 * 3_600_000;

/** Computes the standing of a number. Pure: the order of reading does not matter. */
export function standingOf({ asked, failures, aliveAt }: NumberFacts): Standing {
  const optOuts: Standing['optOuts'] = new Map();
  for (const { at, sender, change, source, evidence } of asked) {
    if (change === 'added') optOuts.set(sender, { sender, source, at, evidence });
    else optOuts.clear();
  }
  const counting = countingOf({ asked, failures });
  for (const { sender, at, campaign, effect } of counting) {
    if (effect !== 'opted_out' || optOuts.has(sender)) continue;
    const evidence = `the network said so in campaign ${campaign}`;
    optOuts.set(sender, { sender, source: 'report', at, evidence });
  }
  return { optOuts, dead: deadOf(counting, aliveAt) };
}

/** True: the number counts as dead, unless it has shown life since. */
export function mayBeDead(facts: Omit<NumberFacts, 'aliveAt'>): boolean {
  return deadOf(countingOf(facts), null) !== null;
}

/** Compares what is stored with what follows from the facts. `now` is the time of what is removed. Pure. */
export function changesOf(
  { optOuts: before, isDead }: StoredStanding,
  { optOuts, dead }: Standing,
  now: number,
): StandingChanges {
  const dropped = before.filter(({ sender }) => !optOuts.has(sender));
  const kept = [...optOuts.values()];
  const known = new Map(before.map(({ sender, source }) => [sender, source]));
  const removed = dropped.map((each) => ({ ...each, change: 'removed' as const, at: now, evidence: null }));
  const added = kept
    .filter(({ sender, source }) => known.get(sender) !== source)
    .map((each) => ({ ...each, change: 'added' as const }));
  const learned = [...removed, ...added].filter(({ source }) => source === 'report');
  return {
    dropped: dropped.map(({ sender }) => sender),
    kept,
    dead,
    learned: [...learned, ...deathOf(isDead, dead, now)],
  };
}

function deathOf(wasDead: boolean, dead: Standing['dead'], now: number): Asked[] {
  if (wasDead === (dead !== null)) return [];
  const { at = now, evidence = null } = dead ?? {};
  return [{ at, sender: '', source: 'learned', change: wasDead ? 'removed' : 'added', evidence }];
}

/** A removal takes back what came before it. */
function countingOf({ asked, failures }: Omit<NumberFacts, 'aliveAt'>): Failure[] {
  const clearedAt = asked.findLast(({ change }) => change === 'removed')?.at ?? -Infinity;
  return failures.filter(({ at }) => at > clearedAt);
}

function deadOf(failures: Failure[], aliveAt: number | null): Standing['dead'] {
  const fatal = failures.filter(({ effect }) => effect !== 'opted_out');
  return judge(fatal.filter(({ at }) => at > (aliveAt ?? -Infinity)));
}

function judge(failures: Failure[]): Standing['dead'] {
  const at = Math.max(...failures.map((failure) => failure.at));
  const permanent = campaignsOf(failures.filter(({ effect }) => effect === 'permanent'));
  if (permanent >= LEAST_CAMPAIGNS) return { at, evidence: `a bad number in ${permanent} campaigns` };
  const campaigns = campaignsOf(failures);
  const spanMs = at - Math.min(...failures.map((failure) => failure.at));
  if (campaigns < LEAST_CAMPAIGNS || spanMs < ABSENT_MS) return null;
  const days = Math.floor(spanMs / (24 * 3_600_000));
  return { at, evidence: `not reached in ${campaigns} campaigns over ${days} days` };
}

function campaignsOf(failures: Failure[]): number {
  return new Set(failures.map(({ campaign }) => campaign)).size;
}
