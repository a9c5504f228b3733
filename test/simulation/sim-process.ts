import type { Clock, Processes } from '../../src/campaign/env.ts';
import type { Chance } from './chance.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What a process shares with the rest of its world. */
export interface Surroundings {
  time: VirtualTime;
  chance: Chance;
  /** The wall clock is so far ahead of the monotonic one; it jumps. */
  wallOffset: number;
  /** Told of every effect after it happened and before its answer is heard. It may kill the process. */
  effect(process: SimProcess, name: string, changed: boolean): void;
}

/** The answer of a call, and whether anything outside of the process is different now. */
interface Applied<Answer> {
  answer: Answer;
  changed: boolean;
}

/** One call that crosses the border of a process. */
export interface Crossing<Answer> {
  name: string;
  /** The effect itself. */
  apply: () => Applied<Answer> | Promise<Applied<Answer>>;
}

type Run = () => void | Promise<void>;

const LONGEST_CALL_MS = 2;
const LONGEST_ANSWER_MS = 1;

/**
 * One life of one process. Whatever it does outside of itself crosses here; when it is dead nothing crosses any more and
 * nothing is answered, so its code stands still for ever at that point. A suspended one gets everything when it wakes.
 */
export class SimProcess {
  readonly pid: number;
  readonly clock: Clock;
  alive = true;
  readonly #world: Surroundings;
  readonly #onDeath: (() => void)[] = [];
  #asleep: Run[] | null = null;
  /** Calls of the ledger are carried out in the order in which they were made. */
  #lastCallAt = 0;

  constructor(world: Surroundings, pid: number) {
    this.#world = world;
    this.pid = pid;
    this.clock = {
      now: () => Math.floor(world.time.now + world.wallOffset),
      monotonic: () => world.time.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  get suspended(): boolean {
    return this.#asleep !== null;
  }

  /** Runs something in this process: now, when it wakes, or never. */
  deliver(run: Run): void | Promise<void> {
    if (!this.alive) return;
    if (this.#asleep === null) return run();
    this.#asleep.push(run);
  }

  /** Carries out a call after a moment, and answers it after another. */
  cross<Answer>(crossing: Crossing<Answer>): Promise<Answer> {
    const { time, chance } = this.#world;
    return new Promise((resolve, reject) => {
      if (!this.alive) return;
      this.#lastCallAt = Math.max(this.#lastCallAt, time.now + chance.between(0, LONGEST_CALL_MS));
      time.at(this.#lastCallAt, () =>
        this.deliver(async () => {
          const settle = await this.#carryOut(crossing, { resolve, reject });
          time.in(chance.between(0, LONGEST_ANSWER_MS), () => this.deliver(settle));
        }),
      );
    });
  }

  /** A part of a call has had its effect. It may be the last thing that this process does. */
  did(name: string): void {
    this.#world.effect(this, name, true);
  }

  onDeath(run: () => void): void {
    this.#onDeath.push(run);
  }

  kill(): void {
    this.alive = false;
    this.#asleep = null;
    for (const run of this.#onDeath.splice(0)) run();
  }

  suspend(): void {
    this.#asleep ??= [];
  }

  wake(): void {
    const late = this.#asleep ?? [];
    this.#asleep = null;
    // One by one, as an event loop has them: between two of them promises go on.
    for (const run of late) this.#world.time.in(0, () => this.deliver(run));
  }

  /** What this process can know of others on its machine; `unknown` for those of another one. */
  processes(fateOf: (pid: number) => 'alive' | 'dead' | 'unknown'): Processes {
    const { pid } = this;
    return {
      self: () => ({
        bootId: 'boot',
        pidNamespace: 'ns',
        pid,
        startTicks: String(pid),
        roles: 'worker,collector',
      }),
      fate: (identity) => fateOf(identity.pid),
    };
  }

  async #carryOut<Answer>(
    { name, apply }: Crossing<Answer>,
    { resolve, reject }: { resolve: (answer: Answer) => void; reject: (error: unknown) => void },
  ): Promise<() => void> {
    try {
      const { answer, changed } = await apply();
      if (this.alive) this.#world.effect(this, name, changed);
      return () => resolve(answer);
    } catch (error) {
      return () => reject(error);
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (!this.alive) return;
      if (signal?.aborted === true) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      signal?.addEventListener('abort', wake, { once: true });
      this.#world.time.in(Math.max(ms, 0), () => this.deliver(wake));
    });
  }
}
