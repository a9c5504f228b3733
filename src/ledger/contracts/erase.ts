import type { StateChange } from './records.ts';

/* The removal of one person's data: a part of both contracts. Counts, costs, states and message ids stay. */

/** What the ledger has of a number, and what stands in the way of its removal. */
export interface PersonTraces {
  /** Messages to it, and those to another number of the same person; without what was removed before. */
  messages: number;
  /** The ids of their campaigns, the newest first. */
  campaigns: string[];
  replies: number;
  /** Sent messages of which no final report has come yet. */
  awaited: number;
  waits: ErasureWaits;
}

/** Whatever of a person must be settled first: messages by state, replies that may be a STOP, and changes under way. */
export interface ErasureWaits {
  queued: number;
  sending: number;
  uncertain: number;
  maybeStops: number;
  /** Campaigns of the person to which corrected contacts, or a firing, are being added at this moment. */
  changing: number;
}

/** What was removed. `shared`: raw webhooks that stay for now, because they hold a report about somebody else, too. */
export interface ErasedCounts {
  messages: number;
  replies: number;
  reports: number;
  webhooks: number;
  shared: number;
}

/** The write part. */
export interface EraseLedger {
  /**
   * Removes the number, keys, fields, evidence, replies and raw webhooks of one person, in steps. Null: something waits,
   * and nothing was changed. After a crash the same order removes the rest. `done` gets the part that is done, up to 1.
   */
  erasePerson(
    order: StateChange & { mobile: string },
    done?: (part: number) => void,
  ): Promise<ErasedCounts | null>;
  /** Removes the rest of orders that were given before an instant and broken off. Returns their number. */
  finishErasures(order: { now: number; before: number }): Promise<number>;
}

/** The read part. */
export interface EraseReader {
  /** What the ledger has of a number (international digits). */
  personTraces(mobile: string): Promise<PersonTraces>;
}
