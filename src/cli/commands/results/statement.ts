import { styleText } from 'node:util';
import { Option } from 'commander';
import { TumaError } from '../../../domain/errors.ts';
import { localDate } from '../../../domain/time/local-time.ts';
import { accountStatement, type Statement } from '../../../reports/statement.ts';
import { countDays, isDate, MOST_DAYS } from '../../../reports/statement-days.ts';
import { statementTable } from '../../../reports/statement-table.ts';
import { STATEMENT_LISTS, statementRows } from '../../../reports/statement-rows.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { FORCE } from '../../files/out-target.ts';
import { FIGURE_FORMATS, writeFigures } from '../../files/write-figures.ts';

/** `tuma statement --from D --to D [--by campaign,network,day] [--format table,csv,json,xlsx] [--out F]` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .option('--from <day>', 'the first day, as 2026-11-01 (default: the first of that month)')
      .option('--to <day>', 'the last day (default: today)')
      .addOption(
        new Option('--by <list>', 'one list alone, one row each, for a spreadsheet').choices(STATEMENT_LISTS),
      )
      .addOption(new Option('--format <format>', 'how it is written').choices(FIGURE_FORMATS))
      .option('--out <file>', 'write it to a file')
      .option(...FORCE),
  async run(context, { flags }) {
    const { output, config, clock } = context;
    const { zone, currency } = config;
    const today = localDate(clock.now(), zone);
    const to = dayOf(flags['to'], { flag: '--to', otherwise: today });
    const from = dayOf(flags['from'], { flag: '--from', otherwise: `${to.slice(0, 8)}01` });
    refuseOdd(from, to);
    const read = await accountStatement({ reader: await context.reader(), from, to, zone, currency });
    const accounts = read.accounts.map((part) => ({ ...part, account: output.words(part.account) }));
    const statement = { ...read, accounts };
    if (asksForList(flags)) return writeList(context, flags, statement);
    const networks = await context.networkNames();
    output.result(statement, () =>
      statementTable(statement, {
        networks,
        zone,
        width: output.width,
        paint: (style, text) => (output.terminal ? styleText(style, text) : text),
      }),
    );
    return EXIT.done;
  },
};

function asksForList({ by, format, out }: Call['flags']): boolean {
  return by !== undefined || out !== undefined || format === 'csv' || format === 'xlsx';
}

/** One list of the statement. The format is that of the flag, else of the file's ending, else a table. */
async function writeList(context: Context, flags: Call['flags'], statement: Statement): Promise<number> {
  const by = STATEMENT_LISTS.find((list) => list === flags['by']) ?? 'campaign';
  const figures = statementRows(statement, by);
  const title = `Statement ${statement.from} to ${statement.to} by ${by}`;
  await writeFigures(context, flags, { figures, title, sheet: `by ${by}` });
  return EXIT.done;
}

function dayOf(flag: unknown, { flag: where, otherwise }: { flag: string; otherwise: string }): string {
  if (typeof flag !== 'string') return otherwise;
  const day = flag.trim();
  if (isDate(day)) return day;
  throw new TumaError('usage', {
    message: `"${flag}" is no day.`,
    hint: 'Give a day of the calendar as 2026-11-27.',
    where,
  });
}

function refuseOdd(from: string, to: string): void {
  const days = countDays(from, to);
  if (days >= 1 && days <= MOST_DAYS) return;
  throw new TumaError('usage', {
    message: days < 1 ? `${to} is before ${from}.` : `${from} to ${to} is more than ten years.`,
    hint: 'Give the first day with --from and the last one with --to.',
    where: '--from',
  });
}
