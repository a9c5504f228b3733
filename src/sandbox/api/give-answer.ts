import type { AnswerName } from './answers.ts';
import { brokenAnswers } from '../faults/broken-answers.ts';
import { httpAnswers } from './http-answers.ts';
import type { AnswerFor } from './http-answers.ts';

const WRITERS: Record<AnswerName, (reply: AnswerFor) => void> = { ...httpAnswers, ...brokenAnswers };

/** Writes an answer by its name. What became of the message has been decided and recorded before. */
export function giveAnswer(reply: AnswerFor): void {
  if (reply.response.destroyed) return;
  WRITERS[reply.answer.name](reply);
}
