import { spawnSync } from 'node:child_process';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Finding } from '../bench.ts';
import { Program, startYardstick } from '../program.ts';
import { ratios, spreadOf } from '../spread.ts';
import { launch, settingsFor, startSink, startTuma } from '../tuma.ts';

/** A ledger of a campaign that has been sent, which nobody writes any more. */
interface Sent {
  ledger: string;
  messages: number;
  settings: Record<string, string>;
}

/** One file of all messages. */
interface Written {
  /** Rows a second, from the start of the process to its end. */
  rate: number;
  bytes: number;
}

const TABLE = 'SELECT * FROM message';
const MEGABYTE = 1_000_000;
const NEWLINE = 10;

/** Rows 8 and 9b: the commands that read a whole campaign, on one ledger that is made for both. */
export async function measureReading(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('8') && !bench.wants('9b')) return [];
  const messages = bench.sizes.mostWatched;
  const home = bench.workspace.home();
  bench.say(`rows 8 and 9b: sending ${messages} messages first`);
  await using sink = await startSink();
  const { origin } = sink;
  const { sent } = await launch(bench, { home, origin, contacts: messages, rate: 'unlimited', wait: true });
  if (sent !== messages) throw new Error(`Tuma reports ${sent} of ${messages} messages sent`);
  const ledger = { ledger: join(home, 'ledger.db'), messages, settings: settingsFor(home, origin) };
  const findings = [
    ...(bench.wants('8') ? [await exportBesideDump(bench, ledger)] : []),
    ...(bench.wants('9b') ? [await reportTime(bench, ledger)] : []),
  ];
  bench.workspace.leave(home);
  return findings;
}

async function exportBesideDump(bench: Bench, sent: Sent): Promise<Finding> {
  const hasShell = canBeReadByShell(sent.ledger);
  const exported: Written[] = [];
  const dumped: Written[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 8, run ${run} of ${bench.runs}: ${sent.messages} messages each`);
    exported.push(await written(bench, sent, exportTo));
    dumped.push(await written(bench, sent, hasShell ? dumpByShell : dumpByNode));
  }
  const unit = 'rows/s';
  const [ours, theirs] = [exported, dumped].map((files) => files.map(({ rate }) => rate)) as [
    number[],
    number[],
  ];
  const [bytes, dumpedBytes] = [exported, dumped].map((files) =>
    ((files[0]?.bytes ?? 0) / MEGABYTE).toFixed(0),
  );
  return {
    row: '8',
    what: `export to CSV, ${sent.messages} messages`,
    tuma: { what: 'tuma export', unit, ...spreadOf(ours) },
    dividedBy: {
      what: hasShell ? 'sqlite3 dumping the table' : 'node:sqlite dumping the table',
      unit,
      ...spreadOf(theirs),
    },
    figure: { unit: 'ratio', ...spreadOf(ratios(ours, theirs)) },
    judged: true,
    notes: [`a file of ${bytes} MB, that of the whole table ${dumpedBytes} MB`],
  };
}

/** Whether there is a program `sqlite3` that reads this ledger: older ones than 3.37 do not know its tables. */
function canBeReadByShell(ledger: string): boolean {
  return spawnSync('sqlite3', ['-readonly', ledger, `${TABLE} LIMIT 1`]).status === 0;
}

type Write = (bench: Bench, sent: Sent, file: string) => Program;

const exportTo: Write = (bench, { settings }, file) =>
  startTuma(bench, ['export', 'bench', '--out', file], settings);

const dumpByShell: Write = (_bench, { ledger }, file) =>
  new Program(['sqlite3', '-readonly', '-csv', '-header', ledger, `.once ${file}`, TABLE], {
    env: { PATH: process.env['PATH'] },
    talks: false,
  });

const dumpByNode: Write = (_bench, { ledger }, file) =>
  startYardstick('dump-table.ts', { ledger, query: TABLE, file });

/** Has all messages written, and looks that none is missing. */
async function written(bench: Bench, sent: Sent, write: Write): Promise<Written> {
  const file = join(bench.workspace.path, 'messages.csv');
  const ms = await timeOf(() => write(bench, sent, file));
  const { size } = statSync(file);
  const rows = (await linesOf(file)) - 1;
  rmSync(file);
  if (rows !== sent.messages) throw new Error(`${rows} of ${sent.messages} messages were written`);
  return { rate: (rows * 1_000) / ms, bytes: size };
}

async function reportTime(bench: Bench, { messages, settings }: Sent): Promise<Finding> {
  const times: number[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 9b, run ${run} of ${bench.runs}: the report of ${messages} messages`);
    times.push(await timeOf(() => startTuma(bench, ['report', 'bench'], settings)));
  }
  return {
    row: '9b',
    what: `tuma report, ${messages} messages`,
    tuma: { what: 'the whole command', unit: 'ms', ...spreadOf(times) },
    dividedBy: null,
    figure: { unit: 'ms', ...spreadOf(times) },
    judged: true,
    notes: [],
  };
}

/** Milliseconds from the start of a program to its end; throws when it fails. */
async function timeOf(start: () => Program): Promise<number> {
  const begun = performance.now();
  await using program = start();
  const code = await program.ended();
  const ms = performance.now() - begun;
  if (code !== 0) throw program.failure(`ended with exit code ${code}`);
  return ms;
}

/** No field of the contacts of a bench holds a line break. */
async function linesOf(file: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>)
    for (const byte of chunk) if (byte === NEWLINE) lines += 1;
  return lines;
}
