import type { MoneyMicro } from '../../domain/money.ts';
import type { Outcome } from './sending.ts';

/* Verdicts as they are written to text, by the million: to the ledger's thread, and to the wire note. */

/** An acceptance without evidence, like nearly every verdict, without its long field names. */
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

/** Packs a verdict; the usual acceptance loses its field names. */
export function packOutcome(outcome: Outcome): PackedOutcome {
  if (outcome.to !== 'sent' || outcome.evidence !== null) return outcome;
  const { campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags } = outcome;
  return [campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags];
}

/** Unpacks a verdict. */
export function unpackOutcome(packed: PackedOutcome): Outcome {
  if (!Array.isArray(packed)) return packed;
  const [campaign, seq, attempt, sendMs, messageId, network, costMicro, segments, flags] = packed;
  const identity = { campaign, seq, attempt, sendMs, evidence: null };
  return { ...identity, to: 'sent', messageId, network, costMicro, segments, flags };
}
