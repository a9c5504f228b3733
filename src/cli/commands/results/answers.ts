import { Argument } from 'commander';
import {
  answerNumbered,
  mapAnswer,
  unmapAnswer,
  refuseOtherMeaning,
} from '../../../campaign/operator/map-answer.ts';
import { ANSWER_MEANINGS, type AnswerMeaning, effectOf } from '../../../domain/answer-meaning.ts';
import { TumaError } from '../../../domain/errors.ts';
import { shortened } from '../../../domain/text/printable.ts';
import type { AnswerEvidence, AnswerRow } from '../../../ledger/contracts/answers.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { answerWords, decisionParts } from '../../../reports/open-answers.ts';
import { counted, whole } from '../../../domain/money.ts';
import type { Call, CommandGroup } from '../../command.ts';
import { confirmYes } from '../../terminal/confirm.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { ledgerOfOld } from '../../launch/begun-ledger.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';

const COLUMNS = columnsOf(
  ['answer', 'came', 'wait', 'HTTP', 'code', 'means', 'last', 'words', 'example'],
  ['answer', 'came', 'wait', 'HTTP'],
);

/** The list shows so much of an answer; `map` shows it whole. */
const MOST_EXAMPLE_CHARS = 80;
/** Whole answers that are shown before a person decides. */
const MOST_EXAMPLES = 3;

/** `tuma answers list / map N MEANING / unmap N` */
export const command: CommandGroup = {
  actions: {
    list: { summary: 'answers that nobody knows, and mapped ones', declare: () => {}, run: list },
    map: {
      summary: 'say once what an answer means',
      declare: (action) =>
        void action
          .argument('<number>', 'an answer, as list numbers it')
          .addArgument(new Argument('<meaning>', 'what it means').choices(ANSWER_MEANINGS))
          .option('--yes', 'do not ask'),
      run: map,
    },
    unmap: {
      summary: 'take the meaning of an answer back, and its decisions',
      declare: (action) => void action.argument('<number>', 'an answer, as list numbers it'),
      run: unmap,
    },
  },
};

async function list(context: Context): Promise<number> {
  const { output } = context;
  const rows = await (await context.reader()).answers();
  const answers = decisionParts(rows).map((part, index) => {
    const { count, lastAt, meaning, mappedBy, example: raw } = rows[index] as AnswerRow;
    const words = output.words(part.words);
    const example = raw === null ? null : output.words(raw);
    return { ...part, words, count, last_at: isoTime(lastAt), meaning, mapped_by: mappedBy, example };
  });
  output.result({ answers }, () => {
    if (answers.length === 0) return 'Every answer of the provider is known.';
    const shown = answers.map(
      ({ answer, count, messages, http_status, code, meaning, words, example }, index) => [
        String(answer),
        whole(count),
        whole(messages),
        String(http_status ?? ''),
        code ?? '',
        meaning ?? 'nobody knows',
        shownTime(context, rows[index]?.lastAt ?? 0),
        words,
        shortened(example ?? '', MOST_EXAMPLE_CHARS),
      ],
    );
    return renderTable(COLUMNS, shown, { padded: output.terminal });
  });
  if (answers.some(({ meaning }) => meaning === null))
    output.note(`Say once what an answer means: tuma answers map N ${ANSWER_MEANINGS.join('|')}`);
  return EXIT.done;
}

async function map(context: Context, { args, flags }: Call): Promise<number> {
  const { output, clock, actor, signal } = context;
  const meaning = args[1] as AnswerMeaning;
  const reader = await context.reader();
  const row = await answerNumbered(reader, args[0] ?? '');
  refuseOtherMeaning(row, meaning);
  const { answer } = row;
  const evidence = await reader.answerEvidence({ answer, limit: MOST_EXAMPLES });
  output.note(previewText(context, { row, meaning, evidence }));
  const sure = await confirmYes({
    output,
    signal,
    yes: flags['yes'] === true,
    question: `Does ${wordsOf(context, row)} mean ${meaning}?`,
    hint: 'Add --yes to map without a terminal.',
  });
  if (!sure) throw new TumaError('declined', { message: 'Nothing was decided.' });
  const ledger = await ledgerOfOld(context);
  const messages = await mapAnswer({ ledger, reader, answer, meaning, now: clock.now(), by: actor });
  const { provedSent: proved_sent, namedByReports: named_by_reports } = evidence;
  output.result({ answer, meaning, messages, proved_sent, named_by_reports }, () =>
    doneText(context, { row, meaning, decided: messages }),
  );
  return EXIT.done;
}

interface Mapping {
  row: AnswerRow;
  meaning: AnswerMeaning;
}

/** What the mapping would change, whole examples, and what delivery reports say against it. */
function previewText({ output }: Context, mapping: Mapping & { evidence: AnswerEvidence }): string {
  const { row, meaning, evidence } = mapping;
  const { examples, provedSent, namedByReports } = evidence;
  const open = row.messages === 1 ? '1 message waits' : `${whole(row.messages)} messages wait`;
  const effect = meaning === 'uncertain' ? 'stay uncertain' : `become ${outcomeOf(meaning)[0]}`;
  const lines = [
    `${open} for this decision and would ${effect}; so would every later answer of the group.`,
    ...examples.map((raw) => `  HTTP ${row.httpStatus}: ${output.words(raw)}`),
  ];
  if (provedSent > 0)
    lines.push(`Delivery reports proved ${counted(provedSent, 'message')} with this answer to be sent.`);
  if (namedByReports > 0)
    lines.push(`Waiting delivery reports name the numbers of ${whole(namedByReports)} of them.`);
  return lines.join('\n');
}

function doneText(context: Context, { row, meaning, decided }: Mapping & { decided: number }): string {
  const [word, helps] = outcomeOf(meaning);
  const count = decided === 1 ? '1 message is' : `${whole(decided)} messages are`;
  const done = `${wordsOf(context, row)} means ${meaning}.`;
  if (meaning === 'uncertain') return `${done} Its messages stay uncertain; decide them with: tuma resolve`;
  const help = helps && decided > 0 ? ' Send them again with: tuma retry CAMPAIGN' : '';
  return `${done} ${count} now ${word}.${help}`;
}

function wordsOf({ output }: Context, { httpStatus, code, words }: AnswerRow): string {
  return answerWords({ http_status: httpStatus, code, words: output.words(words) });
}

async function unmap(context: Context, { args }: Call): Promise<number> {
  const reader = await context.reader();
  const { answer } = await answerNumbered(reader, args[0] ?? '');
  const ledger = await ledgerOfOld(context);
  const order = { ledger, reader, answer, now: context.clock.now(), by: context.actor };
  const reopened = await unmapAnswer(order);
  context.output.result({ answer, unmapped: reopened !== null, messages: reopened ?? 0 }, () => {
    if (reopened === null) return `Answer ${answer} had no meaning.`;
    const done = `Answer ${answer} has no meaning any more.`;
    if (reopened === 0) return `${done} It decided no message that is still as it left it.`;
    const count = reopened === 1 ? '1 message is' : `${whole(reopened)} messages are`;
    return `${done} ${count} uncertain again. Messages that were sent since stay as they are.`;
  });
  return EXIT.done;
}

/** The state of a message that has such an answer, and whether `tuma retry` helps it. */
function outcomeOf(meaning: AnswerMeaning): [state: string, retryHelps: boolean] {
  const { becomes, retryHelps } = effectOf(meaning);
  return [becomes === 'sent' ? 'sent, their cost not known' : 'rejected', retryHelps];
}
