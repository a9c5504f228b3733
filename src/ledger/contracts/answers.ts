import type { AnswerGroup, AnswerMeaning } from '../../domain/answer-meaning.ts';
import type { StateChange } from './records.ts';

/* Answers of the provider that the profile does not know, and their meanings: a part of both contracts. */

/** The write part. Every operation is one transaction. */
export interface AnswerLedger {
  /**
   * Gives the answers of a group a meaning, for open uncertain messages and later ones. `accepted` makes them
   * sent at an unknown cost, a class of refusal rejected, and nothing is queued. Returns the number of decided
   * messages; null: no such group, or it has another meaning, which must be taken back first.
   */
  mapAnswer(order: StateChange & { answer: number; meaning: AnswerMeaning }): Promise<number | null>;
  /**
   * Forgets a meaning. Every message that it decided is uncertain again, also one that a retry has queued,
   * unless it was sent since. Returns their number; null: there was no meaning.
   */
  unmapAnswer(order: StateChange & { answer: number }): Promise<number | null>;
  /** Every group with a meaning, for reading later answers. */
  mappedAnswers(): Promise<MappedAnswer[]>;
}

/** The read part. */
export interface AnswerReader {
  /** Every group; groups that block most messages come first. */
  answers(): Promise<AnswerRow[]>;
  /** Groups without a meaning that block messages of one campaign, or (null) of all. */
  openAnswers(campaign: number | null): Promise<OpenAnswer[]>;
  /** What is known about the answers of a group; at most `limit` examples. */
  answerEvidence(query: { answer: number; limit: number }): Promise<AnswerEvidence>;
  /** Rejected messages that a retry leaves out. */
  leftOut(query: LeftOutQuery): Promise<LeftOut>;
  /**
   * Rejected messages that a waiting delivery report contradicts, by campaign: one, or (null) all. The report
   * names the number, and came within 72 h after an attempt.
   */
  contradictions(campaign: number | null): Promise<Contradiction[]>;
  /** The latest webhooks with such reports. */
  contradictingWebhooks(limit: number): Promise<number[]>;
}

/** A group of answers, and the meaning that a person gave it. */
export interface MappedAnswer extends AnswerGroup {
  meaning: AnswerMeaning;
}

/** An undecided group of answers, and its number of waiting uncertain messages. */
export interface OpenAnswer {
  answer: number;
  httpStatus: number | null;
  code: string | null;
  /** What it says, without what varies from message to message; empty: only a code. */
  words: string;
  messages: number;
}

/** A group of answers. Times in milliseconds. */
export interface AnswerRow extends OpenAnswer {
  /** The number of such answers. */
  count: number;
  lastAt: number;
  meaning: AnswerMeaning | null;
  mappedBy: string | null;
  /** One whole answer, cleaned; null: a purge removed all. */
  example: string | null;
}

/** What a person should see before she says what an answer means. */
export interface AnswerEvidence {
  /** Whole answers, different ones, the latest first. */
  examples: string[];
  /** Messages with this answer that a delivery report proved to be sent. */
  provedSent: number;
  /** Open messages whose number a waiting delivery report names. */
  namedByReports: number;
}

/** A retry: of all that it can help (null), or of one reason. Time in milliseconds. */
export interface LeftOutQuery {
  campaign: number;
  reason: string | null;
  /** Rejections by a mapping wait until their answer is older than this. */
  answeredBefore: number;
}

/** The numbers of rejected messages that a retry leaves out. */
export interface LeftOut {
  /** A waiting delivery report names their number. */
  named: number;
  /** A mapping rejected them, and their answer is too young. */
  tooYoung: number;
}

/** The rejected messages of a campaign that delivery reports contradict. Time in milliseconds. */
export interface Contradiction {
  /** The campaign's id. */
  campaign: string;
  messages: number;
  lastAt: number;
}
