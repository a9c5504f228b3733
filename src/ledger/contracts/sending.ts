import type { AnswerQuestion } from '../../domain/answer-meaning.ts';
import type { Campaign, CampaignHashes, CampaignKind, PauseReason } from '../../domain/campaign.ts';
import type { GuardRule } from '../../domain/guards.ts';
import type { ReasonOf, RejectedReason } from '../../domain/message-reason.ts';
import type { MoneyMicro } from '../../domain/money.ts';

/* The shapes of leases, claims and outcomes: the heart of the send protocol. */

/** A batch with work. `dueAt` in milliseconds. */
export interface DueBatch {
  batch: number;
  epoch: number;
  kind: CampaignKind;
  dueAt: number;
}

/** A worker's request for a batch. Times in milliseconds. */
export interface LeaseRequest {
  batch: number;
  epoch: number;
  worker: number;
  now: number;
  leaseMs: number;
}

/** A lease that ends. Times in milliseconds. */
export interface BatchRelease {
  batch: number;
  epoch: number;
  /** The worker whose lease it is. Another's stays. */
  worker: number;
  now: number;
  /** The batch rests until then, even with due messages. */
  restUntil?: number;
}

/** A batch with its worker's lease, and the data for sending it. */
export interface Lease {
  campaign: Campaign;
  batch: number;
  epoch: number;
  /** The number under which it was leased; a process that begins anew has another. */
  worker: number;
  firstSeq: number;
  lastSeq: number;
}

/** The rest of a returned batch. */
export type Release =
  | { settled: true }
  /** The next job must carry `epoch`. `dueAt`: the earliest `not_before` of the rest. */
  | { settled: false; epoch: number; dueAt: number };

/** The wanted number of messages, and the limits. Money in millionths, times in milliseconds. */
export interface ClaimRequest {
  batch: number;
  epoch: number;
  worker: number;
  /** The worker's claims are numbered from one. Its wire note holds this number already. */
  claimNumber: number;
  limit: number;
  /** The start of the scan: one after the lease's last claimed seq. `empty` needs a whole scan. */
  fromSeq: number;
  now: number;
  /** The instant at which the send window closes (claims at or after it are refused); null: never. */
  windowClosesAt: number | null;
  /** credit + spent of the batch's balance reading. */
  ceilingMicro: MoneyMicro;
  /** The worker's highest price per segment; null: none. A higher price in the ledger is reserved instead. */
  priceMicro: MoneyMicro | null;
  /** Messages a second of the account over all workers; null: unlimited. */
  accountRate: number | null;
  /** Both rates count segments: a message takes one slot a segment. Left out: messages. */
  bySegment?: boolean;
}

/** The reason why a claim got less than its limit. */
export type ClaimStop =
  | 'lost' // the lease has ended, or the campaign is not running
  | 'window'
  | 'balance' // the ceiling does not cover the next message
  | 'budget' // the budget does not cover it; retryAt null: no message in flight may free some
  | 'rate' // no slot within a second, or before the window closes: claim again at retryAt
  | 'learning' // price unknown and 10 in flight: claim again after an answer
  | 'empty'; // nothing left to claim now

/** Slots for claimed messages that missed their own. */
export interface SlotsRequest {
  campaign: number;
  account: string;
  count: number;
  now: number;
  accountRate: number | null;
}

/** A claim's result: these messages are `sending` on the disk. */
export interface Claim {
  messages: ClaimedMessage[];
  /** The reason why fewer than `limit` came back; null: all came. */
  stop: ClaimStop | null;
  retryAt: number | null;
  /** Left out: neither account nor campaign has a rate, and `slotAt` means nothing. */
  rated?: true;
}

/** A message that this worker alone may send now. */
export interface ClaimedMessage {
  seq: number;
  mobile: string;
  fields: string[];
  segments: number;
  attempt: number;
  /** The number of own tries so far that ended in a retry. */
  tries: number;
  /** The earliest dispatch in wall-clock milliseconds (may have a fraction). */
  slotAt: number;
}

/** The evidence of an answer that was no plain acceptance. */
export interface Evidence {
  httpStatus: number | null;
  code: string | null;
  raw: string | null;
  /** The provider's own words in one line, with covered numbers, at most 200 characters; left out: none. */
  words?: string;
  /** The question about an answer that the profile does not know. Only its mapping decides it, not `to`. */
  question?: AnswerQuestion;
}

/** One try to send one message. */
export interface AttemptRef {
  campaign: number;
  seq: number;
  attempt: number;
}

interface OutcomeBase extends AttemptRef {
  /** Milliseconds from dispatch to verdict; null: never dispatched. */
  sendMs: number | null;
  evidence: Evidence | null;
}

/** The result of one attempt. */
export type Outcome =
  | (OutcomeBase & {
      to: 'sent';
      messageId: string;
      network: string | null;
      costMicro: MoneyMicro | null;
      segments: number;
      flags: string[];
    })
  | (OutcomeBase & { to: 'rejected'; reason: RejectedReason; retryHelps: boolean })
  | (OutcomeBase & { to: 'uncertain'; reason: ReasonOf<'uncertain'> })
  | (OutcomeBase & { to: 'queued'; reason: ReasonOf<'queued'>; notBefore: number; countsAsTry: boolean });

/** A pause that an outcome asks for, with the provider's words about it. */
export interface OrderedPause {
  campaign: number;
  reason: PauseReason;
  words?: string;
}

/** Outcomes that are recorded together. */
export interface OutcomeRecord {
  /** The worker that claimed them. */
  worker: number;
  /** The source: that worker itself, or the reaper from its note. */
  by?: 'worker' | 'reaper';
  now: number;
  outcomes: Outcome[];
  /** Campaigns to pause in the same commit. */
  pauses: OrderedPause[];
}

/** `stale`: the row had moved on (reaped and resolved, or another attempt), so nothing changed. */
export type OutcomeResult = 'recorded' | 'stale';

/** A change of a network that was ill for a campaign. */
export interface NetworkStep {
  /** The campaign's id. */
  id: string;
  network: string;
  /** `probing`: a few messages try it. `paused`: it waits for a person, with its campaign. */
  step: 'held' | 'probing' | 'well' | 'paused';
  /** The reason from delivery reports; null: failures in a row, or the network is not held. */
  why: string | null;
}

/** A change of a campaign's canary: it waits for reports, releases the rest, or pauses for a person. */
export interface CanaryStep {
  /** The campaign's id. */
  id: string;
  step: 'waiting' | 'passed' | 'failed';
  why: string | null;
}

/** A campaign that is planned, as its guards would see it. */
export interface GuardQuery {
  hashes: CampaignHashes;
  rule: GuardRule;
  /** When it would send, milliseconds. */
  at: number;
}
