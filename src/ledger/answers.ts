import type { AnswerGroup, AnswerMeaning } from '../domain/answer-meaning.ts';
import type { StateChange } from './records.ts';

/* Answers of the provider that the profile does not know, and their meanings: a part of both contracts. */

/** The write part. Every operation is one transaction. */
export interface AnswerLedger {
  /**
   * Gives the answers of a group a meaning, for open uncertain messages and later ones. `accepted` makes them
   * sent at an unknown cost, a class of refusal rejected. Returns the number of decided messages; null: no
   * such group.
   */
  mapAnswer(order: StateChange & { answer: number; meaning: AnswerMeaning }): Promise<number | null>;
  /** Forgets a meaning for later answers. Decided messages stay decided. False: there was no meaning. */
  unmapAnswer(order: StateChange & { answer: number }): Promise<boolean>;
  /** Every group with a meaning, for reading later answers. */
  mappedAnswers(): Promise<MappedAnswer[]>;
}

/** The read part. */
export interface AnswerReader {
  /** Every group; groups that block most messages come first. */
  answers(): Promise<AnswerRow[]>;
  /** Groups without a meaning that block messages of one campaign, or (null) of all. */
  openAnswers(campaign: number | null): Promise<OpenAnswer[]>;
}

/** A group of answers, and the meaning that a person gave it. */
export interface MappedAnswer extends AnswerGroup {
  meaning: AnswerMeaning;
}

/** An undecided group of answers, and its number of waiting uncertain messages. */
export interface OpenAnswer extends AnswerGroup {
  answer: number;
  messages: number;
}

/** A group of answers. Times in milliseconds. */
export interface AnswerRow extends OpenAnswer {
  /** The number of such answers. */
  count: number;
  lastAt: number;
  meaning: AnswerMeaning | null;
  mappedBy: string | null;
}
