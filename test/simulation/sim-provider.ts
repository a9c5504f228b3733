import type { BalanceResult, Provider, SendRequest, SendResult } from '../../src/provider/provider.ts';
import { type Answer, isUnknown, resultOf } from './answers.ts';
import type { Postman } from './postman.ts';
import type { SimProcess, Surroundings } from './sim-process.ts';
import type { Accepted, Truth } from './truth.ts';

export const ACCOUNT = 'client-1';
/** Cost of a message in millionths. */
export const PRICE = 800_000;

const LONGEST_WAY_MS = 20;
const DEADLINE_MS = 30_000;

/** What a provider is made of. */
export interface ProviderOptions {
  world: Surroundings;
  truth: Truth;
  postman: Postman;
  /** Decides each request; `nth` counts those to the same number, from 1. */
  script: (request: SendRequest, nth: number) => Answer;
  /** Told of each request that begins, for the ledger must show a committed attempt of that process now (I4). */
  began: (request: SendRequest, process: SimProcess) => void;
}

/** The messaging service: a balance that really goes down, and a log of what really happened. */
export class SimProvider {
  creditMicro = 1_000 * PRICE;
  /** What balance calls are answered with instead, while set. */
  balanceTrouble: BalanceResult | null = null;
  /** What an answer names as the number's network. */
  networkOf: (mobile: string) => string = () => '1';
  readonly #options: ProviderOptions;
  readonly #counts = new Map<string, number>();
  #ids = 0;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** The service as one process reaches it. */
  client(process: SimProcess): Provider {
    return {
      send: (request) => this.#send(process, request),
      balance: () => this.#balance(process),
      mapAnswers: () => undefined,
      close: async () => undefined,
    };
  }

  #send(process: SimProcess, request: SendRequest): Promise<SendResult> {
    const { world, truth, script, began } = this.#options;
    return new Promise((resolve) => {
      request.beforeWrite?.();
      if (!process.alive) return;
      truth.requests.push({ pid: process.pid, mobile: request.mobile, at: world.time.now });
      began(request, process);
      const nth = (this.#counts.get(request.mobile) ?? 0) + 1;
      this.#counts.set(request.mobile, nth);
      const answer = script(request, nth);
      const arrivesMs = Math.min(world.chance.between(0, LONGEST_WAY_MS), answer.ms);
      const exchange = { process, request, answer, leftAt: world.time.now, resolve };
      // Whether the bytes of a process that dies now still get through is the network's affair.
      const getsThrough = world.chance.of(0.5);
      world.time.in(arrivesMs, () => {
        if (process.alive || getsThrough) this.#arrive(exchange);
      });
      world.effect(process, 'provider.send', true);
    });
  }

  #arrive({ process, request, answer, leftAt, resolve }: Exchange): void {
    const { world, truth } = this.#options;
    const result = this.#take(request, answer, leftAt);
    const answersAt = leftAt + (answer.says === 'deadline' ? DEADLINE_MS : answer.ms);
    if (result.outcome === 'unknown') truth.lostAnswers += 1;
    world.time.at(answersAt, () => process.deliver(() => resolve(result)));
    world.effect(process, `provider.${answer.accepts ? 'accepted' : answer.says}`, true);
  }

  #take(request: SendRequest, answer: Answer, leftAt: number): SendResult {
    const { truth } = this.#options;
    if (!answer.accepts) {
      if (answer.says === 'accepted') throw new Error('an answer that lies is no row of the matrix');
      return resultOf(answer.says);
    }
    if (this.creditMicro < PRICE) {
      truth.creditRefusals += 1;
      return resultOf('credit');
    }
    this.creditMicro -= PRICE;
    const message = this.#accept(request, answer);
    this.#report(message, answer, leftAt);
    if (isUnknown(answer.says)) return resultOf(answer.says);
    return acceptance(message, { ...answer, network: this.networkOf(message.mobile) });
  }

  #accept({ mobile, message: text }: SendRequest, { repeatsId = false }: Answer): Accepted {
    const { world, truth } = this.#options;
    if (!repeatsId || this.#ids === 0) this.#ids += 1;
    const messageId = `m${this.#ids}`;
    const accepted = { mobile, text, messageId, costMicro: PRICE, at: world.time.now, reported: [] };
    truth.accepted.push(accepted);
    return accepted;
  }

  #report(message: Accepted, { reports = [] }: Answer, leftAt: number): void {
    const { postman, world } = this.#options;
    for (const { word, afterMs } of reports)
      postman.report(message, word, Math.max(0, leftAt + afterMs - world.time.now));
  }

  #balance(process: SimProcess): Promise<BalanceResult> {
    const apply = () => ({
      answer: this.balanceTrouble ?? {
        outcome: 'balance' as const,
        creditMicro: this.creditMicro,
        clientId: ACCOUNT,
      },
      changed: false,
    });
    return process.cross({ name: 'provider.balance', apply });
  }
}

interface Exchange {
  process: SimProcess;
  request: SendRequest;
  answer: Answer;
  /** Monotonic milliseconds. */
  leftAt: number;
  resolve: (result: SendResult) => void;
}

function acceptance(
  { messageId, costMicro }: Accepted,
  { hidesCost = false, network }: Answer & { network: string },
): SendResult {
  return {
    outcome: 'accepted',
    messageId,
    network,
    costMicro: hidesCost ? null : costMicro,
    flags: hidesCost ? ['cost_unreadable'] : [],
    httpStatus: 200,
    code: '200',
    words: 'Success',
    raw: null,
  };
}
