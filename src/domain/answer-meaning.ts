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

/** The question that an unknown answer puts to a person. */
export interface AnswerQuestion {
  /** The key of the whole content, without what varies from message to message. */
  content: string;
  /** The same content for people, at most 200 characters of it. */
  words: string;
}

/** The key of a group of answers: HTTP status and content. */
export interface AnswerGroup {
  httpStatus: number | null;
  content: string;
}

/** A group of answers as one text, for look-ups. */
export function answerGroupKey({ httpStatus, content }: AnswerGroup): string {
  return `${httpStatus} ${content}`;
}

/** What a meaning makes of a message that has such an answer, and whether a retry helps it then. */
export function effectOf(meaning: AnswerMeaning): {
  becomes: 'sent' | 'rejected' | 'uncertain';
  retryHelps: boolean;
} {
  if (meaning === 'accepted') return { becomes: 'sent', retryHelps: false };
  if (meaning === 'uncertain') return { becomes: 'uncertain', retryHelps: false };
  return { becomes: 'rejected', retryHelps: ['credit', 'sender', 'credentials'].includes(meaning) };
}
