import type { NumberEffect } from '../../domain/message.ts';

/**
 * Who must not be written to follows from two things alone: what was asked for, in order, and the messages whose delivery
 * speaks against the number. So each can come, go or be taken back at any time, and the same facts give the same answer.
 */

/** One thing that was asked for and still counts. */
export interface Asked {
  at: number;
  /** Empty: every sender. A removal is always of every sender. */
  sender: string;
  change: 'added' | 'removed';
  source: string;
  evidence: string | null;
}

/** A message whose delivery speaks against its number. */
export interface Failure {
  /** Its id, as people see it. */
  campaign: string;
  /** Of the campaign. */
  sender: string;
  effect: NumberEffect;
  /** When the report came, milliseconds. */
  at: number;
}

/** All that is known of a number, from which its standing follows. */
export interface NumberFacts {
  /** By time, and of one time in the order of coming. */
  asked: Asked[];
  failures: Failure[];
  /** When the number last showed that it lives: a delivered message or a reply. Asked only when it matters. */
  aliveAt: () => number | null;
}

/** What holds for a number now. */
export interface Standing {
  /** By sender. */
  optOuts: Map<string, { source: string; at: number; evidence: string | null }>;
  dead: { at: number; evidence: string } | null;
}

/** Campaigns that must have failed for good before a number counts as dead: once proves nothing. */
const LEAST_CAMPAIGNS = 2;
/** A phone that was only absent must have been so for this long. */
const ABSENT_MS = 30 * 24 * 3_600_000;

/** Works out what holds for a number now. Pure: the same facts in any order of reading give the same. */
export function standingOf({ asked, failures, aliveAt }: NumberFacts): Standing {
  const optOuts: Standing['optOuts'] = new Map();
  let clearedAt = -Infinity;
  for (const { at, sender, change, source, evidence } of asked) {
    if (change === 'added') optOuts.set(sender, { source, at, evidence });
    else {
      optOuts.clear();
      clearedAt = at;
    }
  }
  const counting = failures.filter(({ at }) => at > clearedAt);
  for (const { sender, at, campaign, effect } of counting) {
    if (effect !== 'opted_out' || optOuts.has(sender)) continue;
    optOuts.set(sender, { source: 'report', at, evidence: `the network said so in campaign ${campaign}` });
  }
  return { optOuts, dead: deadOf(counting, aliveAt) };
}

function deadOf(failures: Failure[], aliveAt: NumberFacts['aliveAt']): Standing['dead'] {
  const fatal = failures.filter(({ effect }) => effect !== 'opted_out');
  if (judge(fatal) === null) return null;
  const alive = aliveAt() ?? -Infinity;
  return judge(fatal.filter(({ at }) => at > alive));
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
