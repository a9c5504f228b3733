import type { Env } from '../env.ts';
import { StopAlarm } from './record-reply.ts';
import { WakeablePause, runLoop } from '../loop.ts';
import { type ProcessOptions, processWebhooks } from './record-report.ts';

/** Between two looks for raw webhooks. */
const EVERY_MS = 250;
/** Raw webhooks of one look: at most 64 kB each, so this bounds the memory too. */
const PAGE = 500;
/** Between two looks for reports whose message has become known meanwhile (its outcome was recorded after it came). */
const JOIN_EVERY_MS = 1_000;

/** What was stored before is waited for so long at most: nothing is put off for good. */
const STORED_MS = 5_000;

/** How webhooks are read, and who is told of what was recorded. */
export interface ReportLoopOptions {
  parse: ProcessOptions['parse'];
  wishOf?: ProcessOptions['wishOf'];
  processed?: ProcessOptions['processed'];
}

/** A report loop that runs. */
export interface RunningReportLoop {
  /** Looks now instead of at the end of the pause. */
  wake(): void;
  /** Ends after the page under way. What is left is in the store and is read at the next start. */
  stop(): Promise<void>;
}

/**
 * Starts the part of the role `worker` that reads what the collector stored: every 250 ms and when woken, at once again
 * while there is a full page. Several processes may run it on one ledger.
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
 * Reads what was stored while no worker was there, until nothing is left or 5 s have passed: before a worker's first
 * claim, because a STOP among it, which is read first, must be known by then. Never rejects; what is left is the report loop's.
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

/** One round after another: raw webhooks each time, waiting reports now and then. */
class ReportRounds {
  readonly #env: Pick<Env, 'clock' | 'ledger' | 'log'>;
  readonly #options: ReportLoopOptions;
  /** Monotonic milliseconds. The first round joins what an earlier process left. */
  #joinedAt = -Infinity;
  readonly #alarm: StopAlarm;

  constructor(env: Pick<Env, 'clock' | 'ledger' | 'log'>, options: ReportLoopOptions) {
    this.#env = env;
    this.#options = options;
    this.#alarm = new StopAlarm(env);
  }

  /** Answers true when there is surely more to read. */
  async run(): Promise<boolean> {
    const { parse, processed, wishOf } = this.#options;
    const taken = await processWebhooks(this.#env, {
      parse,
      limit: PAGE,
      answered: (replies) => this.#alarm.saw(replies),
      ...(wishOf === undefined ? {} : { wishOf }),
      ...(processed === undefined ? {} : { processed }),
    });
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
