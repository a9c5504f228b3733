import { text } from 'node:stream/consumers';
import { planOrder } from '../campaign/prepare/plan-order.ts';
import { askedFrom } from '../ledger/contracts/asked-from.ts';
import { FollowingClock } from '../system/clock.ts';
import { systemProcesses } from '../system/processes.ts';
import { createLog } from '../system/log.ts';
import { TemporaryFolder } from '../system/temporary-folder.ts';
import { openLedger, openReader } from './open-ledger.ts';
import type { PlanProcessOrder } from './plan-apart.ts';

/*
 * The process that plans or launches one preparation and ends: it reads a PlanProcessOrder from standard input, writes
 * the number of rows that it has read, a line each, and keeps the result in the ledger.
 */

const PROGRESS_MS = 500;

const { place, temporary: parent, order, asked } = JSON.parse(await text(process.stdin)) as PlanProcessOrder;
const stop = new AbortController();
// Ctrl-C reaches every process of the terminal.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const log = createLog();
const temporary = new TemporaryFolder(parent);
const clock = new FollowingClock();
const ledger = await openLedger(place, { log, clock });
const reader = await openReader(place);
let shownAt = 0;
const progress = (rows: number) => {
  const now = performance.now();
  if (now - shownAt < PROGRESS_MS) return;
  shownAt = now;
  process.stdout.write(`${rows}\n`);
};
try {
  const env = {
    ledger,
    reader: async () => reader,
    clock,
    processes: systemProcesses('command'),
    random: Math.random,
    copies: temporary.path,
    progress,
    signal: stop.signal,
  };
  await (asked === null ? planOrder(env, order) : askedFrom.run(asked, () => planOrder(env, order)));
} catch (error) {
  log.error({ preparation: order.id, error: String(error) }, 'a plan failed');
  process.exitCode = 1;
} finally {
  await reader.close();
  await ledger.close();
  temporary.close();
}
