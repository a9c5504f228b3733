import type { AnswerMeaning } from '../../domain/answer-meaning.ts';
import type { Basis, MessageState } from '../../domain/message.ts';
import { plainId } from '../../domain/message-id.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { AttemptRef, Outcome } from '../contracts/sending.ts';
import type { Entry, MessageMoney, SeenPrices } from './money.ts';

/*
 * What follows from a verdict, decided from the row before it. Nothing here reads or writes the ledger: outcomes.ts
 * loads the rows of many messages, and writes what was decided.
 */

/** A message before its verdict, as this transaction reads it. Only the row of the same attempt and worker counts. */
export interface Before extends MessageMoney {
  state: MessageState;
  basis: Basis | null;
  messageId: string | null;
  segments: number;
}

/** Who says the verdict: the worker itself, or the reaper from its note. */
export type Source = 'worker' | 'reaper';

type Sent = Extract<Outcome, { to: 'sent' }>;
type Rejected = Extract<Outcome, { to: 'rejected' }>;
type Uncertain = Extract<Outcome, { to: 'uncertain' }>;
type Queued = Extract<Outcome, { to: 'queued' }>;
type NotSent = Rejected | Uncertain | Queued;

/** A message that is sent. `counted`: what its campaign counts for it. */
export interface SentChange {
  outcome: Sent;
  before: Before;
  counted: MoneyMicro;
}

/** A message that is queued again. */
export interface QueuedChange {
  outcome: Queued;
  /** Its campaign is canceled, so it will not be sent. */
  isCanceled: boolean;
}

/** An uncertain message whose answer a person has mapped to a meaning. */
export interface MappedChange {
  message: AttemptRef & MessageMoney;
  meaning: Exclude<AnswerMeaning, 'uncertain'>;
  entry: Entry;
}

/** What is decided about the messages of one round, by what becomes of them. */
export interface VerdictChanges {
  sent: SentChange[];
  rejected: Rejected[];
  uncertain: Uncertain[];
  /** They stand in `uncertain`, too. */
  mapped: MappedChange[];
  queued: QueuedChange[];
}

/** Changes, none so far. */
export function noChanges(): VerdictChanges {
  return { sent: [], rejected: [], uncertain: [], mapped: [], queued: [] };
}

/** What a decision looks at, beside the verdict itself. */
export interface VerdictFacts {
  before: Before;
  /** A person's meaning of the answer; null: none, or the profile knows the answer. */
  meaning: AnswerMeaning | null;
  entry: Entry;
}

/** A record has rounds of messages, because a repeated verdict must meet what the first one left. */
export function messageOf({ campaign, seq }: Outcome): readonly [string] {
  return [`${campaign} ${seq}`];
}

/**
 * A `sending` attempt takes any verdict. A late answer also decides an uncertain one. It also completes a
 * message that a report or a person called sent, unless that report named another messageid.
 */
export function mayFollow({ state, basis, messageId }: Before, outcome: Outcome, by: Source): boolean {
  if (state === 'sending') return true;
  if (by === 'reaper' || outcome.to !== 'sent') return false;
  if (state === 'uncertain') return true;
  const isSame = messageId === null || plainId(messageId) === plainId(outcome.messageId);
  return state === 'sent' && basis !== 'answer' && isSame;
}

/** Decides one verdict that may follow: adds to the changes, and to the money of its campaign. */
export function decideVerdict(
  { changes, prices }: { changes: VerdictChanges; prices: SeenPrices },
  told: Outcome,
  facts: VerdictFacts,
): void {
  const { before, entry } = facts;
  if (told.to === 'sent') {
    changes.sent.push(decideSent(told, facts, prices));
    return;
  }
  const outcome = withoutMapping(told);
  switch (outcome.to) {
    case 'rejected':
      count(entry, before, 0).reserved -= before.reserved;
      changes.rejected.push(outcome);
      break;
    case 'uncertain':
      decideUncertain(changes, outcome, facts);
      break;
    case 'queued':
      count(entry, before, 0).reserved -= before.reserved;
      changes.queued.push({ outcome, isCanceled: entry.state === 'canceled' });
  }
}

/** Sets the campaign's spent money for the message to `amount`, and takes the message out of flight. */
function count(entry: Entry, { state, reserved, counted }: Before, amount: MoneyMicro): Entry {
  entry.campaignSpent += amount - counted;
  if (state !== 'sending') return entry;
  entry.inFlight -= 1;
  entry.campaignReserved -= reserved;
  return entry;
}

function decideSent(outcome: Sent, { before, entry }: VerdictFacts, prices: SeenPrices): SentChange {
  const { network, costMicro, segments } = outcome;
  const { state, reserved } = before;
  const counted = costMicro ?? (state === 'sending' ? reserved : before.counted);
  count(entry, before, counted).reserved -= reserved;
  if (costMicro === null) {
    // No reading has seen this reservation so far, so the unknown cost stays subtracted.
    entry.assumed += reserved;
  } else {
    entry.spent += costMicro;
    prices.see({ account: entry.account, network, segments, costMicro });
  }
  return { outcome, before, counted };
}

/**
 * The reservation stays on the account until a reading shows whether it was charged. A person may have
 * decided the meaning of such an answer already.
 */
function decideUncertain(
  changes: VerdictChanges,
  outcome: Uncertain,
  { before, entry, meaning }: VerdictFacts,
): void {
  const { campaign, seq, attempt } = outcome;
  const { reserved } = before;
  count(entry, before, reserved);
  changes.uncertain.push(outcome);
  if (meaning === null || meaning === 'uncertain') return;
  changes.mapped.push({ message: { campaign, seq, attempt, reserved, counted: reserved }, meaning, entry });
}

/**
 * A worker reads the mappings of unknown answers every few seconds, so its outcome may follow from an old one.
 * Such an answer is uncertain, and then only the present mapping in the ledger decides it.
 */
function withoutMapping(outcome: NotSent): NotSent {
  if (outcome.evidence?.question === undefined || outcome.to === 'uncertain') return outcome;
  const { campaign, seq, attempt, sendMs, evidence } = outcome;
  return { campaign, seq, attempt, sendMs, evidence, to: 'uncertain', reason: 'unlisted code' };
}
