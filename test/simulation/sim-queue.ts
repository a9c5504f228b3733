import type { BatchJob, Consumer, Queue, TakenJob } from '../../src/queue/queue.ts';
import type { SimProcess, Surroundings } from './sim-process.ts';

/** A process that takes jobs. */
interface Taker {
  process: SimProcess;
  handler: (job: TakenJob) => Promise<void>;
  free: number;
  /** Never wakes until it is made anew, as BullMQ did after an outage of Redis. */
  deaf: boolean;
  takenAt: number;
}

/** After so long the job of a dead process is given to another one. */
const STALLED_MS = 5_000;

/** One Redis for all processes. It may be flushed, be away, give a job twice, and bring back what was done long ago. */
export class SimQueue {
  away = false;
  readonly #world: Surroundings;
  #waiting = new Map<string, BatchJob>();
  #active = new Set<string>();
  #takers = new Set<Taker>();
  /** Every job ever added: what an old snapshot brings back. */
  #history: BatchJob[] = [];

  constructor(world: Surroundings) {
    this.#world = world;
  }

  /** Redis as one process sees it. */
  client(process: SimProcess): Queue {
    const cross = <Answer>(name: string, apply: () => { answer: Answer; changed: boolean }) =>
      process.cross({
        name: `queue.${name}`,
        apply: () => {
          if (this.away) throw new Error('Redis does not answer');
          return apply();
        },
      });
    return {
      add: (jobs) => cross('add', () => ({ answer: undefined, changed: this.#addAll(process, jobs) })),
      size: () => cross('size', () => ({ answer: this.#waiting.size + this.#active.size, changed: false })),
      consume: (handler, { slots }) => this.#consume(process, handler, slots),
      close: async () => undefined,
    };
  }

  /** FLUSHALL. */
  flush(): void {
    this.#waiting.clear();
    this.#active.clear();
  }

  /** An old snapshot comes back: jobs that were done long ago. */
  restoreOld(): void {
    for (const job of this.#history.slice(-20)) this.#waiting.set(idOf(job), job);
    this.#pump();
  }

  deafen(): void {
    for (const taker of this.#takers) taker.deaf = true;
  }

  /** `addBulk` is no transaction: each job that is in the queue is an effect, and whoever adds may die between two. */
  #addAll(process: SimProcess, jobs: BatchJob[]): boolean {
    let added = false;
    for (const job of jobs) {
      if (added) process.did('queue.add');
      if (!process.alive) return true;
      added = this.#add([job]);
    }
    return added;
  }

  #add(jobs: BatchJob[]): boolean {
    const fresh = jobs.filter((job) => !this.#waiting.has(idOf(job)) && !this.#active.has(idOf(job)));
    for (const job of fresh) {
      this.#waiting.set(idOf(job), job);
      this.#history.push(job);
      this.#world.time.in(job.delayMs, () => this.#pump());
    }
    return fresh.length > 0;
  }

  #consume(process: SimProcess, handler: Taker['handler'], slots: number): Consumer {
    const { time } = this.#world;
    const taker: Taker = { process, handler, free: slots, deaf: false, takenAt: time.now };
    this.#takers.add(taker);
    process.onDeath(() => this.#takers.delete(taker));
    const idle = Promise.withResolvers<void>();
    const close = () => {
      this.#takers.delete(taker);
      const look = () => (taker.free === slots ? idle.resolve() : time.in(1, look));
      look();
      return idle.promise;
    };
    const restart = async () => {
      taker.deaf = false;
      this.#pump();
    };
    return { idleMs: () => time.now - taker.takenAt, restart, close };
  }

  #pump(): void {
    if (this.away) return;
    for (const [id, job] of this.#waiting) {
      const ready = [...this.#takers].filter(({ free, deaf, process }) => free > 0 && !deaf && process.alive);
      if (ready.length === 0) return;
      this.#waiting.delete(id);
      this.#active.add(id);
      this.#give(this.#world.chance.pick(ready), job);
    }
  }

  #give(taker: Taker, job: BatchJob): void {
    const { process, handler } = taker;
    taker.free -= 1;
    taker.takenAt = this.#world.time.now;
    process.onDeath(() => this.#stalled(job));
    const free = () => {
      taker.free += 1;
      this.#active.delete(idOf(job));
      this.#pump();
    };
    const { batch, epoch } = job;
    void process.deliver(() => {
      void handler({ batch, epoch, signal: new AbortController().signal })
        .catch(() => undefined)
        .then(free);
    });
  }

  #stalled(job: BatchJob): void {
    if (!this.#active.has(idOf(job))) return;
    this.#world.time.in(STALLED_MS, () => {
      this.#active.delete(idOf(job));
      this.#add([job]);
    });
  }
}

function idOf({ batch, epoch }: BatchJob): string {
  return `b-${batch}-${epoch}`;
}
