import type { NewReply } from '../../ledger/contracts/replies.ts';
import type { Env } from '../env.ts';
import { StopAlarm } from './record-reply.ts';
import { WakeablePause, runLoop } from '../loop.ts';
import { type ProcessOptions, processWebhooks } from './process-webhooks.ts';

/** The pause between two looks for raw webhooks. */
const EVERY_MS = 250;
/** The most raw webhooks of one look. Each has at most 64 kB, so this bounds the memory too. */
const PAGE = 500;
/** The pause between two looks for early reports, whose message was recorded after them. */
const JOIN_EVERY_MS = 1_000;
/** The longest wait for webhooks that were stored before the start. */
const STORED_MS = 5_000;

/** The readers of webhooks, and the callback for recorded ones. */
export type ReportLoopOptions = Pick<ProcessOptions, 'parse' | 'wishOf' | 'processed'>;

/** A report loop that runs. */
export interface RunningReportLoop {
  /** Starts the next look now. */
  wake(): void;
  /** Ends after the current page. The next start reads the rest. */
  stop(): Promise<void>;
}

/**
 * Starts the part of the role `worker` that reads stored webhooks. It reads every 250 ms, when woken, and at
 * once after a full page. Several processes may run it on one ledger.
 */
export function startReportLoop(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  options: ReportLoopOptions,
): RunningReportLoop {
  const stopping = new AbortController();
  const pause = new WakeablePause(env.clock);
  const rounds = new ReportRounds(env, options);
  const loop = { name: 'reports', everyMs: EVERY_MS, step: () => rounds.run() };
  const running = runLoop({ clock: pause, log: env.log }, loop, stopping.signal);
  return {
    wake: () => pause.wake(),
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

/**
 * Reads webhooks that were stored while no worker ran, for at most 5 s. A worker does so before its first
 * claim, because a STOP may be among them. Never rejects; the report loop reads the rest.
 */
export async function readStored(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  options: ReportLoopOptions,
): Promise<void> {
  const rounds = new ReportRounds(env, options);
  const stopping = new AbortController();
  const step = async () => {
    if (!(await rounds.run())) stopping.abort();
    return true;
  };
  const waited = env.clock.sleep(STORED_MS, stopping.signal).then(() => stopping.abort());
  const read = runLoop(env, { name: 'stored reports', everyMs: EVERY_MS, step }, stopping.signal);
  await Promise.race([read, waited]);
}

/** Reads raw webhooks in each round, and joins waiting reports once a second. */
class ReportRounds {
  readonly #env: Pick<Env, 'clock' | 'ledger' | 'log'>;
  readonly #options: ReportLoopOptions;
  /** Monotonic milliseconds. The first round joins reports that an earlier process left. */
  #joinedAt = -Infinity;
  readonly #alarm: StopAlarm;

  constructor(env: Pick<Env, 'clock' | 'ledger' | 'log'>, options: ReportLoopOptions) {
    this.#env = env;
    this.#options = options;
    this.#alarm = new StopAlarm(env);
  }

  /** Returns true when there may be more to read. */
  async run(): Promise<boolean> {
    const answered = (replies: NewReply[]) => this.#alarm.saw(replies);
    const taken = await processWebhooks(this.#env, { ...this.#options, limit: PAGE, answered });
    await this.#join();
    return taken === PAGE;
  }

  async #join(): Promise<void> {
    const now = this.#env.clock.monotonic();
    if (now - this.#joinedAt < JOIN_EVERY_MS) return;
    this.#joinedAt = now;
    await this.#env.ledger.joinWaiting(this.#env.clock.now());
  }
}
