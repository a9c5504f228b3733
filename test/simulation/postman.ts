import type { ReceivedWebhook } from '../../src/campaign/inbound/store-webhook.ts';
import type { SimProcess, Surroundings } from './sim-process.ts';
import type { Accepted, ReportWord, Truth } from './truth.ts';

/** A process that takes webhooks, and the status that it answers with. */
export interface Door {
  process: SimProcess;
  receive: (webhook: ReceivedWebhook) => Promise<number>;
}

/** The provider's side of webhooks: posts each until it is answered with a 200, and some of them more than once. */
export class Postman {
  doors: Door[] = [];
  /** The share of webhooks that are posted again though they were answered. */
  repeats = 0;
  /** Not acknowledged yet. */
  open = 0;
  readonly #world: Surroundings;
  readonly #truth: Truth;
  #posted = 0;

  constructor(world: Surroundings, truth: Truth) {
    this.#world = world;
    this.#truth = truth;
  }

  /** A delivery report. */
  report(message: Accepted, word: ReportWord, inMs: number): void {
    const body = {
      event: 'sms.delivery',
      messageid: message.messageId,
      mobile: message.mobile,
      status: WORDS[word],
      number: (this.#posted += 1),
    };
    this.post(JSON.stringify(body), inMs, () => message.reported.push(word));
  }

  /** Somebody answers STOP. */
  stopWish(mobile: string): void {
    const body = {
      event: 'sms.received',
      mobile,
      message: 'STOP',
      shortcode: 'DUKA',
      time: (this.#posted += 1),
    };
    this.post(JSON.stringify(body), 0);
  }

  /** Posts `body` in `inMs`, until it is acknowledged. */
  post(body: string, inMs: number, acknowledged: () => void = () => undefined): void {
    this.open += 1;
    let done = false;
    const finish = () => {
      if (done) return;
      done = true;
      this.open -= 1;
      this.#truth.acknowledged.push(body);
      acknowledged();
      if (this.#world.chance.of(this.repeats)) this.post(body, this.#world.chance.between(0, 5_000));
    };
    this.#world.time.in(inMs, () => this.#try({ body, finish, isDone: () => done }));
  }

  #try(letter: Letter): void {
    const { time, chance } = this.#world;
    if (letter.isDone()) return;
    const doors = this.doors.filter(({ process }) => process.alive);
    if (doors.length > 0) this.#knock(chance.pick(doors), letter);
    // No answer in time, or a 503: the same again.
    time.in(chance.between(RETRY_MS.least, RETRY_MS.most), () => this.#try(letter));
  }

  #knock({ process, receive }: Door, { body, finish }: Letter): void {
    const webhook = {
      method: 'POST',
      contentType: 'application/json',
      query: '',
      body: new TextEncoder().encode(body),
      ip: '10.0.0.1',
    };
    const answered = (status: number) => {
      if (!process.alive || status !== 200) return;
      finish();
      this.#world.effect(process, 'webhook.acknowledged', true);
    };
    void process.deliver(() => void receive(webhook).then(answered));
  }
}

interface Letter {
  body: string;
  finish: () => void;
  isDone: () => boolean;
}

const WORDS = { delivered: 'DeliveredToTerminal', undelivered: 'Failed', pending: 'Sent' } as const;
const RETRY_MS = { least: 3_000, most: 6_000 };
