import type { GuardReason } from '../../domain/message-reason.ts';

/** What the ledger knows of a message's number, for the guards of a claim. */
export interface GuardFacts {
  /** Another campaign sent it the same text within the span. */
  gotSameText: boolean;
  /** How many messages it got within the span of the cap. */
  got: number;
}

/** Decides whether numbers got the same text, or enough messages. Messages that are chosen count as sent. */
export class GuardDecision {
  /** Null: there is no cap. */
  readonly #most: number | null;
  readonly #chosen = new Map<string, number>();

  constructor(most: number | null) {
    this.#most = most;
  }

  /** The reason to skip a message to the number; null: none. */
  reason(mobile: string, { gotSameText, got }: GuardFacts): GuardReason | null {
    if (gotSameText) return 'same text recently';
    const isOver = this.#most !== null && got + (this.#chosen.get(mobile) ?? 0) >= this.#most;
    return isOver ? 'frequency cap' : null;
  }

  /** Counts a message that will be sent. */
  choose(mobile: string): void {
    if (this.#most !== null) this.#chosen.set(mobile, (this.#chosen.get(mobile) ?? 0) + 1);
  }
}
