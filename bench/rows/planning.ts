import type { Bench, Finding } from '../bench.ts';
import { startYardstick } from '../program.ts';
import { ratios, spreadOf } from '../spread.ts';
import { nodeFlags, settingsFor, startSink } from '../tuma.ts';

/** Row 5: planning a list into a new ledger, beside csv-parse reading the same file and doing nothing. */
export async function measurePlanning(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('5')) return [];
  const planned: number[] = [];
  const parsed: number[] = [];
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`row 5, run ${run} of ${bench.runs}: ${bench.sizes.contacts} contacts`);
    planned.push(await planRate(bench));
    parsed.push(await parseRate(bench));
  }
  const unit = 'rows/s';
  return [
    {
      row: '5',
      what: 'planning into a new ledger',
      tuma: { what: 'plan: parse to durable insert', unit, ...spreadOf(planned) },
      dividedBy: { what: 'csv-parse, every row dropped', unit, ...spreadOf(parsed) },
      figure: { unit: 'ratio', ...spreadOf(ratios(planned, parsed)) },
      judged: true,
      notes: [],
    },
  ];
}

async function planRate({ workspace, sizes: { contacts } }: Bench): Promise<number> {
  const home = workspace.home();
  await using sink = await startSink();
  const settings = settingsFor(home, sink.origin);
  await using plan = startYardstick(
    'plan-only.ts',
    { job: workspace.job(contacts), home, settings },
    nodeFlags(),
  );
  const rate = rateOf(await plan.told(), contacts);
  await plan.ended();
  workspace.leave(home);
  return rate;
}

async function parseRate({ workspace, sizes: { contacts } }: Bench): Promise<number> {
  await using parse = startYardstick('csv-only.ts', { contacts: workspace.contacts(contacts) });
  return rateOf(await parse.told(), contacts);
}

function rateOf({ rows, ms }: { rows: number; ms: number }, contacts: number): number {
  if (rows !== contacts) throw new Error(`${rows} of ${contacts} rows were taken`);
  return (rows * 1_000) / ms;
}
