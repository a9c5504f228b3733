import type { Outage } from '../../domain/pace/outage.ts';
import type { Env } from '../env.ts';
import { WireNote } from './wire-note.ts';

/** This process in the ledger: its number and its wire note. Both are new after it was taken for dead. */
export class Registration {
  readonly #env: Env;
  #note: WireNote;

  constructor(env: Env, note: WireNote) {
    this.#env = env;
    this.#note = note;
  }

  /** Registers this process. */
  static async begin(env: Env): Promise<Registration> {
    return new Registration(env, await register(env));
  }

  /** The ledger's number for this process. */
  get id(): number {
    return this.#note.worker;
  }

  /** The messages in flight. */
  get note(): WireNote {
    return this.#note;
  }

  /** A sign of life, with the outage that this process sees. */
  async beat(outage: Outage | null): Promise<void> {
    const { clock, ledger, log } = this.#env;
    // The clock check comes before the heartbeat, because a new heartbeat hides an earlier one from the
    // future.
    await ledger.clockSetBack(() => clock.now());
    if (await ledger.heartbeat(this.id, clock.now(), outage)) return this.#note.renew();
    // The process slept and was taken for dead, so its messages are uncertain and its claims have expired.
    this.#note.close();
    this.#note = await register(this.#env);
    log.warn({ worker: this.id }, 'this process had been taken for dead and registers again');
  }

  /** The worker leaves in order. */
  async end(): Promise<void> {
    await this.#env.ledger.retireWorker(this.id, this.#env.clock.now());
    this.#note.close();
  }
}

/** The lock is taken before the worker is visible to others, so that a free lock proves a death. */
async function register(env: Env): Promise<WireNote> {
  const file = env.wire.open();
  try {
    const registration = { ...env.processes.self(), lock: file?.lock ?? null };
    const worker = await env.ledger.registerWorker(registration, env.clock.now());
    return new WireNote(env, worker, file);
  } catch (error) {
    file?.unlock();
    throw error;
  }
}
