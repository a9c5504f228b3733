import { text } from 'node:stream/consumers';
import { workTask } from '../campaign/tasks/work-task.ts';
import { askedFrom } from '../ledger/contracts/asked-from.ts';
import { FollowingClock } from '../system/clock.ts';
import { createLog } from '../system/log.ts';
import { systemProcesses } from '../system/processes.ts';
import { doTask } from './do-task.ts';
import { openLedger, openReader } from './open-ledger.ts';
import type { TaskProcessOrder } from './task-apart.ts';

/* The process that does one long task and ends: it reads a TaskProcessOrder from standard input. */

const {
  place,
  asked,
  id,
  process: begun,
  ...settings
} = JSON.parse(await text(process.stdin)) as TaskProcessOrder;
const stop = new AbortController();
// Ctrl-C reaches every process of the terminal.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const log = createLog();
const clock = new FollowingClock();
const ledger = await openLedger(place, { log, clock });
const reader = await openReader(place);
try {
  const env = { ledger, reader, log, clock, processes: systemProcesses('command') };
  const work = () =>
    workTask(env, { id, process: begun, signal: stop.signal }, (what, more) =>
      doTask({ ...env, ...settings }, what, more),
    );
  await (asked === null ? work() : askedFrom.run(asked, work));
} catch (error) {
  log.error({ task: id, error: String(error) }, 'a long task stopped');
  process.exitCode = 1;
} finally {
  await reader.close();
  await ledger.close();
}
