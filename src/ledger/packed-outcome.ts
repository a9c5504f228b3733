import type { MoneyMicro } from '../domain/money.ts';
import type { Outcome } from './sending.ts';

/* Verdicts as they are written to text, by the million: to the ledger's thread, and to the wire note. */

/** An acceptance without evidence, which nearly every verdict is: the names of its fields would be most of it. */
type PackedSent = [
  campaign: number,
  seq: number,
  attempt: number,
  sendMs: number | null,
  messageId: string,
  network: string | null,
  costMicro: MoneyMicro | null,
  segments: number,
  flags: string[],
];

/** A verdict that is ready for JSON. */
export type PackedOutcome = PackedSent | Outcome;

/** Leaves out the names of what nearly every verdict is. */
export function packOutcome(outcome: Outcome): PackedOutcome {
  if (outcome.to !== 'sent' || outcome.evidence !== null) return outcome;
  const { campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags } = outcome;
  return [campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags];
}

/** The verdict that was packed. */
export function unpackOutcome(packed: PackedOutcome): Outcome {
  if (!Array.isArray(packed)) return packed;
  const [campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags] = packed;
  const identity = { campaign, seq, attempt, sendMs, evidence: null };
  return { ...identity, to: 'sent', messageId, network, costMicro, segments, flags };
}
