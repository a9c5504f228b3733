import { appendFileSync } from 'node:fs';
import type { Findings } from './check.ts';
import type { FaultRun } from './summary-table.ts';

/** Where all files of a run write what they found; set by summary-setup.ts, which prints the table at the end. */
const FILE = process.env['TUMA_FAULT_RUNS'];

/**
 * Adds to the table that is printed at the end: what a campaign under a fault came to, how often the fault struck (once
 * by default), and the milliseconds from its end to the next sign of progress.
 */
export function addRun(
  fault: string,
  findings: Findings,
  { runs = 1, resumeMs = [] }: { runs?: number; resumeMs?: number[] } = {},
): void {
  const { messages, double, lost, uncertain } = findings;
  const run: FaultRun = { fault, runs, messages, double, lost, uncertain, resumeMs };
  if (FILE !== undefined) appendFileSync(FILE, `${JSON.stringify(run)}\n`);
}
