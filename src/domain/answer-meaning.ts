/** A person's meanings of an unknown answer: a class of refusal, accepted, or uncertain for good. */
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

/** The key of a group of answers: HTTP status, response code, and words without their numbers. */
export interface AnswerGroup {
  httpStatus: number | null;
  code: string | null;
  question: string;
}

/** A group of answers as one text, for look-ups. */
export function answerGroupKey({ httpStatus, code, question }: AnswerGroup): string {
  return JSON.stringify([httpStatus, code, question]);
}

/** Longer words are cut, so the group is found by their beginning. */
const MOST_CHARS = 200;

/** Words of an answer without their numbers, so that "Balance 12.40" and "Balance 0.80" are one question. */
export function withoutNumbers(words: string): string {
  const plain = words.replace(/\+?[\d*][\d*.,:]*/g, '#').replace(/\s+/g, ' ');
  return plain.trim().slice(0, MOST_CHARS);
}
