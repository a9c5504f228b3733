import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FaultRun, summaryRows } from './summary-table.ts';

/** Collects what all files of `npm run test:faults` found, and prints it as one table at the end. */
export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'tuma-faults-'));
  const file = join(directory, 'runs.ndjson');
  writeFileSync(file, '');
  process.env['TUMA_FAULT_RUNS'] = file;
  return () => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    rmSync(directory, { recursive: true });
    if (lines.length > 0) console.table(summaryRows(lines.map((line) => JSON.parse(line) as FaultRun)));
  };
}
