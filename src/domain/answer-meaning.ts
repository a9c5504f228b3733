/** What a person can say that an unknown answer of the provider means: a class of refusal, accepted, or never to be known. */
export const ANSWER_MEANINGS = [
  'credit',
  'sender',
  'credentials',
  'contact',
  'network',
  'opted_out',
  'accepted',
  'uncertain',
] as const;

/** One of `ANSWER_MEANINGS`. */
export type AnswerMeaning = (typeof ANSWER_MEANINGS)[number];

/** What answers are grouped by: HTTP status, response code, and words without their numbers. */
export interface AnswerGroup {
  httpStatus: number | null;
  code: string | null;
  question: string;
}

/** A group of answers as one text, to look it up. */
export function answerGroupKey({ httpStatus, code, question }: AnswerGroup): string {
  return JSON.stringify([httpStatus, code, question]);
}

/** Words longer than this are cut: the group is found by their beginning. */
const MOST_CHARS = 200;

/** Words of an answer without their numbers, so that "Balance 12.40" and "Balance 0.80" are one question. */
export function withoutNumbers(words: string): string {
  const plain = words.replace(/\+?[\d*][\d*.,:]*/g, '#').replace(/\s+/g, ' ');
  return plain.trim().slice(0, MOST_CHARS);
}
