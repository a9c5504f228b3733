import type { DatabaseSync } from 'node:sqlite';
import { type CanaryCounts, type CanaryProgress, judgeCanary } from '../../domain/pace/canary.ts';
import { viewMessagesLeft } from './message-left.ts';
import { prepareStatements } from './statements.ts';

/** How canaries stand: asked by the writer, which decides, and by readers, which show it. */

interface CanaryRow {
  messages: number;
  waitMs: number;
  delivered: number;
  verdict: 'passed' | 'failed' | 'overridden' | null;
  why: string | null;
}

/** How a canary stands by its counts; `decided` when its verdict is written. */
export type Standing = CanaryProgress & { decided: boolean };

/** Answers a function of campaign and time; null where a campaign has no canary. */
export function canaryProgress(database: DatabaseSync): (campaign: number, now: number) => Standing | null {
  viewMessagesLeft(database);
  const sql = prepareStatements(database, new URL('./canary-counts.sql', import.meta.url), [
    'canary',
    'counts',
    'worst',
  ]);
  return (campaign, now) => {
    const row = sql.canary.get(campaign) as CanaryRow | undefined;
    if (row === undefined) return null;
    const { messages, waitMs, delivered, verdict, why } = row;
    const worst = sql.worst.get(campaign, messages) as
      | { word: string; count: number; isNew: number }
      | undefined;
    const counts: CanaryCounts = {
      ...(sql.counts.get(campaign, messages) as unknown as Omit<CanaryCounts, 'worst'>),
      worst: worst === undefined ? null : { ...worst, isNew: worst.isNew === 1 },
    };
    const rule = { first: messages, waitMs, delivered };
    if (verdict !== null) return { counts, rule, verdict, until: null, why, decided: true };
    const judged = judgeCanary(rule, counts, now);
    const until = judged.verdict === 'waiting' ? judged.until : null;
    const reason = judged.verdict === 'failed' ? judged.why : null;
    return { counts, rule, verdict: judged.verdict, until, why: reason, decided: false };
  };
}

/** What a reader may say: a verdict that is not written yet is none. */
export function canaryReads(database: DatabaseSync) {
  const progress = canaryProgress(database);
  return {
    canary(campaign: number): CanaryProgress | null {
      const standing = progress(campaign, 0);
      if (standing === null) return null;
      const { decided, ...shown } = standing;
      if (decided || shown.verdict === 'sending') return shown;
      const until = (shown.counts.leftAt ?? 0) + shown.rule.waitMs;
      return { ...shown, verdict: 'waiting', until, why: null };
    },
  };
}
