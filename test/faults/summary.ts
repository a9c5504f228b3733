import { afterAll } from 'vitest';
import type { Findings } from './check.ts';

interface Line {
  fault: string;
  runs: number;
  messages: number;
  double: number;
  lost: number;
  uncertain: number;
  /** Milliseconds from the end of the fault to the next accepted message, one a run. */
  resumeMs: number[];
}

const lines = new Map<string, Line>();

/** Adds a run to the table that is printed when the test file is done. */
export function addRun(fault: string, findings: Findings, resumeMs: number[] = []): void {
  const line = lines.get(fault) ?? {
    fault,
    runs: 0,
    messages: 0,
    double: 0,
    lost: 0,
    uncertain: 0,
    resumeMs: [],
  };
  line.runs += 1;
  line.messages += findings.messages;
  line.double += findings.double;
  line.lost += findings.lost;
  line.uncertain += findings.uncertain;
  line.resumeMs.push(...resumeMs);
  lines.set(fault, line);
}

afterAll(() => {
  if (lines.size === 0) return;
  console.table(
    [...lines.values()].map(({ resumeMs, ...line }) => ({ ...line, 'time to resume': spread(resumeMs) })),
  );
});

function spread(times: number[]): string {
  if (times.length === 0) return '';
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1_000).toFixed(1);
  return `${at(0.5)} s half, ${at(1)} s most`;
}
