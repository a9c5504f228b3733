import { Argument } from 'commander';
import { ANSWER_MEANINGS, type AnswerMeaning } from '../../../domain/answer-meaning.ts';
import { TumaError } from '../../../domain/errors.ts';
import { printable } from '../../../domain/text/printable.ts';
import type { AnswerRow } from '../../../ledger/answers.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { answerWords, decisionParts } from '../../../reports/open-answers.ts';
import { whole } from '../../../domain/money.ts';
import type { Call, CommandGroup } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { ledgerOfOld } from '../../launch/begun-ledger.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

const COLUMNS = columnsOf(
  ['answer', 'came', 'wait', 'HTTP', 'code', 'means', 'last', 'words'],
  ['answer', 'came', 'wait', 'HTTP'],
);

/** `tuma answers list / map N MEANING / unmap N` */
export const command: CommandGroup = {
  actions: {
    list: { summary: 'answers that nobody knows, and mapped ones', declare: () => {}, run: list },
    map: {
      summary: 'say once what an answer means',
      declare: (action) =>
        void action
          .argument('<number>', 'an answer, as list numbers it')
          .addArgument(new Argument('<meaning>', 'what it means').choices(ANSWER_MEANINGS)),
      run: map,
    },
    unmap: {
      summary: 'take the meaning of an answer back',
      declare: (action) => void action.argument('<number>', 'an answer, as list numbers it'),
      run: unmap,
    },
  },
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
    return renderTable(COLUMNS, shown, { padded: output.terminal });
  });
  if (answers.some(({ meaning }) => meaning === null))
    output.note(`Say once what an answer means: tuma answers map N ${ANSWER_MEANINGS.join('|')}`);
  return EXIT.done;
}

async function map(context: Context, { args }: Call): Promise<number> {
  const { output, clock, actor } = context;
  const meaning = args[1] as AnswerMeaning;
  const row = await answerRow(context, args[0]);
  const { answer } = row;
  const ledger = await ledgerOfOld(context);
  const decided = (await ledger.mapAnswer({ answer, meaning, now: clock.now(), by: actor })) ?? 0;
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
  const { answer } = await answerRow(context, args[0]);
  const ledger = await ledgerOfOld(context);
  const was = await ledger.unmapAnswer({ answer, now: context.clock.now(), by: context.actor });
  context.output.result({ answer, unmapped: was }, () =>
    was
      ? `Answer ${answer} has no meaning any more. Messages that it decided stay as they are.`
      : `Answer ${answer} had no meaning.`,
  );
  return EXIT.done;
}

/** The answer that list numbers so. Throws `not_found`. */
async function answerRow(context: Context, number: string | undefined): Promise<AnswerRow> {
  const rows = await (await context.reader()).answers();
  const row = rows.find(({ answer }) => String(answer) === number);
  if (row !== undefined) return row;
  throw new TumaError('not_found', {
    message: `There is no answer ${printable(number ?? '')}.`,
    hint: 'tuma answers list numbers them.',
  });
}

/** The state of a message that has such an answer, and whether `tuma retry` helps it. */
function outcomeOf(meaning: AnswerMeaning): [state: string, retryHelps: boolean] {
  if (meaning === 'accepted') return ['sent, their cost not known', false];
  return ['rejected', ['credit', 'sender', 'credentials'].includes(meaning)];
}
