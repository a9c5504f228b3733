import { importOptOuts } from '../../../campaign/operator/import-opt-outs.ts';
import { letBack, optOutByHand } from '../../../campaign/operator/opt-outs-by-hand.ts';
import type { OptOutRow } from '../../../ledger/contracts/replies.ts';
import type { LedgerReader } from '../../../ledger/contracts/reader.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { numberStanding } from '../../../reports/number-standing.ts';
import { OPT_OUT_COLUMNS, OPT_OUT_TIMES, optOutCells } from '../../../reports/opt-out-rows.ts';
import { counted, whole } from '../../../domain/money.ts';
import { printable } from '../../../domain/text/printable.ts';
import { contactsPlace } from '../../launch/ask-launch.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../../launch/begun-ledger.ts';
import type { Call, CommandGroup } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { writeRows } from '../../files/out-file.ts';
import { FORCE, outFlag } from '../../files/out-target.ts';
import { shownTime } from '../../text/shown-time.ts';
import { columnsOf, renderTable } from '../../text/table.ts';
import { mobileArgument } from '../../arguments/parse-argument.ts';

const MOST_SHOWN = 200;
/** Not the name of a plan's rejects, because these people are not opted out yet. */
const REJECTS = './optouts-rejects.csv';

/** `tuma optouts list [NUMBER] / add NUMBER / remove NUMBER / import FILE / export --out F` */
export const command: CommandGroup = {
  // Nobody must read that it is done for one sender when it is done for all.
  refuses: ['--sender'],
  actions: {
    list: {
      summary: 'who has opted out, or one number and its history',
      declare: (action) => void action.argument('[number]', 'only this number'),
      run: list,
    },
    add: {
      summary: 'write no more promotional messages to a number',
      declare: (action) => void action.argument('<number>', 'a mobile'),
      run: add,
    },
    remove: {
      summary: 'take back all opt-outs of a number, of every sender',
      declare: (action) => void action.argument('<number>', 'a mobile'),
      run: remove,
    },
    import: {
      summary: 'opt out every number of a CSV file or a workbook (.xlsx)',
      declare: (action) =>
        void action.argument(
          '<file>',
          `CSV or .xlsx; rows without a number go to ${REJECTS} (of a workbook .xlsx)`,
        ),
      run: importFile,
    },
    export: {
      summary: 'write all of them to a CSV file',
      declare: (action) =>
        void action
          .requiredOption('--out <file>', 'the CSV; it holds full numbers and only you can read it')
          .option(...FORCE),
      run: exportFile,
    },
  },
};

async function list(context: Context, { args }: Call): Promise<number> {
  const { output } = context;
  const reader = await context.reader();
  if (args[0] !== undefined)
    return showOne(context, { reader, mobile: mobileArgument(args[0], context.config) });
  const rows = await reader.optOuts({ after: null, limit: MOST_SHOWN + 1 });
  const shown = rows.slice(0, MOST_SHOWN);
  const more = rows.length > shown.length;
  output.result({ opt_outs: shown.map((row) => document(context, row)), more }, () =>
    shown.length === 0 ? 'Nobody has opted out, and no number counts as dead.' : table(context, shown),
  );
  if (more) output.note(`The first ${MOST_SHOWN} are shown; tuma optouts export --out FILE writes all.`);
  return EXIT.done;
}

/** One number: what holds, and how it came to that. */
async function showOne(
  context: Context,
  { reader, mobile }: { reader: LedgerReader; mobile: string },
): Promise<number> {
  const { output } = context;
  const { optOuts: rows, history: events } = await numberStanding(reader, mobile);
  const history = events.map(({ evidence, ...event }) => ({
    ...event,
    evidence: shownEvidence(context, evidence),
  }));
  const told = history.map((event) => ({ ...event, at: isoTime(event.at) }));
  output.result({ opt_outs: rows.map((row) => document(context, row)), history: told }, () => {
    const state = rows.length === 0 ? `${output.number(mobile)} may be written to.` : table(context, rows);
    if (history.length === 0) return state;
    const columns = columnsOf(['at', 'change', 'sender', 'source', 'by', 'evidence']);
    const lines = history.map(({ at, change, sender, source, by, evidence }) => [
      shownTime(context, at),
      change,
      sender || 'all',
      source,
      by,
      evidence ?? '',
    ]);
    return `${state}\n\n${renderTable(columns, lines, { padded: output.terminal })}`;
  });
  return EXIT.done;
}

async function add(context: Context, { args }: Call): Promise<number> {
  const { clock, output, actor } = context;
  const mobile = mobileArgument(args[0], context.config);
  const ledger = await ledgerMaybeNew(context);
  const added = await optOutByHand({ ledger, clock }, { mobiles: [mobile], by: actor, reason: null });
  output.result({ mobile: output.number(mobile), added }, () =>
    added === 0
      ? `${output.number(mobile)} had opted out already.`
      : `${output.number(mobile)} gets no more promotional messages.`,
  );
  return EXIT.done;
}

async function remove(context: Context, { args }: Call): Promise<number> {
  const { clock, output, actor } = context;
  const mobile = mobileArgument(args[0], context.config);
  const ledger = await ledgerOfOld(context);
  const removed = await letBack({ ledger, clock }, { mobiles: [mobile], by: actor, reason: null });
  output.result({ mobile: output.number(mobile), removed }, () =>
    removed === 0
      ? `${output.number(mobile)} had not opted out.`
      : `${output.number(mobile)} may be written to again.`,
  );
  return EXIT.done;
}

async function importFile(context: Context, { args: [path = ''] }: Call): Promise<number> {
  const { clock, config, output, actor } = context;
  const ledger = await ledgerMaybeNew(context);
  const { rejects, sheet, ...counts } = await importOptOuts(
    { ledger, clock },
    {
      path,
      copies: contactsPlace(context),
      rejectsPlace: {
        path: REJECTS,
        ifTaken: 'number',
        noteUnfinished: (file) => context.temporary.noteUnfinished(file),
      },
      country: config.country,
      by: actor,
    },
  );
  output.result({ ...counts, rejects: rejects?.path ?? null }, () => {
    const { read, added, known, dead, invalid } = counts;
    const parts = [
      `${whole(added)} opted out now`,
      `${whole(known)} already`,
      ...(dead === 0 ? [] : [`${whole(dead)} dead numbers left out`]),
    ];
    return `${counted(read, 'row')}: ${parts.join(', ')}, ${whole(invalid)} could not be read.`;
  });
  if (sheet !== null && sheet.of > 1)
    output.note(
      `Only the sheet "${printable(sheet.name)}" was read, ${sheet.position} of ${sheet.of}: save each other one as a file, and import it, too.`,
    );
  if (rejects !== null)
    output.note(
      `${rejects.path} holds the rows that could not be read, with their reasons: nobody in them is opted out.`,
    );
  return EXIT.done;
}

async function exportFile(context: Context, { flags }: Call): Promise<number> {
  const { output, config } = context;
  const file = outFlag(flags, config) ?? '';
  const reader = await context.reader();
  const read = (after: OptOutRow | null, limit: number) => reader.optOuts({ after, limit });
  const { zone } = config;
  const count = await writeRows(file, {
    header: OPT_OUT_COLUMNS,
    read,
    cells: optOutCells,
    times: OPT_OUT_TIMES,
    zone,
    writing: context,
  });
  output.result({ file, rows: count }, () => `${counted(count, 'row')} in ${file}`);
  return EXIT.done;
}

function document(context: Context, { mobile, kind, sender, source, at, evidence }: OptOutRow) {
  return {
    mobile: context.output.number(mobile),
    kind,
    sender: sender || null,
    source,
    since: isoTime(at),
    evidence: shownEvidence(context, evidence),
  };
}

/** A reply goes to a number, too: `replied "STOP" to 254712345678`. */
function shownEvidence({ output }: Context, evidence: string | null): string | null {
  return evidence === null ? null : output.words(evidence);
}

function table(context: Context, rows: OptOutRow[]): string {
  const { output } = context;
  return renderTable(
    columnsOf(['mobile', 'why', 'sender', 'source', 'since', 'evidence']),
    rows.map((row) => [
      output.number(row.mobile),
      row.kind,
      row.sender || 'all',
      row.source,
      shownTime(context, row.at),
      shownEvidence(context, row.evidence) ?? '',
    ]),
    { padded: output.terminal },
  );
}
