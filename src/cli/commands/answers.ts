import { Argument } from 'commander';
import { ANSWER_MEANINGS, type AnswerMeaning } from '../../domain/answer-meaning.ts';
import { TumaError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { printable } from '../../domain/text/printable.ts';
import type { AnswerRow } from '../../ledger/answers.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { answerWords, decisionParts } from '../../reports/open-answers.ts';
import { whole } from '../../domain/money.ts';
import { type Action, oneOf } from '../actions.ts';
import type { Call, CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { ledgerOfOld } from '../launch/begun-ledger.ts';
import { operator } from '../terminal/order.ts';
import { shownTime } from '../text/shown-time.ts';
import { renderTable } from '../text/table.ts';

const ACTIONS: Readonly<Record<string, Action>> = {
  list: { ways: ['list'], run: list },
  map: { ways: ['map N MEANING'], run: map },
  unmap: { ways: ['unmap N'], run: unmap },
};
const LIST_HINT = 'tuma answers list numbers them.';

/** `tuma answers list / map N MEANING / unmap N` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
      .argument('[number]', 'map, unmap: an answer, as list numbers it')
      .argument('[meaning]', `map: ${ANSWER_MEANINGS.join(', ')}`),
  run: oneOf('answers', ACTIONS),
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const rows = await (await context.reader()).answers();
  const answers = decisionParts(rows).map((part, index) => {
    const { count, lastAt, meaning, mappedBy } = rows[index] as AnswerRow;
    const words = output.words(part.words);
    return { ...part, words, count, last_at: isoTime(lastAt), meaning, mapped_by: mappedBy };
  });
  output.result({ answers }, () => {
    if (answers.length === 0) return 'Every answer of the provider is known.';
    const columns = ['answer', 'came', 'wait', 'HTTP', 'code', 'means', 'last', 'words'].map((heading) => {
      return { heading, numeric: ['answer', 'came', 'wait', 'HTTP'].includes(heading) };
    });
    const shown = answers.map(({ answer, count, messages, http_status, code, meaning, words }, index) => [
      String(answer),
      whole(count),
      whole(messages),
      String(http_status ?? ''),
      code ?? '',
      meaning ?? 'nobody knows',
      shownTime(context, rows[index]?.lastAt ?? 0),
      words,
    ]);
    return renderTable(columns, shown, { padded: output.terminal });
  });
  if (answers.some(({ meaning }) => meaning === null))
    output.note(`Say once what an answer means: tuma answers map N ${ANSWER_MEANINGS.join('|')}`);
  return EXIT.done;
}

async function map(context: Context, { args }: Call): Promise<number> {
  const { output, clock } = context;
  const answer = numberOf(args[1], 'map');
  const meaning = meaningOf(args[2]);
  const row = await answerRow(context, answer);
  const ledger = await ledgerOfOld(context);
  const decided = (await ledger.mapAnswer({ answer, meaning, now: clock.now(), by: operator() })) ?? 0;
  const what = answerWords({
    http_status: row.httpStatus,
    code: row.code,
    words: output.words(row.question),
  });
  output.result({ answer, meaning, messages: decided }, () => {
    const [word, helps] = outcomeOf(meaning);
    const count = decided === 1 ? '1 message is' : `${whole(decided)} messages are`;
    const done = `${what} means ${meaning}.`;
    if (meaning === 'uncertain') return `${done} Its messages stay uncertain; decide them with: tuma resolve`;
    return `${done} ${count} now ${word}.${helps && decided > 0 ? ' Send them again with: tuma retry CAMPAIGN' : ''}`;
  });
  return EXIT.done;
}

async function unmap(context: Context, { args }: Call): Promise<number> {
  const answer = numberOf(args[1], 'unmap');
  await answerRow(context, answer);
  const ledger = await ledgerOfOld(context);
  const was = await ledger.unmapAnswer({ answer, now: context.clock.now(), by: operator() });
  context.output.result({ answer, unmapped: was }, () =>
    was
      ? `Answer ${answer} has no meaning any more. Messages that it decided stay as they are.`
      : `Answer ${answer} had no meaning.`,
  );
  return EXIT.done;
}

function numberOf(text: string | undefined, action: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new TumaError('usage', {
    message: text === undefined ? 'Which answer?' : `"${printable(text)}" is no number of an answer.`,
    hint: `It is: tuma answers ${action} N${action === 'map' ? ' MEANING' : ''}. ${LIST_HINT}`,
  });
}

function meaningOf(text: string | undefined): AnswerMeaning {
  if (ANSWER_MEANINGS.includes(text as AnswerMeaning)) return text as AnswerMeaning;
  throw new TumaError('usage', {
    message: text === undefined ? 'What does the answer mean?' : `"${printable(text)}" is no meaning.`,
    hint: `${meantBy(text)}A meaning is one of: ${ANSWER_MEANINGS.join(', ')}.`,
  });
}

function meantBy(text: string | undefined): string {
  const near = text === undefined ? null : didYouMean(text, ANSWER_MEANINGS);
  return near === null ? '' : `Did you mean ${near}? `;
}

/** Throws `not_found` when there is none of this number. */
async function answerRow(context: Context, answer: number): Promise<AnswerRow> {
  const row = (await (await context.reader()).answers()).find((each) => each.answer === answer);
  if (row !== undefined) return row;
  throw new TumaError('not_found', { message: `There is no answer ${answer}.`, hint: LIST_HINT });
}

/** The state of a message that has such an answer, and whether `tuma retry` helps it. */
function outcomeOf(meaning: AnswerMeaning): [state: string, retryHelps: boolean] {
  if (meaning === 'accepted') return ['sent, their cost not known', false];
  return ['rejected', ['credit', 'sender', 'credentials'].includes(meaning)];
}
