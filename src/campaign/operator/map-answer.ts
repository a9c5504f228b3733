import type { AnswerMeaning } from '../../domain/answer-meaning.ts';
import { TumaError } from '../../domain/errors.ts';
import { printable } from '../../domain/text/printable.ts';
import type { AnswerReader, AnswerRow } from '../../ledger/contracts/answers.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';

/** A person's order about a group of answers. */
export interface AnswerOrder {
  ledger: Ledger;
  reader: Pick<AnswerReader, 'answers'>;
  /** As the list numbers it. */
  answer: number;
  now: number;
  by: string;
}

/** The group that the list numbers so. Throws `not_found`. */
export async function answerNumbered(
  reader: Pick<AnswerReader, 'answers'>,
  number: string,
): Promise<AnswerRow> {
  const row = (await reader.answers()).find(({ answer }) => String(answer) === number);
  if (row !== undefined) return row;
  throw new TumaError('not_found', {
    message: `There is no answer ${printable(number)}.`,
    advice: { action: 'list_answers' },
  });
}

/** Throws `state_forbids`: the decisions of the old meaning would stay, and a retry would send by them. */
export function refuseOtherMeaning(row: AnswerRow, meaning: AnswerMeaning): void {
  if (row.meaning !== null && row.meaning !== meaning) throw otherMeaning(row);
}

/**
 * Gives a group its meaning, and decides what waits for it. Returns the number of messages. Throws `state_forbids`, and
 * `approval_needed` as every order that may send more than was approved.
 */
export async function mapAnswer(order: AnswerOrder & { meaning: AnswerMeaning }): Promise<number> {
  const { ledger, reader, answer, meaning, now, by } = order;
  refuseOtherMeaning(await answerNumbered(reader, String(answer)), meaning);
  const messages = await ledger.mapAnswer({ answer, meaning, now, by });
  // Somebody else was faster.
  if (messages === null) throw otherMeaning(await answerNumbered(reader, String(answer)));
  return messages;
}

/**
 * Takes the meaning of a group back, with what it decided. Returns how many messages are uncertain again; null: it had no
 * meaning. Throws `not_found`.
 */
export async function unmapAnswer({ ledger, reader, answer, now, by }: AnswerOrder): Promise<number | null> {
  await answerNumbered(reader, String(answer));
  return ledger.unmapAnswer({ answer, now, by });
}

function otherMeaning({ answer, meaning }: AnswerRow): TumaError {
  return new TumaError('state_forbids', {
    message: `Answer ${answer} means ${meaning}.`,
    advice: { action: 'unmap_answer', answer },
  });
}
