import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock, Env, Processes, WireFiles } from '../../../src/campaign/env.ts';
import { type RunningWorker, startWorker } from '../../../src/campaign/worker.ts';
import type { SendingOptions } from '../../../src/campaign/sending/sending-worker.ts';
import { type FireAnew, fireAnew } from '../../../src/campaign/launch/fire-anew.ts';
import type { Campaign, CampaignSettings } from '../../../src/domain/campaign.ts';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../../src/ledger/contracts/reader.ts';
import { openLedgerHere, openReaderHere } from '../../support/ledger-here.ts';
import type { Provider } from '../../../src/provider/provider.ts';
import type { BatchJob, Consumer, Queue, TakenJob } from '../../../src/queue/queue.ts';
import { newLedgerFile } from '../../support/new-ledger-file.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { systemWireFiles } from '../../../src/system/wire-files.ts';
import { waitFor } from '../../support/wait-for.ts';

/* The engine in one process: the real ledger, a queue in memory, a provider that the test scripts. */

export const ACCOUNT = 'client-1';

/** A queue that a test can flush, and that loses everything then, as Redis would. */
export class MemoryQueue implements Queue {
  #jobs = new Map<string, BatchJob>();
  #active = 0;
  #consumers = new Set<{ pump: () => void }>();
  added = 0;

  async add(jobs: BatchJob[]): Promise<void> {
    for (const job of jobs) {
      const id = `b-${job.batch}-${job.epoch}`;
      if (this.#jobs.has(id)) continue;
      this.added += 1;
      this.#jobs.set(id, job);
      setTimeout(() => this.#consumers.forEach(({ pump }) => pump()), job.delayMs);
    }
  }

  async size(): Promise<number> {
    return this.#jobs.size + this.#active;
  }

  flush(): void {
    this.#jobs.clear();
  }

  consume(handler: (job: TakenJob) => Promise<void>, { slots }: { slots: number }): Consumer {
    let free = slots;
    let closed = false;
    const running = new Set<Promise<void>>();
    const run = async (job: BatchJob) => {
      free -= 1;
      this.#active += 1;
      await handler({ batch: job.batch, epoch: job.epoch, signal: new AbortController().signal }).catch(
        () => undefined,
      );
      this.#active -= 1;
      free += 1;
      pump();
    };
    const pump = () => {
      for (const [id, job] of this.#jobs) {
        if (closed || free === 0) return;
        this.#jobs.delete(id);
        const work = run(job);
        running.add(work);
        void work.finally(() => running.delete(work));
      }
    };
    const own = { pump };
    this.#consumers.add(own);
    return {
      idleMs: () => 0,
      restart: async () => pump(),
      close: async () => {
        closed = true;
        this.#consumers.delete(own);
        await Promise.all(running);
      },
    };
  }

  async close(): Promise<void> {
    this.#jobs.clear();
  }
}

/** A clock on which time passes `speed` times as fast as outside. */
export function fastClock(speed: number): Clock {
  const start = { wall: Date.now(), monotonic: performance.now() };
  const passed = () => (performance.now() - start.monotonic) * speed;
  return {
    now: () => Math.floor(start.wall + passed()),
    monotonic: () => start.monotonic + passed(),
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

/** No sleep on a JumpClock is longer: whoever was just going to sleep while it jumped looks again soon. */
const LONGEST_SLEEP_MS = 40;

/** A clock that begins at a date and jumps: whoever sleeps until before the new time wakes. Between jumps time is real. */
export class JumpClock implements Clock {
  #passedMs = 0;
  readonly #from: number;
  readonly #sleeping = new Set<{ until: number; wake: () => void }>();

  constructor(from: number) {
    this.#from = from - performance.now();
  }

  now(): number {
    return Math.floor(this.#from + this.monotonic());
  }

  monotonic(): number {
    return performance.now() + this.#passedMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const sleeper = { until: this.monotonic() + ms, wake: () => woken.abort() };
    this.#sleeping.add(sleeper);
    const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]);
    await systemClock.sleep(Math.min(ms, LONGEST_SLEEP_MS), either);
    this.#sleeping.delete(sleeper);
  }

  /** Moves on to a wall-clock millisecond. */
  jumpTo(at: number): void {
    this.#passedMs += Math.max(0, at - this.now());
    for (const sleeper of this.#sleeping) if (sleeper.until <= this.monotonic()) sleeper.wake();
  }
}

/** Notes when each claimed message may leave, in the order of the claims. Begin before the workers do. */
export function watchSlots({ ledger }: Engine): { mobile: string; slotAt: number; segments: number }[] {
  const slots: { mobile: string; slotAt: number; segments: number }[] = [];
  const claim = ledger.claim.bind(ledger);
  ledger.claim = async (request) => {
    const claimed = await claim(request);
    slots.push(...claimed.messages);
    return claimed;
  };
  return slots;
}

/** The most of these moments within a second, however it lies. */
export function mostInOneSecond(times: readonly number[]): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

export interface Engine {
  /** Of the ledger. */
  file: string;
  ledger: Ledger;
  reader: LedgerReader;
  queue: MemoryQueue;
  clock: Clock;
  env: (provider: Provider, processes?: Processes) => Env;
  /** A campaign of `count` messages, activated. */
  launch(
    count: number,
    settings?: Partial<CampaignSettings> & {
      kind?: Campaign['kind'];
      budgetMicro?: number;
      startAt?: number;
      /** Of the rendered text; without it no text is compared. */
      textHash?: number;
      /** Of each message; without it one. */
      segments?: number;
      /** The identity of the launch; without it one of its own. */
      hashes?: string;
    },
  ): Promise<Campaign>;
  start(
    provider: Provider,
    options?: Partial<SendingOptions> & { watchPausesMs?: number },
  ): Promise<RunningWorker>;
  until(campaign: Campaign, state: string): Promise<Awaited<ReturnType<LedgerReader['overview']>>>;
}

/** A clock that somebody sets: by the wall it is later or earlier, while the monotonic one goes on as it did. */
export function settableClock(): Clock & { set: (ms: number) => void } {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    set: (ms) => {
      ahead += ms;
    },
  };
}

/** Opens an engine in a folder of its own, or over a ledger that is there; everything is closed when the test ends. */
export async function openEngine(clock: Clock = systemClock, over?: string): Promise<Engine> {
  const file = over ?? (await newLedgerFile());
  const ledger = await openLedgerHere(file);
  const reader = await openReaderHere(file);
  const queue = new MemoryQueue();
  const workers: RunningWorker[] = [];
  onTestFinished(async () => {
    for (const worker of workers) await worker.stop();
    await reader.close();
    await ledger.close();
  });
  let pid = 1_000;
  const env = (provider: Provider, processes: Processes = alive((pid += 1))): Env => ({
    clock,
    random: Math.random,
    provider,
    queue,
    ledger,
    processes,
    wire: systemWireFiles(`${dirname(file)}/wire`, SILENT),
    log: SILENT,
  });
  return {
    file,
    ledger,
    reader,
    queue,
    clock,
    env,
    launch: (count, settings = {}) => launch({ ledger, clock }, count, settings),
    start: async (provider, options = {}) => {
      const defaults = {
        concurrency: 32,
        claimLimit: 128,
        accountRate: null,
        prices: [PRICE],
        watchPausesMs: 200,
      };
      const own = env(provider);
      const copies = makeTempDir();
      const anew: FireAnew = (schedule, firing, signal) =>
        fireAnew({ ...own, copies, signal }, schedule, firing);
      const worker = await startWorker(own, { ...defaults, fireAnew: anew, ...options });
      workers.push(worker);
      return worker;
    },
    until: async (campaign, state) => {
      const stateOf = async () => (await reader.overview(campaign.n)).state;
      await waitFor(async () => (await stateOf()) === state, {
        what: `campaign to be ${state}`,
      });
      return reader.overview(campaign.n);
    },
  };
}

/** Of a home that keeps no notes, or whose workers hold the locks of theirs. */
export const NO_NOTES: WireFiles = {
  open: () => null,
  inherit: () => ({ state: 'none' }),
  clear: () => undefined,
};

/** The log of every engine. */
export const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Cost a segment at the scripted provider. */
export const PRICE = 800_000;

function alive(pid: number): Processes {
  const self = { bootId: 'boot', pidNamespace: 'ns', pid, startTicks: '1', roles: 'worker' };
  return { self: () => self, fate: () => 'alive' };
}

const SETTINGS: CampaignSettings = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: null,
  ratePerSecond: null,
  retry: { attempts: 3, firstMs: 100, mostMs: 400 },
  batchSize: 100,
  header: ['Phone', 'Name'],
  columns: {},
  gsmSafe: false,
  optOutText: '',
};

let names = 0;

async function launch(
  { ledger, clock }: { ledger: Ledger; clock: Clock },
  count: number,
  options: Parameters<Engine['launch']>[1] & object,
): Promise<Campaign> {
  const { kind = 'promotional', budgetMicro, startAt, textHash, hashes, segments = 1, ...settings } = options;
  const id = `camp${(names += 1)}`;
  const now = clock.now();
  const campaign = await ledger.createDraft({
    id,
    name: id,
    kind,
    sender: 'DUKA',
    template: 'Hi {{Name}}',
    settings: { ...SETTINGS, ...settings },
    hashes: { job: hashes ?? id, template: hashes ?? id, contacts: hashes ?? id },
    now,
  });
  const rows = Array.from({ length: count }, (_, index) => {
    const mobile = String(254_700_000_000 + index);
    const row = { line: index + 2, mobile, key: '', occurrence: '', fields: [mobile, 'Ann'], segments };
    return textHash === undefined ? row : { ...row, textHash };
  });
  for (let at = 0; at < count; at += 5_000)
    await ledger.addMessages(campaign.n, rows.slice(at, at + 5_000), { now });
  await ledger.beginReading(ACCOUNT, now);
  const counts = { read: count, planned: count, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 };
  await ledger.activate({
    campaign: campaign.n,
    account: ACCOUNT,
    budgetMicro: budgetMicro ?? null,
    estimatedMicro: null,
    startAt: startAt ?? null,
    startDeadlineMs: 3_600_000,
    counts,
    now,
    by: 'operator',
  });
  return (await ledger.campaign(campaign.n)) ?? campaign;
}
