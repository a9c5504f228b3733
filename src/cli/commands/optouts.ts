import { Argument } from 'commander';
import { importOptOuts } from '../../campaign/operator/import-opt-outs.ts';
import { TumaError } from '../../domain/errors.ts';
import type { OptOutRow } from '../../ledger/replies.ts';
import type { LedgerReader } from '../../ledger/reader.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { csvLine } from '../../reports/csv-line.ts';
import { counted, whole } from '../../domain/money.ts';
import { type Action, oneOf } from '../actions.ts';
import { ledgerMaybeNew, ledgerOfOld } from '../launch/begun-ledger.ts';
import type { Call, CommandModule } from '../command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit.ts';
import { operator } from '../terminal/order.ts';
import { writeOutFile } from '../files/out-file.ts';
import { FORCE, FORCE_REJECTS, outFlag, rejectsFlag } from '../files/out-target.ts';
import { OPT_OUT_COLUMNS, OWN_FILES } from '../files/own-files.ts';
import { shownTime } from '../text/shown-time.ts';
import { renderTable } from '../text/table.ts';
import { mobileArgument, senderFlag } from '../arguments/parse-argument.ts';

const MOST_SHOWN = 200;
const PAGE = 2_000;
/** No name of a plan's rejects: these people are not opted out yet. */
const DEFAULT_REJECTS = './optouts-rejects.csv';
const ACTIONS: Readonly<Record<string, Action>> = {
  list: { ways: ['list [NUMBER]'], run: list },
  add: { ways: ['add NUMBER [--sender NAME] [--reason TEXT]'], run: add },
  remove: {
    ways: ['remove NUMBER'],
    beside: 'It takes back all opt-outs of the number, of every sender, what the person asked for included.',
    run: remove,
  },
  import: { ways: ['import FILE [--sender NAME] [--rejects FILE] [--force]'], run: importFile },
  export: { ways: ['export --out FILE [--force]'], run: exportFile },
};

/** `tuma optouts list [NUMBER] / add NUMBER / remove NUMBER / import FILE / export --out F` */
export const command: CommandModule = {
  declare: (command) =>
    void command
      .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
      .argument('[what]', 'a number (list, add, remove) or a CSV file (import)')
      .option('--sender <name>', 'add, import: only messages of this sender; left out: all promotional ones')
      .option('--reason <text>', 'add: why, for the history')
      .option('--rejects <file>', `import: where rows without a number go (default: ${DEFAULT_REJECTS})`)
      .option('--out <file>', 'export: the CSV; it holds full numbers and only you can read it')
      .option('--force', `${FORCE[1]}; ${FORCE_REJECTS[1]}`),
  run: oneOf('optouts', ACTIONS),
};

async function list(context: Context, { args }: Call): Promise<number> {
  const { output } = context;
  const reader = await context.reader();
  if (args[1] !== undefined)
    return showOne(context, { reader, mobile: mobileArgument(args[1], context.config) });
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
  const near = await reader.optOuts({ after: justBefore(mobile), limit: MOST_SHOWN });
  const rows = near.filter((row) => row.mobile === mobile);
  const history = (await reader.optOutHistory(mobile)).map(({ evidence, ...event }) => ({
    ...event,
    evidence: shownEvidence(context, evidence),
  }));
  const told = history.map((event) => ({ ...event, at: isoTime(event.at) }));
  output.result({ opt_outs: rows.map((row) => document(context, row)), history: told }, () => {
    const state = rows.length === 0 ? `${output.number(mobile)} may be written to.` : table(context, rows);
    if (history.length === 0) return state;
    const headings = ['at', 'change', 'sender', 'source', 'by', 'evidence'].map((heading) => ({ heading }));
    const lines = history.map(({ at, change, sender, source, by, evidence }) => [
      shownTime(context, at),
      change,
      sender || 'all',
      source,
      by,
      evidence ?? '',
    ]);
    return `${state}\n\n${renderTable(headings, lines, { padded: output.terminal })}`;
  });
  return EXIT.done;
}

/** Rows come after this one in order of number, from the first of `mobile` on. */
function justBefore(mobile: string): OptOutRow {
  return { mobile, kind: '' as OptOutRow['kind'], sender: '', source: '', at: 0, evidence: null };
}

async function add(context: Context, { args, flags }: Call): Promise<number> {
  const { clock, output } = context;
  const mobile = mobileArgument(args[1], context.config);
  const ledger = await ledgerMaybeNew(context);
  const entry = {
    mobile,
    source: 'operator',
    by: operator(),
    ...senderPart(flags),
    ...reasonFlag(flags),
  };
  const added = await ledger.addOptOuts([entry], clock.now());
  output.result({ mobile: output.number(mobile), added }, () =>
    added === 0
      ? `${output.number(mobile)} had opted out already.`
      : `${output.number(mobile)} gets no more promotional messages${'sender' in entry ? ` of ${entry.sender}` : ''}.`,
  );
  return EXIT.done;
}

async function remove(context: Context, { args }: Call): Promise<number> {
  const { clock, output } = context;
  const mobile = mobileArgument(args[1], context.config);
  const ledger = await ledgerOfOld(context);
  const removed = await ledger.removeOptOuts([mobile], { now: clock.now(), by: operator() });
  output.result({ mobile: output.number(mobile), removed }, () =>
    removed === 0
      ? `${output.number(mobile)} had not opted out.`
      : `${output.number(mobile)} may be written to again.`,
  );
  return EXIT.done;
}

async function importFile(context: Context, { args, flags }: Call): Promise<number> {
  const { clock, config, output } = context;
  const path = args[1];
  if (path === undefined)
    throw new TumaError('usage', { message: 'Which file?', hint: 'tuma optouts import opted-out.csv' });
  const rejectsPlace = rejectsFlag(flags, { config, reads: [path], otherwise: DEFAULT_REJECTS });
  const ledger = await ledgerMaybeNew(context);
  const { rejects, ...counts } = await importOptOuts(
    { ledger, clock },
    {
      path,
      rejectsPlace,
      country: config.country,
      sender: senderFlag(flags['sender']),
      by: operator(),
    },
  );
  output.result({ ...counts, rejects: rejects?.path ?? null }, () => {
    const { read, added, known, invalid } = counts;
    const parts = [`${whole(added)} opted out now`, `${whole(known)} already`];
    return `${counted(read, 'row')}: ${parts.join(', ')}, ${whole(invalid)} could not be read.`;
  });
  if (rejects !== null)
    output.note(
      `${rejects.path} holds the rows that could not be read, with their reasons: nobody in them is opted out.`,
    );
  return EXIT.done;
}

async function exportFile(context: Context, { flags }: Call): Promise<number> {
  const { output, signal, config } = context;
  const file = outFlag(flags, { config, written: OWN_FILES.optOuts });
  if (file === null) throw new TumaError('usage', { message: 'export needs --out FILE.', where: '--out' });
  const reader = await context.reader();
  let count = 0;
  async function* pages() {
    yield csvLine(OPT_OUT_COLUMNS);
    let after: OptOutRow | null = null;
    for (;;) {
      const rows: OptOutRow[] = await reader.optOuts({ after, limit: PAGE });
      count += rows.length;
      yield rows.map(exportedLine).join('');
      if (rows.length < PAGE) return;
      after = rows.at(-1) ?? null;
    }
  }
  await writeOutFile(file, pages(), signal);
  output.result({ file, rows: count }, () => `${counted(count, 'row')} in ${file}`);
  return EXIT.done;
}

/** A row of the file, in the order of `OPT_OUT_COLUMNS`. */
function exportedLine({ mobile, kind, sender, source, at, evidence }: OptOutRow): string {
  return csvLine([mobile, kind, sender, source, isoTime(at), evidence]);
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
  const headings = ['mobile', 'why', 'sender', 'source', 'since', 'evidence'];
  return renderTable(
    headings.map((heading) => ({ heading })),
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

function senderPart(flags: Call['flags']): { sender?: string } {
  const sender = senderFlag(flags['sender']);
  return sender === null ? {} : { sender };
}

function reasonFlag(flags: Call['flags']): { evidence?: string } {
  return typeof flags['reason'] === 'string' ? { evidence: flags['reason'] } : {};
}
