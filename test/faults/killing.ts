import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts';
import { checkRun, countCampaigns, isOpen, leftSending } from './check.ts';
import { type Stage, writeContacts } from './harness.ts';
import { launchFor } from './orders.ts';
import type { Seeded } from './seeds.ts';

/* Worker processes that are killed, or told to stop, at moments that only chance decides. */

/** Longer than a worker takes from its start to its first messages. */
const LATEST_MS = 1_800;
const CHECK_EVERY = 20;
const LOOK_MS = 15;

/** What so many ended workers came to. */
export interface Ending {
  /** Most messages that one of them left `sending`: they become uncertain. */
  mostLeft: number;
  /** Milliseconds from the start of the next worker to the next accepted message. */
  resumeMs: number[];
}

/** How workers end. */
export interface EndPlan {
  random: Seeded;
  /** How many workers end. */
  times: number;
  /** Ends one. Answers whether it may leave messages `sending`. */
  end: (worker: TestProcess) => Promise<{ mayLeave: boolean }>;
  /** Lives at the same time; one by default. */
  lives?: number;
}

/** Other contents of the same numbers: the next launch makes another campaign. */
export function nextContacts(stage: Stage): void {
  writeContacts(stage.directory, { contacts: stage.contacts, name: `Round ${countCampaigns(stage)}` });
}

/** Launches a campaign where none is open; a worker must run, or come, for it to be sent. */
export async function keepOpen(stage: Stage): Promise<void> {
  if (countCampaigns(stage) > 0 && isOpen(stage)) return;
  nextContacts(stage);
  await launchFor(stage);
}

/** Starts workers and ends them, with a campaign always under way, and checks the ledger against the truth meanwhile. */
export async function endWorkers(stage: Stage, plan: EndPlan): Promise<Ending> {
  const { random, times, end, lives = 1 } = plan;
  const ending: Ending = { mostLeft: 0, resumeMs: [] };
  let ended = 0;
  let begun = 0;
  let kills = 0;
  let opening = Promise.resolve();
  const live = async () => {
    while (begun < times) {
      begun += 1;
      // One launch at a time, or the lives would stand in each other's way.
      opening = opening.then(() => keepOpen(stage));
      await opening;
      const { accepted } = await stage.provider.stats();
      const startedAt = performance.now();
      const worker = stage.serve('worker');
      const first = await untilItsTime(stage, worker, { accepted, random });
      if (first !== null && lives === 1) ending.resumeMs.push(first - startedAt);
      const { mayLeave } = await end(worker);
      const left = leftSending(stage, worker.pid);
      if (!mayLeave) expect(left).toBe(0);
      else kills += 1;
      ending.mostLeft = Math.max(ending.mostLeft, left);
      ended += 1;
      if (ended % CHECK_EVERY === 0) await checkRun(stage, { kills: kills + lives, settled: false });
    }
  };
  await Promise.all(Array.from({ length: lives }, live));
  return ending;
}

/** Half of the ends come at any time at all, half while messages are under way. Answers when it first sent. */
async function untilItsTime(
  stage: Stage,
  worker: TestProcess,
  { accepted, random }: { accepted: number; random: Seeded },
): Promise<number | null> {
  const anyTime = random.next() < 0.5;
  const until = performance.now() + (anyTime ? random.whole(0, LATEST_MS) : PATIENCE_MS);
  const enough = anyTime ? Infinity : accepted + random.whole(1, 150);
  let first: number | null = null;
  const life = { over: false };
  void worker.exited.then(() => (life.over = true));
  while (performance.now() < until && !life.over) {
    const now = (await stage.provider.stats()).accepted;
    if (now > accepted) first ??= performance.now();
    if (now >= enough || (!anyTime && !isOpen(stage))) break;
    await sleep(Math.min(LOOK_MS, Math.max(0, until - performance.now())));
  }
  expect(life.over, worker.stderr()).toBe(false);
  return first;
}

/** Waits until nothing of the campaign is queued or sending. */
export async function untilSettled(stage: Stage): Promise<void> {
  await waitFor(() => !isOpen(stage), { what: 'the campaign to be settled', timeoutMs: 3 * PATIENCE_MS });
}

/** A worker sees the open campaign through, and leaves. Answers the milliseconds that it took to settle it. */
export async function settle(stage: Stage): Promise<number> {
  const startedAt = performance.now();
  const worker = stage.serve('worker');
  await untilSettled(stage);
  const took = performance.now() - startedAt;
  await worker.stop('SIGTERM');
  return took;
}

/** SIGKILL, of the private Redis too with that probability. */
export function killing(stage: Stage, random: Seeded, withRedis = 0.15): EndPlan['end'] {
  return async (worker) => {
    if (random.next() < withRedis) stage.redis.kill();
    await worker.stop('SIGKILL');
    return { mayLeave: true };
  };
}
