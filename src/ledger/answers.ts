import type { AnswerGroup, AnswerMeaning } from '../domain/answer-meaning.ts';
import type { StateChange } from './records.ts';

/* Answers of the provider that the profile does not know, and what a person says they mean: a part of both contracts. */

/** The write part. Every operation is one transaction. */
export interface AnswerLedger {
  /**
   * Says what the answers of a group mean, for open uncertain messages and later ones: `accepted` makes them sent at an
   * unknown cost, a class of refusal rejected. Returns how many were decided; null: there is no such group.
   */
  mapAnswer(order: StateChange & { answer: number; meaning: AnswerMeaning }): Promise<number | null>;
  /** Forgets the meaning for later answers. Decided messages stay decided. False: there was no meaning to forget. */
  unmapAnswer(order: StateChange & { answer: number }): Promise<boolean>;
  /** Every group that has a meaning, to read later answers by. */
  mappedAnswers(): Promise<MappedAnswer[]>;
}

/** The read part. */
export interface AnswerReader {
  /** Every group, those that hold up most messages first. */
  answers(): Promise<AnswerRow[]>;
  /** Groups without a meaning that hold up messages, of one campaign or (null) of all. */
  openAnswers(campaign: number | null): Promise<OpenAnswer[]>;
}

/** A group of answers and what a person said it means. */
export interface MappedAnswer extends AnswerGroup {
  meaning: AnswerMeaning;
}

/** A group of answers that nobody has decided, and how many uncertain messages wait for it. */
export interface OpenAnswer extends AnswerGroup {
  answer: number;
  messages: number;
}

/** A group of answers. Times in milliseconds. */
export interface AnswerRow extends OpenAnswer {
  /** How often such an answer came. */
  count: number;
  lastAt: number;
  meaning: AnswerMeaning | null;
  mappedBy: string | null;
}
