import { text } from 'node:stream/consumers';
import { fireAnew } from '../campaign/launch/fire-anew.ts';
import { FollowingClock } from '../system/clock.ts';
import { createLog } from '../system/log.ts';
import { TemporaryFolder } from '../system/temporary-folder.ts';
import { openLedger } from './open-ledger.ts';
import type { FiringAnswer, FiringOrder } from './fire-apart.ts';

/*
 * The process that plans one firing of a recurring job and ends: it reads a FiringOrder from standard input, and
 * writes a FiringAnswer.
 */

const { place, temporary: parent, firing } = JSON.parse(await text(process.stdin)) as FiringOrder;
const stop = new AbortController();
// Ctrl-C reaches every process of the terminal.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const log = createLog();
const temporary = new TemporaryFolder(parent);
const clock = new FollowingClock();
const ledger = await openLedger(place, { log, clock });
try {
  const schedule = await ledger.campaign(firing.schedule);
  const env = {
    ledger,
    clock,
    random: Math.random,
    log,
    copies: temporary.path,
    noteUnfinished: (unfinished: string) => temporary.noteUnfinished(unfinished),
    signal: stop.signal,
  };
  const fired = schedule === null ? { campaign: null } : await fireAnew(env, schedule, firing);
  const answer: FiringAnswer = 'look' in fired ? fired : { campaign: fired.campaign?.n ?? null };
  process.stdout.write(JSON.stringify(answer));
} catch (error) {
  log.error({ schedule: firing.schedule, error: String(error) }, 'the plan of a firing failed');
  process.exitCode = 1;
} finally {
  await ledger.close();
  temporary.close();
}
