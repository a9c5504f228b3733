import type { Bench, Finding } from '../bench.ts';
import { type Program, startYardstick } from '../program.ts';
import { startQueueServer } from '../queue-server.ts';
import { ratios, spreadOf } from '../spread.ts';
import { arrivalRate, launch, startSink } from '../tuma.ts';

/** Messages a second of each, run by run. */
interface Rates {
  tuma: number[];
  undici: number[];
  jobs: number[];
  /** Processor time of the whole process, milliseconds a message, as far as the system tells. */
  cost: { tuma: number[]; undici: number[] };
}

/**
 * Rows 1 and 3: Tuma end to end with its durable ledger, beside a bare undici loop and beside one BullMQ job a message.
 * Each sends the same messages to a sink of its own; the rate is what that sink saw between first and last message.
 */
export async function measureSending(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('1') && !bench.wants('3')) return [];
  const rates: Rates = { tuma: [], undici: [], jobs: [], cost: { tuma: [], undici: [] } };
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.say(`rows 1 and 3, run ${run} of ${bench.runs}: ${bench.sizes.messages} messages each`);
    await tumaRate(bench, rates);
    if (bench.wants('1')) await bareRate(bench, rates);
    if (bench.wants('3')) rates.jobs.push(await jobsRate(bench));
  }
  return [
    ...(bench.wants('1') ? [finding('1', rates, 'bare undici loop, Pool of 64', rates.undici)] : []),
    ...(bench.wants('3') ? [finding('3', rates, 'one BullMQ job a message', rates.jobs)] : []),
  ];
}

function finding(row: '1' | '3', { tuma, cost }: Rates, what: string, others: number[]): Finding {
  const unit = 'messages/s';
  return {
    row,
    what: row === '1' ? 'sending, rate unlimited' : 'sending, against the usual way',
    tuma: { what: 'tuma launch --wait, durable ledger', unit, ...spreadOf(tuma) },
    dividedBy: { what, unit, ...spreadOf(others) },
    figure: { unit: 'ratio', ...spreadOf(ratios(tuma, others)) },
    judged: true,
    notes: row === '1' ? costNote(cost) : [],
  };
}

/** Says where the rest of the ratio is: a process may wait, or work more. */
function costNote({ tuma, undici }: Rates['cost']): string[] {
  if (tuma.length === 0 || undici.length === 0) return [];
  const [ours, theirs] = [spreadOf(tuma).median, spreadOf(undici).median].map((ms) =>
    (ms * 1_000).toFixed(0),
  );
  return [`${ours} µs of processor a message (start and planning with it), the bare loop ${theirs} µs`];
}

async function tumaRate(bench: Bench, rates: Rates): Promise<void> {
  const { workspace, sizes } = bench;
  const contacts = sizes.messages;
  const home = workspace.home();
  await using sink = await startSink();
  const { origin } = sink;
  const report = await launch(bench, { home, origin, contacts, rate: 'unlimited', wait: true });
  const counts = await sink.counts();
  workspace.leave(home);
  if (report.sent !== contacts || counts.messages !== contacts)
    throw new Error(
      `Tuma reports ${report.sent} and the sink saw ${counts.messages} of ${contacts} messages`,
    );
  rates.tuma.push(arrivalRate(counts));
  if (report.processorMs !== null) rates.cost.tuma.push(report.processorMs / contacts);
}

async function bareRate({ sizes: { messages } }: Bench, rates: Rates): Promise<void> {
  await using sink = await startSink();
  await using bare = startYardstick('bare-undici.ts', { origin: sink.origin, messages });
  await allAnswered(bare, messages);
  rates.undici.push(arrivalRate(await sink.counts()));
  const { processorMs } = bare.watch;
  if (processorMs !== null) rates.cost.undici.push(processorMs / messages);
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

async function allAnswered(yardstick: Program, messages: number): Promise<void> {
  const { answered } = await yardstick.told<{ answered: number }>();
  if (answered !== messages) throw yardstick.failure(`got ${answered} answers to ${messages} messages`);
}
