/** What the runs under one fault came to. */
export interface FaultRun {
  fault: string;
  runs: number;
  messages: number;
  double: number;
  lost: number;
  uncertain: number;
  resumeMs: number[];
}

/** One row a fault, as console.table takes it. */
export function summaryRows(all: FaultRun[]): Record<string, string | number>[] {
  const lines = new Map<string, FaultRun>();
  for (const run of all) {
    const line = lines.get(run.fault);
    if (line === undefined) lines.set(run.fault, structuredClone(run));
    else {
      for (const part of ['runs', 'messages', 'double', 'lost', 'uncertain'] as const)
        line[part] += run[part];
      line.resumeMs.push(...run.resumeMs);
    }
  }
  return [...lines.values()].map(({ resumeMs, ...line }) => ({
    ...line,
    'time to resume': spread(resumeMs),
  }));
}

function spread(times: number[]): string {
  if (times.length === 0) return '';
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => ((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1_000).toFixed(1);
  return `${at(0.5)} s half, ${at(1)} s most`;
}
