import { renderTable } from '../src/cli/text/table.ts';
import type { Finding, Quantity } from './bench.ts';
import { GOALS, reached } from './goals.ts';
import type { Machine } from './machine.ts';
import type { Spread } from './spread.ts';

const NUMBER = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });

/** The machine in one line. */
export function machineLine(machine: Machine): string {
  const { processor, cores, memoryGb, system, fsyncMs, versions } = machine;
  const sync = `fsync p50 ${fsyncMs.p50.toFixed(2)} ms, p99 ${fsyncMs.p99.toFixed(2)} ms`;
  return `${processor}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${versions['node']}, SQLite ${versions['sqlite']}, ${sync}`;
}

/** All findings as one table, with the notes below. */
export function findingsTable(findings: readonly Finding[]): string {
  const columns = ['row', 'what', 'Tuma', 'divided by', 'figure', 'min–max', 'floor', 'aim', 'reached'];
  const numeric = new Set(['Tuma', 'figure', 'min–max', 'floor', 'aim']);
  const table = renderTable(
    columns.map((heading) => ({ heading, numeric: numeric.has(heading) })),
    findings.map(cellsOf),
    { padded: true },
  );
  const notes = findings.flatMap(({ row, tuma, notes }) => [`${row}: ${[tuma.what, ...notes].join('; ')}`]);
  return [table, '', ...notes].join('\n');
}

function cellsOf({ row, what, tuma, dividedBy, figure, judged }: Finding): string[] {
  const goal = GOALS[row];
  const sign = goal.better === 'higher' ? '≥' : '≤';
  const goals = judged ? [`${sign} ${goal.floor}`, `${sign} ${goal.aim}`] : ['', ''];
  const verdict = judged ? { aim: 'aim', floor: 'floor', no: 'NO' }[reached(figure.median, goal)] : '';
  const by = dividedBy === null ? '' : `${quantity(dividedBy)}  ${dividedBy.what}`;
  return [
    row,
    what,
    quantity(tuma),
    by,
    withUnit(figure.median, figure.unit),
    range(figure),
    ...goals,
    verdict,
  ];
}

function quantity({ median, unit }: Quantity): string {
  return withUnit(median, unit);
}

function withUnit(value: number, unit: string): string {
  return unit === 'ratio' ? value.toFixed(2) : `${NUMBER.format(value)} ${unit}`;
}

function range({ least, most, values, unit }: Spread & { unit: string }): string {
  if (values.length === 1) return '';
  const write = (value: number) => (unit === 'ratio' ? value.toFixed(2) : NUMBER.format(value));
  return `${write(least)}–${write(most)}`;
}
