import { noNote } from '../../support/no-note.ts';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Dispatcher } from '../../../src/campaign/sending/dispatcher.ts';
import { Health } from '../../../src/campaign/sending/health.ts';
import type { LeaseQueue, Sending } from '../../../src/campaign/sending/lease-queue.ts';
import { CLAIM_TTL_MS } from '../../../src/domain/protocol-times.ts';
import type { Outcome, OutcomeRecord } from '../../../src/ledger/contracts/sending.ts';
import type { SendRequest, SendResult } from '../../../src/provider/provider.ts';

const log = { debug() {}, info() {}, warn() {}, error() {} };
const seen = { httpStatus: 200, code: '200', words: 'Success', raw: null };
const ACCEPTED: SendResult = {
  ...seen,
  outcome: 'accepted',
  messageId: 'm',
  network: '1',
  costMicro: 1,
  flags: [],
};

/** A dispatcher on a clock that stands still, with a service and a ledger that answer when they are told to. */
class World {
  now = 1_000_000;
  /** Numbers of the requests under way, in their order. */
  readonly under: { mobile: string; answer: (result: SendResult) => Promise<void> }[] = [];
  readonly recorded: Outcome[] = [];
  readonly slotsAsked: { count: number; accountRate: number | null }[] = [];
  ledgerTakes: Promise<void> = Promise.resolve();
  newSlots: Promise<number[]> = Promise.resolve([]);
  readonly health: Health;
  readonly dispatcher: Dispatcher;
  #sleeping: { until: number; wake: () => void }[] = [];

  constructor(options: { concurrency?: number; claimLimit?: number; accountRate?: number } = {}) {
    const sleep = (ms: number) =>
      new Promise<void>((wake) => this.#sleeping.push({ until: this.now + ms, wake }));
    const clock = { now: () => this.now, monotonic: () => this.now, sleep };
    const ledger = {
      recordOutcomes: async ({ outcomes }: OutcomeRecord) => {
        await this.ledgerTakes;
        this.recorded.push(...outcomes);
        return outcomes.map(() => 'recorded');
      },
      takeSlots: (asked: { count: number; accountRate: number | null }) => {
        this.slotsAsked.push({ count: asked.count, accountRate: asked.accountRate });
        return this.newSlots;
      },
    };
    const env = { clock, log, random: () => 0, ledger, provider: { send: this.#send } };
    this.health = new Health(env);
    const limits = { concurrency: 8, claimLimit: 16, accountRate: null, ...options };
    this.dispatcher = new Dispatcher({
      env: env as never,
      health: this.health,
      onAnswer: () => undefined,
      ...limits,
    });
  }

  readonly #send = ({ mobile }: SendRequest) =>
    new Promise<SendResult>((resolve) => {
      const answer = async (result: SendResult) => {
        this.under.splice(this.under.indexOf(request), 1);
        resolve(result);
        await settled();
      };
      const request = { mobile, answer };
      this.under.push(request);
    });

  get left(): string[] {
    return this.under.map(({ mobile }) => mobile);
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    const due = this.#sleeping.filter(({ until }) => until <= this.now);
    this.#sleeping = this.#sleeping.filter(({ until }) => until > this.now);
    for (const { wake } of due) wake();
    await settled();
  }

  open(sending: Partial<Sending> = {}): LeaseQueue {
    return this.dispatcher.openQueue({
      campaign: 1,
      id: 'a',
      note: noNote(),
      kind: 'promotional',
      account: 'A',
      shortcode: 'DUKA',
      retry: { attempts: 3, firstMs: 1_000, mostMs: 1_000 },
      bySegment: false,
      render: ([text]) => (text === undefined ? { ok: false, reason: 'empty text' } : { ok: true, text }),
      ...sending,
    });
  }

  /** Claims messages by their numbers: with a slot so many milliseconds from now, or of no rate. */
  push(
    queue: LeaseQueue,
    mobiles: string[],
    { slots, segments = 1, fields = ['Hi'] }: { slots?: number[]; segments?: number; fields?: string[] } = {},
  ): void {
    this.dispatcher.reserve(mobiles.length);
    const messages = mobiles.map((mobile, at) => ({
      seq: Number(mobile),
      attempt: 1,
      segments,
      tries: 0,
      mobile,
      fields,
      slotAt: this.now + (slots?.[at] ?? 0),
    }));
    const asked = { now: this.now, monotonic: this.now };
    this.dispatcher.push(queue, slots === undefined ? { messages } : { messages, rated: true }, asked);
  }

  /** What was recorded of each message: its number, where it went and why. */
  async verdicts(): Promise<string[]> {
    this.dispatcher.reserve(0);
    await settled();
    return this.recorded.map((outcome) =>
      [outcome.seq, outcome.to, ...('reason' in outcome ? [outcome.reason] : [])].join(' '),
    );
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

let world: World;
beforeEach(() => {
  world = new World();
});

describe('places', () => {
  it('no more requests are under way than may be, and transactional messages go first', async () => {
    world = new World({ concurrency: 1 });
    world.push(world.open(), ['1', '2']);
    world.push(world.open({ campaign: 2, kind: 'transactional' }), ['3']);
    const order: string[][] = [];
    for (let time = 0; time < 3; time += 1) {
      order.push(world.left);
      await world.under[0]?.answer(ACCEPTED);
    }
    expect(order).toEqual([['1'], ['3'], ['2']]);
    expect(world.left).toEqual([]);
  });

  it('fewer are claimed ahead of a service that answers slowly [P18]', async () => {
    world.push(world.open(), ['1']);
    expect([world.dispatcher.room(), world.dispatcher.smallestUsefulRoom]).toEqual([15, 4]);
    await world.pass(12_000);
    await world.under[0]?.answer(ACCEPTED);
    await world.verdicts();
    expect([world.dispatcher.room(), world.dispatcher.smallestUsefulRoom]).toEqual([7, 1.75]);
  });

  it('a verdict that the ledger refuses keeps its place, and nothing is quiet until it takes it', async () => {
    let refuse: (error: Error) => void = () => undefined;
    world.ledgerTakes = new Promise((_, reject) => (refuse = reject));
    const { dispatcher } = world;
    dispatcher.reserve(3);
    dispatcher.unreserve(3);
    world.push(world.open(), ['1', '2']);
    expect([dispatcher.sendingCount, dispatcher.waiting, dispatcher.inFlight, dispatcher.room()]).toEqual([
      2, 0, 2, 14,
    ]);
    await world.under[0]?.answer(ACCEPTED);
    await world.under[0]?.answer(ACCEPTED);
    dispatcher.reserve(0);
    expect([dispatcher.sendingCount, dispatcher.quiet]).toEqual([0, false]);
    refuse(new Error('disk I/O error'));
    await settled();
    expect([dispatcher.sendingCount, dispatcher.room(), dispatcher.quiet]).toEqual([2, 14, false]);
    world.ledgerTakes = Promise.resolve();
    await world.pass(500);
    expect([dispatcher.sendingCount, dispatcher.quiet, dispatcher.committed]).toEqual([0, true, 2]);
  });

  it('the verdicts that a claim counts on are handed over before it', async () => {
    world.push(world.open(), ['1', '2']);
    await world.under[0]?.answer(ACCEPTED);
    await world.under[0]?.answer(ACCEPTED);
    expect(world.recorded).toHaveLength(1);
    world.dispatcher.reserve(2);
    await settled();
    expect(world.recorded).toHaveLength(2);
  });

  it('one message goes while the service is tried again, and none before', async () => {
    const lost: SendResult = { ...seen, outcome: 'unknown', kind: 'lost' };
    world.push(world.open(), ['1', '2', '3', '4', '5']);
    while (world.under.length > 0) await world.under[0]?.answer(lost);
    expect(world.dispatcher.room()).toBe(0);
    world.push(world.open(), ['6']);
    expect(await world.verdicts()).toContain('6 queued released');
    world.now += 30_000;
    world.health.probed(true);
    expect(world.dispatcher.room()).toBe(1);
  });
});

describe('a message that must not leave any more', () => {
  it('at a stop goes back what waits, and the stop waits for what is under way until the ledger has it', async () => {
    world = new World({ concurrency: 1 });
    world.push(world.open(), ['1', '2']);
    let stopped = false;
    const stop = world.dispatcher.stop().then(() => (stopped = true));
    world.push(world.open(), ['3']);
    expect([world.left, world.dispatcher.room()]).toEqual([['1'], 0]);
    let take: () => void = () => undefined;
    expect(await world.verdicts()).toEqual(['2 queued released', '3 queued released']);
    world.ledgerTakes = new Promise((resolve) => (take = resolve));
    await world.under[0]?.answer(ACCEPTED);
    world.dispatcher.reserve(0);
    await settled();
    expect(stopped).toBe(false);
    take();
    await stop;
    expect(world.recorded.at(-1)).toMatchObject({ seq: 1, to: 'sent' });
  });

  it('at a stop goes back what waits for its slot, though nothing is under way', async () => {
    world.push(world.open(), ['1'], { slots: [4_000] });
    const stopped = world.dispatcher.stop();
    expect(await world.verdicts()).toEqual(['1 queued released']);
    await stopped;
  });

  it('a queue that is closed goes when its last message has left, and no other goes with it', async () => {
    const [open, empty, last] = [world.open(), world.open(), world.open()];
    world.push(last, ['1'], { slots: [100] });
    for (const queue of [empty, last]) world.dispatcher.closeQueue(queue);
    world.push(open, ['2']);
    await world.pass(100);
    expect(world.left).toEqual(['2', '1']);
    // What nobody may claim into any more is not looked at again either.
    for (const gone of [empty, last]) world.push(gone, ['3']);
    world.push(open, ['4']);
    expect(world.left).toEqual(['2', '1', '4']);
  });

  it('an answer that pauses its campaign stops all queues of it, and no other campaign', async () => {
    world = new World({ concurrency: 1 });
    const [first, second] = [world.open(), world.open()];
    world.push(first, ['1', '2']);
    world.push(second, ['3']);
    world.push(world.open({ campaign: 2 }), ['4']);
    await world.under[0]?.answer({ ...seen, outcome: 'refused', refusal: 'credit', retryHelps: true });
    expect([world.left, first.stopped, second.stopped]).toEqual([['4'], true, true]);
    expect(await world.verdicts()).toEqual([
      '1 queued credit refused',
      '2 queued released',
      '3 queued released',
    ]);
  });

  it('one whose claim is too old, or whose text cannot be made, does not leave', async () => {
    world.push(world.open(), ['1'], { slots: [CLAIM_TTL_MS + 1] });
    await world.pass(CLAIM_TTL_MS + 1);
    world.push(world.open(), ['2'], { fields: [] });
    expect(await world.verdicts()).toEqual(['1 queued claim expired', '2 rejected empty text']);
    expect(world.recorded[1]).toMatchObject({ retryHelps: false, sendMs: null });
    expect([world.left, world.dispatcher.sendingCount]).toEqual([[], 0]);
  });
});

describe('rate slots', () => {
  it('each leaves in its own, and one that came up to 40 ms late leaves at once', async () => {
    const queue = world.open();
    world.push(queue, ['1', '2', '3'], { slots: [0, 100, 200] });
    world.dispatcher.closeQueue(queue);
    world.dispatcher.closeQueue(world.open());
    expect(world.left).toEqual(['1']);
    await world.pass(99);
    expect(world.left).toEqual(['1']);
    await world.pass(41);
    expect(world.left).toEqual(['1', '2']);
    expect(world.slotsAsked).toEqual([]);
  });

  it('those that are later take new ones, one a segment where rates count them, and nothing leaves meanwhile', async () => {
    let give: (slots: number[]) => void = () => undefined;
    world.newSlots = new Promise((resolve) => (give = resolve));
    const queue = world.open({ bySegment: true });
    world.push(queue, ['1', '2', '3'], { slots: [10, 20, 90], segments: 2 });
    await world.pass(61);
    world.push(world.open({ campaign: 2 }), ['4'], { slots: [0] });
    await world.pass(0);
    expect(world.left).toEqual(['4']);
    expect(world.slotsAsked).toEqual([{ count: 4, accountRate: null }]);
    give([1, 2, 3, 4].map((at) => world.now + at * 1_000));
    await world.pass(1_000);
    expect(world.left).toEqual(['4', '1']);
    await world.pass(1_000);
    expect(world.left).toEqual(['4', '1']);
  });

  it('are asked for at the pace that throttles left, and a ledger that gives none has the queue put back', async () => {
    world = new World({ accountRate: 100 });
    world.push(world.open(), ['1']);
    await world.under[0]?.answer({ ...seen, outcome: 'throttled', retryAfterMs: 1 });
    world.newSlots = Promise.reject(new Error('locked'));
    world.push(world.open(), ['2'], { slots: [10], segments: 2 });
    await world.pass(100);
    expect(world.slotsAsked).toEqual([{ count: 1, accountRate: 50 }]);
    expect(await world.verdicts()).toEqual(['1 queued throttled', '2 queued released']);
  });

  it('go back at once when their campaign does not run any more, and so do messages of a claim that arrives later', async () => {
    const queue = world.open();
    world.push(queue, ['1', '2', '3'], { slots: [0, 400, 800] });
    world.push(world.open({ campaign: 2 }), ['4'], { slots: [900] });
    expect(world.left).toEqual(['1']);
    expect(world.dispatcher.waitingCampaigns).toEqual([1, 2]);
    world.dispatcher.putBackCampaigns([1]);
    world.push(queue, ['5'], { slots: [0] });
    expect(world.dispatcher.waitingCampaigns).toEqual([2]);
    await world.pass(900);
    expect(world.left).toEqual(['1', '4']);
    const released = ['2', '3', '5'].map((seq) => `${seq} queued released`);
    expect(await world.verdicts()).toEqual(released);
    await world.under[0]?.answer(ACCEPTED);
    expect(await world.verdicts()).toEqual([...released, '1 sent']);
  });

  it('of the requests some are kept for those who wait for their slots, if others need none', async () => {
    world.push(world.open(), ['1'], { slots: [100] });
    world.push(world.open({ campaign: 2 }), ['2', '3', '4', '5', '6', '7', '8', '9']);
    expect(world.left).toEqual(['2', '3', '4', '5', '6', '7', '8']);
    await world.pass(100);
    expect(world.left).toContain('1');
  });
});

it('an answer that pauses the campaign stands in the log with the words of the provider, without numbers', async () => {
  const warn = vi.spyOn(log, 'warn');
  onTestFinished(() => warn.mockRestore());
  world.push(world.open(), ['1']);
  await world.under[0]?.answer({
    ...seen,
    httpStatus: 401,
    words: 'apikey: is unknown for 254712345678',
    outcome: 'refused',
    refusal: 'credentials',
    retryHelps: true,
  });
  expect(warn.mock.calls).toEqual([
    [
      { campaign: 'a', reason: 'credentials', words: 'apikey: is unknown for 2547****5678' },
      'an answer of the provider pauses the campaign',
    ],
  ]);
});
