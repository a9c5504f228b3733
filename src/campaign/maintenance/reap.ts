import { GRACE_MS, LEASE_MS } from '../../domain/protocol-times.ts';
import { pauseBy, putBack } from '../sending/verdict.ts';
import type { RegisteredWorker } from '../../ledger/contracts/records.ts';
import type { AttemptRef } from '../../ledger/contracts/sending.ts';
import type { Env, InheritedNote } from '../env.ts';
import { isTransientError } from '../sending/failures.ts';
import { attemptKey, type LeftNote, type NotedVerdict, readNote } from '../sending/wire-format.ts';

type ReapEnv = Pick<Env, 'clock' | 'ledger' | 'processes' | 'wire' | 'log'>;

/** Verdicts of a note that are recorded together. */
const MOST_TOGETHER = 1_000;

/**
 * Ends dead workers: at once when the system or the lock of their note proves the death, else after lease and
 * grace. With a whole note, messages without a request go back to `queued`, and noted verdicts count. All
 * other `sending` messages become `uncertain`; the function returns their number. The ledger pauses their
 * campaign when the sending is more than two hours old. `self` null: the caller is no worker.
 */
export async function reapDead(env: ReapEnv, self: number | null): Promise<number> {
  let uncertain = 0;
  for (const worker of await env.ledger.otherWorkers(self)) uncertain += await reapIfDead(env, worker);
  return uncertain;
}

async function reapIfDead(env: ReapEnv, seen: RegisteredWorker): Promise<number> {
  const fate = env.processes.fate(seen);
  const left = fate === 'alive' ? null : env.wire.inherit(seen);
  const inherited = left?.state === 'left' ? left : null;
  let done = false;
  try {
    const worker = await stillDead(env, seen, { fate, lock: left?.state ?? 'held' });
    if (worker === null) return 0;
    const takenBack = inherited === null ? 0 : await carryOut(env, worker, inherited);
    const uncertain = await env.ledger.reap(worker.worker, env.clock.now());
    env.log.warn({ worker: worker.worker, deadPid: worker.pid, uncertain, takenBack }, 'a worker died');
    done = true;
    return uncertain;
  } finally {
    inherited?.release({ remove: done });
  }
}

/** What the system and the lock say of a worker. */
interface Proof {
  fate: 'alive' | 'dead' | 'unknown';
  lock: 'held' | 'none' | 'left';
}

/**
 * The worker as the ledger has it now, under its lock. It may have lived on since it was read, and its note tells of
 * that, too. Null: it is not dead, or another reaper has ended it.
 */
async function stillDead(
  env: ReapEnv,
  seen: RegisteredWorker,
  proof: Proof,
): Promise<RegisteredWorker | null> {
  if (!isDead(env, seen, proof)) return null;
  const worker = (await env.ledger.otherWorkers(null)).find((each) => each.worker === seen.worker);
  return worker !== undefined && isDead(env, worker, proof) ? worker : null;
}

function isDead(
  env: Pick<Env, 'clock' | 'processes'>,
  worker: RegisteredWorker,
  { fate, lock }: Proof,
): boolean {
  if (lock === 'left' && isSameBoot(env, worker)) return true;
  // Another reaper may hold the lock of this dead worker. It is done soon, or it is suspended.
  if (fate === 'dead' && lock !== 'held') return true;
  // A suspended worker may wake up: its claims expire by themselves, but its batches must move on.
  return env.clock.now() - worker.heartbeatAt > LEASE_MS + GRACE_MS;
}

/** Unsynced writes are there as long as the machine runs. */
function isSameBoot({ processes }: Pick<Env, 'processes'>, { bootId }: RegisteredWorker): boolean {
  return bootId !== '' && bootId === processes.self().bootId;
}

/** Returns the number of messages that go back. */
async function carryOut(env: ReapEnv, worker: RegisteredWorker, { file }: InheritedNote): Promise<number> {
  const note = file === null || !isSameBoot(env, worker) ? null : readNote(file, worker);
  if (note === null) return 0;
  const sending = await env.ledger.stillSending(worker.worker);
  const back = takenBack(sending, note, env.clock.now());
  const open = new Set(sending.map(attemptKey));
  // A verdict that the ledger knows has paused its campaign, and a person may have resumed it since.
  const noted = note.verdicts.map((each) =>
    open.has(attemptKey(each.outcome)) ? each : { ...each, pause: null },
  );
  const verdicts = [...noted, ...back];
  for (let from = 0; from < verdicts.length; from += MOST_TOGETHER)
    await record(env, worker, verdicts.slice(from, from + MOST_TOGETHER));
  return back.length;
}

/** Puts back claimed messages that never had a request. */
function takenBack(sending: readonly AttemptRef[], { handed }: LeftNote, now: number): NotedVerdict[] {
  return sending
    .filter((attempt) => !handed.has(attemptKey(attempt)))
    .map((attempt) => ({ outcome: putBack(attempt, 'taken back, never sent', now), pause: null }));
}

/** A verdict that a working ledger refuses makes only its own message uncertain. */
async function record(env: ReapEnv, worker: RegisteredWorker, verdicts: NotedVerdict[]): Promise<void> {
  try {
    await recordTogether(env, worker, verdicts);
  } catch (error) {
    if (isTransientError(error)) throw error;
    env.log.error({ verdicts: verdicts.length, error: String(error) }, 'noted verdicts cannot be recorded');
    if (verdicts.length === 1) return;
    for (const verdict of verdicts) await record(env, worker, [verdict]);
  }
}

async function recordTogether(
  env: ReapEnv,
  { worker }: RegisteredWorker,
  verdicts: NotedVerdict[],
): Promise<void> {
  await env.ledger.recordOutcomes({
    worker,
    by: 'reaper',
    now: env.clock.now(),
    outcomes: verdicts.map(({ outcome }) => outcome),
    pauses: verdicts.flatMap(({ outcome, pause }) => (pause === null ? [] : [pauseBy(outcome, pause)])),
  });
}
