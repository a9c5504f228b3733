import type { ReasonOf } from '../../domain/message-reason.ts';
import type { ClaimStop } from '../contracts/sending.ts';
import type { Reservation } from './affordable.ts';
import type { GuardDecision, GuardFacts } from './guards.ts';

/*
 * Which messages a claim takes, decided page by page. Nothing is read or written here: claim.ts loads the pages with
 * what is known of their numbers, and writes what was decided at the end.
 */

/** The most held messages of one claim, because each costs a look-up and a write. */
const MOST_HELD_A_CLAIM = 1_000;

/** A message that waits, in the order of the statement's columns. `fields` is JSON. */
export type WaitingRow = [
  seq: number,
  mobile: string,
  fields: string,
  segments: number,
  attempt: number,
  tries: number,
  textHash: number | null,
];

/** A network that the campaign holds. */
export interface ClaimHold {
  network: string;
  /** The number of messages that may still try it. */
  places: number;
  /** The messages that try it. */
  probes: number[];
}

/** What is known of the messages of a page, in its order. Null: nothing can keep them back in this way. */
export interface PageFacts {
  /** Empty: nobody asks. */
  optedOut: readonly boolean[];
  guarded: readonly GuardFacts[] | null;
  /** The networks of the numbers; null among them: not known. */
  networks: readonly (string | null)[] | null;
}

/** The limits of a claim. */
export interface SelectionLimits {
  messages: number;
  /** The free slots within the next second. */
  slots: number;
  /** A message takes one slot per segment. */
  bySegment: boolean;
  reservation: Reservation;
  /** Null: no guard. */
  guard: GuardDecision | null;
  /** By network; empty: no network is held. */
  holds: ReadonlyMap<string, ClaimHold>;
}

/** What one claim takes, skips and holds. */
export class Selection {
  readonly rows: WaitingRow[] = [];
  readonly skipped: { seq: number; reason: ReasonOf<'skipped'> }[] = [];
  readonly held: { seq: number; network: string }[] = [];
  /** The holds that got another probe. */
  readonly tried = new Set<ClaimHold>();
  slotsTaken = 0;
  /** Why the last page ended early; null: it did not. */
  stop: ClaimStop | null = null;
  readonly #limits: SelectionLimits;

  constructor(limits: SelectionLimits) {
    this.#limits = limits;
  }

  /** The number of messages that may still be taken, if each needs one slot. */
  get room(): number {
    const { slots, messages } = this.#limits;
    if (this.stop !== null || this.held.length >= MOST_HELD_A_CLAIM) return 0;
    return Math.min(slots - this.slotsTaken, messages - this.rows.length);
  }

  /** Opted-out and guarded messages are skipped; the first message without money ends the claim. */
  take(page: readonly WaitingRow[], facts: PageFacts): void {
    for (const [index, row] of page.entries()) {
      if (this.room <= 0) return;
      const [seq] = row;
      const reason = this.#skipReason(row, facts, index);
      const hold = this.#holdOf(facts.networks?.[index] ?? null);
      if (reason !== null) this.skipped.push({ seq, reason });
      else if (hold !== undefined && hold.places <= 0) this.held.push({ seq, network: hold.network });
      else this.#choose(row, hold);
    }
  }

  #skipReason([, mobile]: WaitingRow, { optedOut, guarded }: PageFacts, index: number) {
    if (optedOut[index] === true) return 'opted out';
    const known = guarded?.[index];
    return known === undefined ? null : (this.#limits.guard?.reason(mobile, known) ?? null);
  }

  #holdOf(network: string | null): ClaimHold | undefined {
    return network === null ? undefined : this.#limits.holds.get(network);
  }

  #choose(row: WaitingRow, hold: ClaimHold | undefined): void {
    const { reservation, guard, bySegment } = this.#limits;
    const [seq, mobile, , segments] = row;
    this.stop = reservation.add(segments);
    if (this.stop !== null) return;
    this.rows.push(row);
    this.slotsTaken += bySegment ? segments : 1;
    guard?.choose(mobile);
    if (hold === undefined) return;
    hold.places -= 1;
    // One that was put back and claimed again is among them already.
    if (!hold.probes.includes(seq)) hold.probes.push(seq);
    this.tried.add(hold);
  }
}
