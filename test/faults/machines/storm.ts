import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for.ts';
import type { Seeded } from '../seeds.ts';
import type { Machine } from './machine.ts';
import type { Office } from './office.ts';

/* What happens to the machines while a campaign is sent. Shares are those of its messages that the provider accepted. */

const KILL_EVERY_MS = { least: 2_000, most: 5_000 };
/** Of killed workers, those whose home is gone with them. */
const LOST_SHARE = 0.2;
/** More than a lease and the grace after it, 90 s. */
const FROZEN_MS = 100_000;
const CUT_MS = 120_000;
const STEP_MS = 300_000;

export interface Storm {
  office: Office;
  workers: readonly Machine[];
  messages: number;
  random: Seeded;
  /** Whether one worker is cut off from Postgres. */
  cuts: boolean;
  /** Prints a line. */
  log: (line: string) => void;
}

/** What it came to. */
export interface Struck {
  /** Workers that were killed and came back with their home. */
  killed: number;
  /** Workers whose machine was lost with its home. */
  lost: number;
  frozen: number;
  cutOff: number;
  restarts: number;
  flushes: number;
}

/** Strikes until nearly all is sent and whoever was frozen or cut off is back. */
export async function storm(plan: Storm): Promise<Struck> {
  const { office, messages, log } = plan;
  const struck: Struck = { killed: 0, lost: 0, frozen: 0, cutOff: 0, restarts: 0, flushes: 0 };
  const busy = new Set<Machine>();
  const [frozen, cut] = plan.workers;
  if (frozen === undefined || cut === undefined) throw new Error('a storm wants two workers');
  const at = async (share: number, what: string) => {
    await office.provider.accepted(share * messages, messages * 20 + STEP_MS);
    log(`${Math.round(share * 100)} % sent: ${what}`);
  };
  await Promise.all([
    killing(plan, { struck, busy }),
    (async () => {
      busy.add(frozen);
      await at(0.15, `${frozen.name} freezes`);
      frozen.freeze();
      struck.frozen += 1;
      await sleep(FROZEN_MS);
      log(`${frozen.name} wakes`);
      frozen.wake();
      busy.delete(frozen);
    })(),
    (async () => {
      if (!plan.cuts) return;
      busy.add(cut);
      await at(0.2, `${cut.name} is cut off from Postgres`);
      cut.cutFromDatabase();
      struck.cutOff += 1;
      await sleep(CUT_MS);
      log(`${cut.name} reaches Postgres again`);
      cut.mendDatabase();
      busy.delete(cut);
    })(),
    (async () => {
      await at(0.3, 'Redis is flushed');
      await flush(office, struck);
      await at(0.5, 'Postgres crashes');
      await office.postgres.signal('SIGKILL');
      await office.postgres.start();
      struck.restarts += 1;
      await at(0.7, 'Redis is flushed');
      await flush(office, struck);
    })(),
  ]);
  return struck;
}

async function flush({ redis }: Office, struck: Struck): Promise<void> {
  for (const node of redis) await node.command('FLUSHALL');
  struck.flushes += 1;
}

/** Kills one after the other, while a twentieth is still to be sent; some lose their home. */
async function killing(plan: Storm, { struck, busy }: { struck: Struck; busy: Set<Machine> }): Promise<void> {
  const { office, workers, messages, random, log } = plan;
  await office.provider.accepted(1, STEP_MS);
  while ((await countMessages(office, "state = 'queued'").catch(() => messages)) > messages / 20) {
    await sleep(random.whole(KILL_EVERY_MS.least, KILL_EVERY_MS.most));
    const free = workers.filter((worker) => !busy.has(worker));
    const worker = free[random.whole(0, free.length - 1)];
    if (worker === undefined) continue;
    const isLost = random.next() < LOST_SHARE;
    await worker.kill();
    if (isLost) worker.replace();
    struck[isLost ? 'lost' : 'killed'] += 1;
    const { accepted } = await office.provider.stats();
    log(`${worker.name} is killed${isLost ? ', and lost' : ''}; ${accepted} accepted`);
    await worker.start();
  }
}

async function countMessages({ sql }: Office, where: string): Promise<number> {
  const [row] = await sql(`SELECT count(*)::int AS n FROM tuma.message WHERE ${where}`);
  return Number(row?.['n']);
}

/** Waits until every message has its verdict, and every report is joined that the provider has for a sent one. */
export async function settled({ office, messages, log }: Storm): Promise<void> {
  const count = (where: string) => countMessages(office, where);
  const timeoutMs = messages * 20 + STEP_MS;
  await waitFor(async () => (await count("state IN ('queued', 'sending')")) === 0, {
    timeoutMs,
    what: 'every message to have a verdict',
  });
  log('settled');
  await waitFor(async () => (await count("state = 'sent' AND delivery = 'pending'")) === 0, {
    timeoutMs,
    what: 'every report',
  });
  log('reported');
}
