import type { BalanceResult, Provider, SendRequest, SendResult } from '../../../src/provider/provider.ts';
import { ACCOUNT, PRICE } from './engine.ts';

type Accepted = Extract<SendResult, { outcome: 'accepted' }>;
/** What a script says of one request; `accepted` is filled in and charged. */
export type Scripted = 'accept' | Exclude<SendResult, Accepted>;

const PLAIN = { httpStatus: 200, code: '200', words: 'Success', raw: null };

/** A provider in memory with a balance that really goes down, and the truth of what it accepted. */
export class ScriptedProvider implements Provider {
  mapAnswers(): void {}

  creditMicro: number;
  /** Accepted requests by number. */
  readonly accepted = new Map<string, number>();
  /** Wall-clock times at which requests came. */
  readonly times: number[] = [];
  creditRefusals = 0;
  inFlight = 0;
  mostInFlight = 0;
  balanceCalls = 0;
  balanceAnswer: (() => BalanceResult) | null = null;
  readonly #network: (mobile: string) => string | null;
  readonly #script: (request: SendRequest, count: number) => Scripted | Promise<Scripted>;
  #ids = 0;

  constructor(
    options: {
      creditMicro?: number;
      /** The network that an accepted answer names. */
      network?: (mobile: string) => string | null;
      script?: (request: SendRequest, count: number) => Scripted | Promise<Scripted>;
    } = {},
  ) {
    this.creditMicro = options.creditMicro ?? 1_000_000_000_000;
    this.#network = options.network ?? (() => '1');
    this.#script = options.script ?? (() => 'accept');
  }

  get acceptedCount(): number {
    return [...this.accepted.values()].reduce((sum, times) => sum + times, 0);
  }

  get doubles(): number {
    return [...this.accepted.values()].filter((times) => times > 1).length;
  }

  async send(request: SendRequest): Promise<SendResult> {
    const count = this.times.push(Date.now());
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      // An answer takes at least a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      const scripted = await this.#script(request, count);
      return scripted === 'accept' ? this.#accept(request) : scripted;
    } finally {
      this.inFlight -= 1;
    }
  }

  async balance(): Promise<BalanceResult> {
    this.balanceCalls += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return this.balanceAnswer?.() ?? { outcome: 'balance', creditMicro: this.creditMicro, clientId: ACCOUNT };
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #accept({ mobile }: SendRequest): SendResult {
    if (this.creditMicro < PRICE) {
      this.creditRefusals += 1;
      return {
        outcome: 'refused',
        refusal: 'credit',
        retryHelps: true,
        ...PLAIN,
        code: '1004',
        words: 'Low credits',
      };
    }
    this.creditMicro -= PRICE;
    this.accepted.set(mobile, (this.accepted.get(mobile) ?? 0) + 1);
    this.#ids += 1;
    return {
      outcome: 'accepted',
      messageId: `m${this.#ids}`,
      network: this.#network(mobile),
      costMicro: PRICE,
      flags: [],
      ...PLAIN,
    };
  }
}

/** Some answers for scripts. */
export const ANSWERS = {
  deadline: {
    outcome: 'unknown',
    kind: 'deadline',
    httpStatus: null,
    code: null,
    words: 'deadline',
    raw: null,
  },
  notSent: {
    outcome: 'not_sent',
    fatal: false,
    httpStatus: null,
    code: 'ECONNREFUSED',
    words: 'refused',
    raw: null,
  },
  network: {
    outcome: 'refused',
    refusal: 'network',
    retryHelps: false,
    ...PLAIN,
    code: '1002',
    words: 'Network not allowed',
  },
  throttled: { outcome: 'throttled', retryAfterMs: 100, ...PLAIN, httpStatus: 429 },
  credentials: {
    outcome: 'refused',
    refusal: 'credentials',
    retryHelps: true,
    ...PLAIN,
    code: '1006',
    words: 'Invalid credentials',
  },
  sender: {
    outcome: 'refused',
    refusal: 'sender',
    retryHelps: true,
    ...PLAIN,
    code: '1001',
    words: 'Invalid sender',
  },
  contact: {
    outcome: 'refused',
    refusal: 'contact',
    retryHelps: false,
    ...PLAIN,
    code: '1003',
    words: 'Invalid mobile',
  },
} as const satisfies Record<string, Scripted>;
