import type { Campaign, CampaignKind, PauseReason } from '../domain/campaign.ts';
import type { MoneyMicro } from '../domain/money.ts';

/* The shapes of leases, claims and outcomes: the heart of the send protocol. */

/** A batch that can be worked on. `dueAt` in milliseconds. */
export interface DueBatch {
  batch: number;
  epoch: number;
  kind: CampaignKind;
  dueAt: number;
}

/** A worker's wish to hold a batch. Times in milliseconds. */
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
  now: number;
  /** The batch rests until then, whatever is due in it. */
  restUntil?: number;
}

/** A batch that one worker holds, with what it needs to send it. */
export interface Lease {
  campaign: Campaign;
  batch: number;
  epoch: number;
  firstSeq: number;
  lastSeq: number;
}

/** What a batch that is given back still holds. */
export type Release =
  | { settled: true }
  /** `epoch` is what the next job must carry. `dueAt`: the earliest `not_before` of what is left. */
  | { settled: false; epoch: number; dueAt: number };

/** How much a worker asks for, under which limits. Money in millionths, times in milliseconds. */
export interface ClaimRequest {
  batch: number;
  epoch: number;
  worker: number;
  limit: number;
  /** Where to look first: one after the last seq that this lease claimed. The whole batch is looked at before `empty`. */
  fromSeq: number;
  now: number;
  /** The instant at which the send window closes (claims at or after it are refused); null: never. */
  windowClosesAt: number | null;
  /** credit + spent of the reading that this batch leans on. */
  ceilingMicro: MoneyMicro;
  /** Highest price a segment that the worker knows; null: none. Where the ledger knows a higher one, that is held back. */
  priceMicro: MoneyMicro | null;
  /** Messages a second of the account over all workers; null: unlimited. */
  accountRate: number | null;
  /** Both rates count segments: a message takes one slot a segment. Left out: messages. */
  bySegment?: boolean;
}

/** Why a claim got less than it asked for. */
export type ClaimStop =
  | 'lost' // the lease is no longer mine, or the campaign is not running
  | 'window'
  | 'balance' // the next message cannot be paid under the ceiling
  | 'budget' // nor within the campaign's budget; retryAt = while messages of it are under way, else null: it is used up
  | 'rate' // no slot within a second, or none before the window closes: come back at retryAt
  | 'learning' // price unknown and 10 are in flight: come back when one is answered
  | 'empty'; // nothing left to claim now

/** Slots for messages that are claimed already and missed theirs. */
export interface SlotsRequest {
  campaign: number;
  account: string;
  count: number;
  now: number;
  accountRate: number | null;
}

/** What a claim got: these messages are `sending` on the disk. */
export interface Claim {
  messages: ClaimedMessage[];
  /** Why fewer than `limit` came back; null when all did. */
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
  /** Own tries that ended in a retry so far. */
  tries: number;
  /** Not to be dispatched before this wall-clock millisecond (may have a fraction). */
  slotAt: number;
}

/** What was seen on the wire, kept when it was not a plain acceptance. */
export interface Evidence {
  httpStatus: number | null;
  code: string | null;
  raw: string | null;
  /** The words without numbers of an answer that the profile does not know (domain/answer-meaning.ts). Left out: it does. */
  question?: string;
}

/** One try to send one message. */
export interface AttemptRef {
  campaign: number;
  seq: number;
  attempt: number;
}

interface OutcomeBase extends AttemptRef {
  /** Milliseconds from dispatch to verdict; null when it never was dispatched. */
  sendMs: number | null;
  evidence: Evidence | null;
}

/** What became of one attempt. */
export type Outcome =
  | (OutcomeBase & {
      to: 'sent';
      messageId: string;
      network: string | null;
      costMicro: MoneyMicro | null;
      segments: number;
      flags: string[];
    })
  | (OutcomeBase & { to: 'rejected'; reason: string; retryHelps: boolean })
  | (OutcomeBase & { to: 'uncertain'; reason: string })
  | (OutcomeBase & { to: 'queued'; reason: string; notBefore: number; countsAsTry: boolean });

/** Outcomes that are recorded together. */
export interface OutcomeRecord {
  /** The worker that claimed them. */
  worker: number;
  /** Who says so: that worker itself, or the reaper from the note that it left. */
  by?: 'worker' | 'reaper';
  now: number;
  outcomes: Outcome[];
  /** Campaigns to pause in the same commit. */
  pauses: { campaign: number; reason: PauseReason }[];
}

/** `stale`: the row had moved on (reaped and resolved, or another attempt); nothing was changed. */
export type OutcomeResult = 'recorded' | 'stale';

/** What became of a network that was ill for a campaign. */
export interface NetworkStep {
  /** The campaign's id. */
  id: string;
  network: string;
  /** `probing`: a few of its messages go, to see. `paused`: with the campaign, for a person. */
  step: 'held' | 'probing' | 'well' | 'paused';
  /** Why it is held for its delivery reports; null: messages to it failed one after another, or it is not held. */
  why: string | null;
}

/** What became of a campaign's canary: it waits for reports, lets the rest go, or holds it for a person. */
export interface CanaryStep {
  /** The campaign's id. */
  id: string;
  step: 'waiting' | 'passed' | 'failed';
  why: string | null;
}
