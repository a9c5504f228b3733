import type { Bench, Finding } from '../bench.ts';
import { type Program, startYardstick } from '../program.ts';
import { startQueueServer } from '../queue-server.ts';
import type { SinkCounts } from '../sink.ts';
import { ratios, spreadOf } from '../spread.ts';
import { arrivalRate, launch, startSink } from '../tuma.ts';

/** What `bareRun` is. */
export const BARE = 'bare undici loop, Pool of 64';

/** All messages sent once. */
export interface Run {
  /** Messages a second. */
  rate: number;
  /** Processor time of the whole process, milliseconds a message; null where the system does not tell. */
  costMs: number | null;
}

/** Of each sender, run by run; messages a second where nothing else is told. */
interface Rates {
  tuma: Run[];
  undici: Run[];
  jobs: number[];
  least: number[];
}

/** Something that sends the same messages in a way of its own. */
interface Sender {
  what: string;
  rates: number[];
}

/**
 * Rows 1 and 3: Tuma end to end with its durable ledger, beside a bare undici loop and beside one BullMQ job a message.
 * Each sends the same messages to a sink of its own; the rate is what that sink saw between first and last message. The
 * second line of each, without a goal, is the least program that has a ledger at all: what the promise itself costs.
 */
export async function measureSending(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('1') && !bench.wants('3')) return [];
  const rates: Rates = { tuma: [], undici: [], jobs: [], least: [] };
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`rows 1 and 3, run ${run} of ${bench.runs}: ${bench.sizes.messages} messages each`);
    rates.tuma.push(await tumaRun(bench));
    if (bench.wants('1')) rates.undici.push(await bareRun(bench));
    if (bench.wants('3')) rates.jobs.push(await jobsRate(bench));
    rates.least.push(await leastRate(bench));
  }
  return [
    ...(bench.wants('1') ? findings('1', rates, { what: BARE, rates: ratesOf(rates.undici) }) : []),
    ...(bench.wants('3')
      ? findings('3', rates, { what: 'one BullMQ job a message', rates: rates.jobs })
      : []),
  ];
}

function findings(row: '1' | '3', { tuma, undici, least }: Rates, others: Sender): Finding[] {
  const notes = row === '1' ? costNote(tuma, undici) : [];
  const whole = { what: 'tuma launch --wait, durable ledger', rates: ratesOf(tuma) };
  const bare = { what: 'intent and outcome durable in SQLite and nothing else: no Tuma', rates: least };
  return [
    {
      ...compared(whole, others),
      row,
      what: row === '1' ? 'sending, rate unlimited' : 'sending, against the usual way',
      judged: true,
      notes,
    },
    { ...compared(bare, others), row, what: 'the least that has a ledger', judged: false, notes: [] },
  ];
}

/** One sender beside another one, in messages a second. */
export function compared(ours: Sender, others: Sender): Pick<Finding, 'tuma' | 'dividedBy' | 'figure'> {
  const unit = 'messages/s';
  return {
    tuma: { what: ours.what, unit, ...spreadOf(ours.rates) },
    dividedBy: { what: others.what, unit, ...spreadOf(others.rates) },
    figure: { unit: 'ratio', ...spreadOf(ratios(ours.rates, others.rates)) },
  };
}

/** Says where the rest of the ratio is: a process may wait, or work more. */
export function costNote(tuma: Run[], undici: Run[]): string[] {
  const costs = [tuma, undici].map((runs) => runs.flatMap(({ costMs }) => costMs ?? []));
  if (costs.some(({ length }) => length === 0)) return [];
  const [ours, theirs] = costs.map((each) => (spreadOf(each).median * 1_000).toFixed(0));
  return [`${ours} µs of processor a message (start and planning with it), the bare loop ${theirs} µs`];
}

export function ratesOf(runs: Run[]): number[] {
  return runs.map(({ rate }) => rate);
}

/** Tuma from the launch to the report. `settings`: more than those of every bench. */
export async function tumaRun(bench: Bench, settings: Record<string, string> = {}): Promise<Run> {
  const { workspace, sizes } = bench;
  const contacts = sizes.messages;
  const home = workspace.home();
  await using sink = await startSink();
  const { origin } = sink;
  const report = await launch(bench, { home, origin, contacts, rate: 'unlimited', wait: true, settings });
  const counts = await sink.counts();
  workspace.leave(home);
  if (report.sent !== contacts || counts.messages !== contacts)
    throw new Error(
      `Tuma reports ${report.sent} and the sink saw ${counts.messages} of ${contacts} messages`,
    );
  return runOf(counts, report.processorMs);
}

/** The limit: the same messages by a loop that records nothing. */
export async function bareRun({ sizes: { messages } }: Bench): Promise<Run> {
  await using sink = await startSink();
  await using bare = startYardstick('bare-undici.ts', { origin: sink.origin, messages });
  await allAnswered(bare, messages);
  return runOf(await sink.counts(), bare.watch.processorMs);
}

function runOf(counts: SinkCounts, processorMs: number | null): Run {
  return { rate: arrivalRate(counts), costMs: processorMs === null ? null : processorMs / counts.messages };
}

async function jobsRate({ workspace, sizes: { messages } }: Bench): Promise<number> {
  const home = workspace.home();
  await using server = await startQueueServer(home);
  await using sink = await startSink();
  await using jobs = startYardstick('job-per-message.ts', {
    origin: sink.origin,
    messages,
    redis: server.socket,
  });
  await allAnswered(jobs, messages);
  workspace.leave(home);
  return arrivalRate(await sink.counts());
}

async function leastRate({ workspace, sizes: { messages } }: Bench): Promise<number> {
  const home = workspace.home();
  await using sink = await startSink();
  await using least = startYardstick('least-sender.ts', { origin: sink.origin, messages, home });
  await allAnswered(least, messages);
  workspace.leave(home);
  return arrivalRate(await sink.counts());
}

async function allAnswered(yardstick: Program, messages: number): Promise<void> {
  const { answered } = await yardstick.told<{ answered: number }>();
  if (answered !== messages) throw yardstick.failure(`got ${answered} answers to ${messages} messages`);
}
