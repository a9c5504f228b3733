import { styleText } from 'node:util';
import { Option } from 'commander';
import { TumaError } from '../../../domain/errors.ts';
import { accountStatement, type Statement } from '../../../reports/statement.ts';
import { statementSpan } from '../../../reports/statement-span.ts';
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
    const { output, config } = context;
    const { zone, currency } = config;
    const { from, to } = spanOf(flags, context);
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

/** Throws `usage` for days that are none, or too many. */
function spanOf(flags: Call['flags'], { config, clock }: Context): { from: string; to: string } {
  const given = (flag: unknown) => (typeof flag === 'string' ? flag : undefined);
  const asked = { from: given(flags['from']), to: given(flags['to']) };
  const span = statementSpan(asked, { now: clock.now(), zone: config.zone });
  if (!('wrong' in span)) return span;
  const { wrong, why, from, to } = span;
  if (why === 'no day')
    throw new TumaError('usage', {
      message: `"${asked[wrong] ?? ''}" is no day.`,
      hint: 'Give a day of the calendar as 2026-11-27.',
      where: `--${wrong}`,
    });
  throw new TumaError('usage', {
    message: why === 'backwards' ? `${to} is before ${from}.` : `${from} to ${to} is more than ten years.`,
    hint: 'Give the first day with --from and the last one with --to.',
    where: '--from',
  });
}
