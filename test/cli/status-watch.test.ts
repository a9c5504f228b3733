import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { showServing } from '../../src/cli/terminal/show-serving.ts';
import { displayWidth } from '../../src/cli/text/table.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { waitFor } from '../support/wait-for.ts';
import { startHere, tuma } from './command-line.ts';

/* `tuma status --watch`: the words of one-shot status, once a pause. */

/** What a terminal is sent before each new progress line: one a look at least. */
const REDRAW = '\r\u001b[2K';
const HELP = 'About KES 3.00 short: top up and it goes on by itself.';

let story: LedgerStory;
let n: number;
let env: Record<string, string>;

/** Paused for its balance: 4.80 for six messages, one of which is sent, and 1.00 left. */
beforeEach(async () => {
  story = await LedgerStory.begin();
  story.now = Date.now() - 5_000;
  await story.ledger.heartbeat(story.worker, story.now);
  env = { TUMA_HOME: story.directory };
  n = await story.launch({ messages: 6, estimatedMicro: 4_800_000 });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'queued' },
    3: { to: 'queued' },
    4: { to: 'queued' },
    5: { to: 'queued' },
    6: { to: 'queued' },
  });
  await story.readBalance(1_000_000);
  await pause();
});

async function pause(): Promise<void> {
  const { worker, now } = story;
  await story.ledger.recordOutcomes({
    worker,
    now,
    outcomes: [],
    pauses: [{ campaign: n, reason: 'balance' }],
  });
}

/** Watches while `during` runs, then sends the signal. */
async function watch(args: string[], during: (watching: Watching) => Promise<void>, columns?: number) {
  const stop = new AbortController();
  const size = columns === undefined ? {} : { columns };
  const watching = startHere(['status', ...args, '--watch'], { env, signal: stop.signal, ...size });
  await during(watching);
  stop.abort('SIGINT');
  return { code: await watching.ended, stdout: watching.stdout(), stderr: watching.stderr() };
}
type Watching = ReturnType<typeof startHere>;

async function looks(watching: Watching, count: number): Promise<void> {
  const before = watching.stderr().split(REDRAW).length;
  const enough = () => watching.stderr().split(REDRAW).length >= before + count;
  await waitFor(enough, { what: `${count} looks` });
}

describe('of one campaign', () => {
  it('says once what helps when it pauses, and that nobody sends when it goes on', async () => {
    await story.ledger.retireWorker(story.worker, story.now);
    const { stderr } = await watch(
      ['bf'],
      async (watching) => {
        await looks(watching, 2);
        expect(watching.stderr()).not.toContain('No worker is alive');
        await story.ledger.resume(n, { now: story.now, by: 'test' });
        // Words above the line draw it once more.
        await looks(watching, 3);
      },
      200,
    );
    expect(stderr.split(`Paused: not enough credit (KES 1.00 left). ${HELP}\n`)).toHaveLength(2);
    expect(stderr.split('No worker is alive. Start one: tuma serve')).toHaveLength(2);
    // One left a few seconds ago, and nobody is there to send another.
    expect(stripVTControlCharacters(stderr)).toContain('1/6 16.7 % · 0.0/s · ');
  });

  it('says it in each event, and is interrupted by a signal before the end: exit code 130', async () => {
    const { code, stdout, stderr } = await watch(['bf', '--json'], async (watching) => {
      await waitFor(() => watching.stdout() !== '', { what: 'an event' });
    });
    const [event = ''] = stdout.split('\n');
    expect(JSON.parse(event)).toMatchObject({
      id: 'bf-1',
      reason: 'balance',
      what_helps: HELP,
      short_of: '3.00',
      workers: 1,
    });
    expect(code).toBe(130);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'interrupted', hint: 'Watch it again: tuma status bf-1 --watch', where: 'bf-1' },
    });
  });
});

it('tells no pace of a worker that has ended, watched or not, though its last message has just left', async () => {
  await story.ledger.resume(n, { now: story.now, by: 'test' });
  const pace = async () => {
    const ran = startHere(['status', 'bf', '--json'], { env });
    await ran.ended;
    const { messages_per_second: perSecond, seconds_left: left } = JSON.parse(ran.stdout()) as Record<
      string,
      number | null
    >;
    return [perSecond, left];
  };
  expect(await pace()).toEqual([expect.any(Number), expect.any(Number)]);
  await story.ledger.retireWorker(story.worker, story.now);
  expect(await pace()).toEqual([0, null]);
});

describe('of all', () => {
  it('says whose pause it is, and is done at a signal: exit code 0', async () => {
    await story.launch({ id: 'rent-1', name: 'rent' });
    const { code, stderr } = await watch([], async (watching) => {
      await waitFor(() => watching.stderr().includes('rent: 0 of'), { what: 'a look' });
    });
    expect(code).toBe(0);
    expect(stderr).toContain(`black-friday: Paused: not enough credit (KES 1.00 left). ${HELP}\n`);
    expect(stderr).not.toContain('error');
  });

  it('draws each on a line of its own, none wider than the terminal, and no more than there are lines', async () => {
    for (let at = 0; at < 30; at += 1) await story.launch({ id: `rent-${at}`, name: `rent-${at}` });
    const { stderr } = await watch([], (watching) => looks(watching, 30), 60);
    // Each is drawn over the one before: its last line is cleared, then those above it.
    const frames = stderr
      .replaceAll('\u001b[1A', '')
      .split(REDRAW)
      .filter((frame) => frame.includes('rent-'));
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) {
      const lines = stripVTControlCharacters(frame).split('\n');
      expect(lines).toHaveLength(23);
      expect(lines.at(-1)).toBe('and 9 more');
      for (const line of lines) expect(displayWidth(line)).toBeLessThan(60);
    }
  });
});

it('status says since when the service does not answer and when it is tried next, and shows no rate', async () => {
  await story.ledger.resume(n, { now: story.now, by: 'test' });
  const now = Date.now();
  const outage = { since: now - 90_000, nextTryAt: now + 24_000 };
  await story.ledger.heartbeat(story.worker, now, outage);
  const words = /does not answer since \d\d:\d\d, next try in 2\d s/;
  const one = await tuma(['status', 'black-friday'], { env });
  expect(one.stdout).toMatch(new RegExp(`^service\t${words.source}$`, 'm'));
  expect(one.stdout).not.toMatch(/^(?:rate|time left)/m);
  expect((await tuma(['status'], { env })).stderr).toMatch(words);
  const { stderr } = await watch(['black-friday'], (watching) => looks(watching, 1), 120);
  expect(stderr).toMatch(words);
  const document = JSON.parse((await tuma(['status', 'black-friday', '--json'], { env })).stdout) as object;
  expect(document).toMatchObject({
    messages_per_second: null,
    seconds_left: null,
    service: {
      ill_since: new Date(outage.since).toISOString(),
      next_try_at: new Date(outage.nextTryAt).toISOString(),
    },
  });
});

it('serve without a terminal logs the steps of a campaign, and its progress only when something changed', async () => {
  const stop = new AbortController();
  const log = new MemoryLog();
  const resume = () => story.ledger.resume(n, { now: story.now, by: 'test' });
  const send = async () => {
    await story.claim();
    await story.record(n, { 2: { to: 'sent' } });
  };
  /** What happens between two looks, a minute or more apart. */
  const between = [
    async () => undefined,
    async () => undefined,
    resume,
    async () => undefined,
    send,
    () => story.launch({ id: 'new', name: 'new' }),
  ];
  const pauses: number[] = [];
  const sleep = async (ms: number) => {
    pauses.push(ms);
    story.now += 61_000;
    const next = between.shift();
    if (next === undefined) stop.abort();
    else await next();
  };
  const clock = { now: () => story.now, monotonic: () => story.now, sleep };
  const output = { liveProgress: false, progress: () => undefined };
  let looks = 0;
  const reader = async () => {
    looks += 1;
    if (looks === 3) throw new Error('no answer');
    return story.reader();
  };
  const context = {
    output,
    clock,
    log,
    reader,
    signal: stop.signal,
    config: { zone: 'UTC', ratePerSecond: null },
    processes: { fate: () => 'alive' },
  };
  await showServing(context as never);
  expect(new Set(pauses)).toEqual(new Set([5_000]));
  const lines = log.lines.map((line) =>
    (JSON.parse(line) as { message: string }).message.replace(/ settled.*/, ''),
  );
  expect(lines).toEqual([
    'black-friday: 1 of 6',
    // A look that failed ends nothing.
    'the campaigns cannot be shown now',
    'resumed: black-friday: 1 of 6',
    'black-friday: 2 of 6',
    'launched: new: 0 of 4',
  ]);
});
