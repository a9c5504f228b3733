import { randomBytes } from 'node:crypto';
import { type ErrorCode, TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { LedgerReader } from '../../ledger/reader.ts';
import type { Clock, Log, Processes } from '../env.ts';
import type { Task, TaskAsked, TaskFailure, TaskResult } from './task.ts';

/** So often the process says that it lives, and how far it is. */
const BEAT_MS = 1_000;

/** The side of the process that works. */
export interface WorkEnv {
  ledger: Ledger;
  reader: LedgerReader;
  clock: Clock;
  processes: Processes;
  log: Log;
}

/** The work itself: gets what is asked, the token of this try, and what to call with the steps that are done. */
export type DoTask = (
  asked: TaskAsked,
  work: { by: Task['by']; id: string; attempt: string; signal: AbortSignal; done: (steps: number) => void },
) => Promise<TaskResult>;

/**
 * Takes a task over from the process that began it, does it, and keeps what came of it. Nothing is done where a third
 * process has it. `signal` ends the work; the task is then left as stopped.
 */
export async function workTask(
  env: WorkEnv,
  order: { id: string; process: string; signal: AbortSignal },
  doTask: DoTask,
): Promise<void> {
  const { ledger, reader, clock, processes } = env;
  const { id } = order;
  const attempt = randomBytes(4).toString('hex');
  const process = JSON.stringify({ identity: processes.self(), attempt });
  if (!(await ledger.takeTask({ id, process, dead: order.process, now: clock.now() }))) return;
  const row = await reader.task(id);
  if (row === null) return;
  let steps = row.done;
  const gone = new AbortController();
  const beat = async () => {
    if (!(await ledger.noteTask({ id, process, done: steps, now: clock.now() }))) gone.abort();
  };
  const timer = setInterval(() => void beat().catch(() => undefined), BEAT_MS);
  const signal = AbortSignal.any([order.signal, gone.signal]);
  const asked = JSON.parse(row.asked) as TaskAsked;
  try {
    const result = await doTask(asked, { by: row.by, id, attempt, signal, done: (now) => (steps = now) });
    await end('done', result);
  } catch (error) {
    // Whoever stopped it has not failed, and begins it again.
    if (signal.aborted) throw error;
    await end('failed', failureOf(error, env.log));
  } finally {
    clearInterval(timer);
  }

  async function end(state: 'done' | 'failed', result: TaskResult | TaskFailure): Promise<void> {
    // Whoever was erased must not stay in the order itself.
    const left = asked.kind === 'erase' ? { kind: asked.kind } : asked;
    const what = { result: JSON.stringify(result), asked: JSON.stringify(left) };
    await ledger.endTask({ id, process, state, done: steps, ...what, now: clock.now() });
  }
}

function failureOf(error: unknown, log: Log): TaskFailure {
  if (error instanceof TumaError) {
    const { code, message, hint, advice } = error;
    return { code, message, hint, advice };
  }
  log.error({ error: String(error) }, 'a long task failed');
  const code: ErrorCode = 'internal';
  return { code, message: 'It failed before its end.', hint: 'Begin it again.', advice: null };
}
