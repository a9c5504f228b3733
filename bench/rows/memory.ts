import type { Bench, Finding } from '../bench.ts';
import { spreadOf } from '../spread.ts';
import { launch, startSink } from '../tuma.ts';

const STEPS = [10_000, 200_000, 1_000_000];
const MEGABYTE = 1_000_000;

/**
 * Row 10: the most memory that a process of Tuma ever had resident (VmHWM, all threads; its Redis not counted), for lists of
 * growing size. Planning is `tuma launch`, which ends when the campaign is activated; sending is the same launch with
 * `--wait` once more, a new process that goes on with the campaign. One run each: peaks hardly vary.
 */
export async function measureMemory(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('10')) return [];
  const { mostPlanned, mostSent } = bench.sizes;
  const planning = new Map<number, number>();
  const sending = new Map<number, number>();
  for (const count of sizesUpTo(mostPlanned, mostSent)) {
    const sends = count <= mostSent;
    bench.say(`row 10: planning ${sends ? 'and sending ' : ''}to ${count} contacts`);
    const peaks = await peaksOf(bench, { count, sends });
    if (peaks.planning === null) return unknown(bench);
    planning.set(count, peaks.planning / MEGABYTE);
    if (peaks.sending !== null) sending.set(count, peaks.sending / MEGABYTE);
  }
  return [finding('planning', planning), finding('sending', sending)];
}

/** The steps on the way, and both ends. */
function sizesUpTo(mostPlanned: number, mostSent: number): number[] {
  const most = Math.max(mostPlanned, mostSent);
  const sizes = [...STEPS.filter((size) => size < most), mostSent, most];
  return [...new Set(sizes)].sort((left, right) => left - right);
}

async function peaksOf(
  bench: Bench,
  { count, sends }: { count: number; sends: boolean },
): Promise<{ planning: number | null; sending: number | null }> {
  const home = bench.workspace.home();
  await using sink = await startSink();
  const options = { home, origin: sink.origin, contacts: count, rate: 'unlimited' };
  const planned = await launch(bench, { ...options, wait: false });
  const sent = sends ? await launch(bench, { ...options, wait: true }) : null;
  bench.workspace.leave(home);
  if (sent !== null && sent.sent !== count) throw new Error(`${sent.sent} of ${count} messages were sent`);
  return { planning: planned.peakBytes, sending: sent?.peakBytes ?? null };
}

function finding(doing: 'planning' | 'sending', peaks: Map<number, number>): Finding {
  const [smallest = 0] = peaks.values();
  const [most, largest] = [...peaks].at(-1) ?? [0, 0];
  const each = [...peaks].map(([count, peak]) => `${short(count)}: ${peak.toFixed(0)} MB`).join(', ');
  return {
    row: '10',
    what: `peak memory, ${doing} up to ${short(most)}`,
    tuma: { what: each, unit: 'MB', ...spreadOf([largest]) },
    dividedBy: { what: `${doing} ${short([...peaks.keys()][0] ?? 0)}`, unit: 'MB', ...spreadOf([smallest]) },
    figure: { unit: 'MB', ...spreadOf([Math.max(...peaks.values())]) },
    judged: true,
    notes: [`largest ÷ smallest list: ${(largest / smallest).toFixed(2)}`],
  };
}

function short(count: number): string {
  return count >= 1_000_000 ? `${count / 1_000_000} M` : `${count / 1_000} k`;
}

function unknown(bench: Bench): Finding[] {
  bench.say('row 10 is left out: this system does not tell the peak memory of a process (no /proc)');
  return [];
}
