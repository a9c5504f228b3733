import type { NewReply } from '../contracts/replies.ts';

/* What a reply's wish counts for, and from when. Times in milliseconds. */

/** The arrival times of a webhook. */
export interface Came {
  /** The last arrival of the same bytes, if they may be a reply. */
  receivedAt: number;
  /** The first arrival. */
  firstAt: number;
}

/** A reply with this identity that is stored already. */
export interface KnownReply {
  webhook: number;
  at: number | null;
  wish: NewReply['wish'];
  voidedAt: number | null;
}

/**
 * True: the reply is new, or it counts again. One that was taken back counts again when another webhook says the same,
 * or, without a time, when the same one came again. One without a clear wish counts again when its words are read better.
 */
export function isNewReply(
  { at, wish }: Pick<NewReply, 'at' | 'wish'>,
  webhook: number,
  known: KnownReply | undefined,
): boolean {
  if (known === undefined) return true;
  if (known.voidedAt !== null) return known.webhook !== webhook || at === null;
  const isVague = known.wish === null || known.wish === 'maybe_stop';
  return known.webhook === webhook && isVague && wish !== null && wish !== known.wish;
}

/**
 * Without a time, a repeated webhook looks like a new STOP. It is stored even for an opted-out number, because a START in
 * between may be read only after it. `isReread`: its webhook was read before and did not come again; `isAsked`: that
 * reading stored a wish of this number.
 */
export function isStopAgain(
  { at, wish }: Pick<NewReply, 'at' | 'wish'>,
  { isReread, isAsked }: { isReread: boolean; isAsked: boolean },
): boolean {
  return wish === 'stop' && at === null && !(isReread && isAsked);
}

/**
 * The time that a reply counts from. It is its first arrival, because a repeated START lets nobody back in. A STOP
 * without a time counts from its last arrival. A START that arrives after a later opt-out counts from its own time.
 */
export function countsFrom(
  { at, wish }: Pick<NewReply, 'at' | 'wish'>,
  { receivedAt, firstAt }: Came,
  cameAfterStop: boolean,
): number {
  if (wish === 'stop') return at === null ? receivedAt : firstAt;
  return at !== null && cameAfterStop ? Math.min(firstAt, at) : firstAt;
}

/** A wish, and what is known of its number. */
export interface TimedWish {
  at: number;
  change: 'added' | 'removed';
  /** Null: a person gave the order. */
  webhook: number | null;
  /** The clock of this process. */
  now: number;
}

/**
 * The time of a wish in the history. A reply counts from its arrival. An order at the keyboard comes after all known
 * events, even with other clocks. So does a STOP when known events lie in the future, because the clock was ahead then.
 * A STOP also comes after a START that was stored before it but names a later time.
 * `latestAt`: of the number's last event; `returnedAt`: of its last START from an earlier webhook; 0: none.
 */
export function timeOf(
  { at, change, webhook, now }: TimedWish,
  { latestAt, returnedAt }: { latestAt: number; returnedAt: number },
): number {
  const isLast = webhook === null || (change === 'added' && latestAt > now);
  const before = change === 'added' ? returnedAt : at;
  return Math.max(at, isLast ? latestAt : before);
}
