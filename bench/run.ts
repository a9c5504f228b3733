import { writeFileSync } from 'node:fs';
import type { Bench, Finding } from './bench.ts';
import { GOALS, reached, ROWS } from './goals.ts';
import { describeMachine, type Machine } from './machine.ts';
import { type Order, readOrder, USAGE } from './order.ts';
import { endPrograms } from './program.ts';
import { measureHanging } from './rows/hanging.ts';
import { measureLedgerBytes } from './rows/ledger-bytes.ts';
import { measureMemory } from './rows/memory.ts';
import { measurePages } from './rows/pages.ts';
import { measurePlanning } from './rows/planning.ts';
import { measurePostgres } from './rows/postgres.ts';
import { measureReading } from './rows/reading.ts';
import { measureScaleOut } from './rows/scale-out.ts';
import { measureSending } from './rows/sending.ts';
import { measureWebhooks } from './rows/webhooks.ts';
import { findingsTable, machineLine } from './show.ts';
import { Workspace } from './workspace.ts';

/* `npm run bench [-- ROWS… --runs N]`: measures the rows of docs/benchmarks.md on this machine, and nothing outside it. */

/** 1: a floor was missed, or a row could not be measured. */
const EXIT = { reached: 0, missed: 1, usage: 2 };

async function main(): Promise<number> {
  let order: Order | null;
  try {
    order = readOrder(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return EXIT.usage;
  }
  if (order !== null) return measure(order);
  process.stdout.write(USAGE);
  return EXIT.reached;
}

async function measure(order: Order): Promise<number> {
  using workspace = new Workspace();
  endOnSignal(workspace);
  const machine = describeMachine(workspace.path);
  say(machineLine(machine));
  const { findings, failed } = await measureAll({
    ...order,
    wants: (row) => order.rows.includes(row),
    workspace,
    say,
  });
  process.stdout.write(`\n${machineLine(machine)}\n\n${findingsTable(findings)}\n`);
  if (order.out !== null && !failed) writeResults(order.out, { order, machine, findings });
  const missed = findings.some(
    ({ row, figure, judged }) => judged && reached(figure.median, GOALS[row]) === 'no',
  );
  return failed || missed ? EXIT.missed : EXIT.reached;
}

/** Tuma's processes are let end in order: only they know of the private Redis that they started. */
function endOnSignal(workspace: Workspace): void {
  const end = async () => {
    await endPrograms();
    workspace[Symbol.dispose]();
    process.exit(EXIT.missed);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end());
}

/** One row that cannot be measured does not hide what the others say. */
async function measureAll(bench: Bench): Promise<{ findings: Finding[]; failed: boolean }> {
  const findings: Finding[] = [];
  let failed = false;
  const rows = [
    measureSending,
    measurePostgres,
    measureScaleOut,
    measurePlanning,
    measureWebhooks,
    measureMemory,
    measurePages,
    measureReading,
    measureLedgerBytes,
    measureHanging,
  ];
  for (const measure of rows) {
    try {
      findings.push(...(await measure(bench)));
    } catch (error) {
      failed = true;
      say(
        `${measure.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }
  return {
    findings: findings.sort((left, right) => ROWS.indexOf(left.row) - ROWS.indexOf(right.row)),
    failed,
  };
}

function writeResults(
  path: string,
  { order, machine, findings }: { order: Order; machine: Machine; findings: Finding[] },
): void {
  const { runs, sizes, large } = order;
  const rows = findings.map((finding) => ({ ...finding, goal: finding.judged ? GOALS[finding.row] : null }));
  const document = { measured_at: new Date().toISOString(), machine, runs, sizes, large, rows };
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  say(`written to ${path}`);
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

process.exitCode = await main();
