import type { Bench, Finding } from '../bench.ts';
import type { SinkCounts } from '../sink.ts';
import { ratios, spreadOf } from '../spread.ts';
import { arrivalRate, launch, startSink } from '../tuma.ts';

/** Of a hundred messages one is never answered. */
const HANG_EVERY = 100;
/** The defaults of TUMA_RATE and TUMA_CONCURRENCY. */
const DEFAULT_RATE = 50;
const DEFAULT_CONCURRENCY = 32;
/** Three times as many messages as can go out before every place is taken by one that hangs. */
const UNLIMITED_MESSAGES = 3 * DEFAULT_CONCURRENCY * HANG_EVERY;

/**
 * Row 1b: what 1 % of hanging answers cost. With 32 places that a hanging message holds for the 25 s until undici gives
 * up on the first byte, no program can send more than 32 / (1 % × 25 s) = 128 messages a second; so the ratio is taken
 * at the default rate of 50 a second, which lies below that bound, and the unlimited rate is held against the bound.
 *
 * All runs go on side by side, because waiting and not the machine sets their pace: one after another they would take
 * a quarter of an hour.
 */
export async function measureHanging(bench: Bench): Promise<Finding[]> {
  if (!bench.wants('1b')) return [];
  const messages = DEFAULT_RATE * bench.sizes.hangSeconds;
  const runs = Array.from({ length: bench.runs });
  bench.say(
    `row 1b, ${bench.runs} pairs side by side: ${messages} messages each, about ${bench.sizes.hangSeconds + 40} s`,
  );
  const one = { messages, rate: null };
  const pairs = await Promise.all(
    runs.map(() =>
      Promise.all([sent(bench, { ...one, hangEvery: HANG_EVERY }), sent(bench, { ...one, hangEvery: 0 })]),
    ),
  );
  bench.say(`row 1b, ${bench.runs} runs side by side with the rate unlimited, about 90 s`);
  const unlimited = { messages: UNLIMITED_MESSAGES, rate: 'unlimited', hangEvery: HANG_EVERY };
  const bursts = await Promise.all(runs.map(() => sent(bench, unlimited)));
  return [atDefaultRate(pairs), atUnlimitedRate(bursts)];
}

function atDefaultRate(pairs: [SinkCounts, SinkCounts][]): Finding {
  const hanging = pairs.map(([counts]) => arrivalRate(counts));
  const steady = pairs.map(([, counts]) => arrivalRate(counts));
  const unit = 'messages/s';
  return {
    row: '1b',
    what: '1 % of answers hang, default rate (50/s)',
    tuma: { what: 'with hanging answers', unit, ...spreadOf(hanging) },
    dividedBy: { what: 'Tuma, every answer comes', unit, ...spreadOf(steady) },
    figure: { unit: 'ratio', ...spreadOf(ratios(hanging, steady)) },
    judged: true,
    notes: [],
  };
}

/** Comes in bursts that end when all places hang; so the time counts until the last one is given up. */
function atUnlimitedRate(bursts: SinkCounts[]): Finding {
  const unit = 'messages/s';
  const rates = bursts.map(({ messages, firstAt, settledAt }) => {
    if (firstAt === null || settledAt === null) throw new Error('the sink saw no message');
    return (messages * 1_000) / (settledAt - firstAt);
  });
  const holds = bursts.map(({ waitedMs, hung }) => waitedMs / hung);
  const bounds = holds.map((holdMs) => (DEFAULT_CONCURRENCY * HANG_EVERY * 1_000) / holdMs);
  return {
    row: '1b',
    what: '1 % of answers hang, rate unlimited',
    tuma: { what: 'with hanging answers', unit, ...spreadOf(rates) },
    dividedBy: { what: 'the bound by the places: 32 / (1 % × hang)', unit, ...spreadOf(bounds) },
    figure: { unit: 'ratio', ...spreadOf(ratios(rates, bounds)) },
    judged: false,
    notes: [`a hanging message holds its place for ${(spreadOf(holds).median / 1_000).toFixed(1)} s`],
  };
}

async function sent(
  bench: Bench,
  { messages, rate, hangEvery }: { messages: number; rate: string | null; hangEvery: number },
): Promise<SinkCounts> {
  const home = bench.workspace.home();
  await using sink = await startSink({ hangEvery });
  const report = await launch(bench, { home, origin: sink.origin, contacts: messages, rate, wait: true });
  const counts = await sink.counts();
  bench.workspace.leave(home);
  const { sent, uncertain } = report;
  if (counts.messages !== messages || uncertain !== counts.hung || sent !== messages - counts.hung)
    throw new Error(
      `of ${messages} messages the sink saw ${counts.messages} and left ${counts.hung} hanging; Tuma reports ${sent} sent and ${uncertain} uncertain`,
    );
  return counts;
}
