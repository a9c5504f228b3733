import { type ErrorCode, TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Clock, Log, Processes } from '../env.ts';
import { newAttempt, processToken } from '../process-token.ts';
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
  const attempt = newAttempt();
  const process = processToken(processes, attempt);
  if (!(await ledger.takeTask({ id, process, dead: order.process, now: clock.now() }))) return;
  const row = await reader.task(id);
  if (row === null) return;
  const { by } = row;
  let steps = row.done;
  const gone = new AbortController();
  const beat = async () => {
    if (!(await ledger.noteTask({ id, process, done: steps, now: clock.now() }))) gone.abort();
  };
  // Whoever asked and lost the right to it gets nothing more made. A ledger that is busy hears the next beat.
  const refused = (error: unknown) => isRightLost(error) && gone.abort(error);
  const timer = setInterval(() => void beat().catch(refused), BEAT_MS);
  const signal = AbortSignal.any([order.signal, gone.signal]);
  const asked = JSON.parse(row.asked) as TaskAsked;
  try {
    // What is done and cannot be noted has not failed: it is left as stopped.
    const end = await outcome();
    await ledger.endTask({ id, process, done: steps, ...end, asked: askedAtEnd(asked), now: clock.now() });
  } finally {
    clearInterval(timer);
  }

  async function outcome(): Promise<{ state: 'done' | 'failed'; result: string }> {
    const work = { by, id, attempt, signal, done: (now: number) => (steps = now) };
    try {
      return { state: 'done', result: JSON.stringify(await doTask(asked, work)) };
    } catch (error) {
      const why: unknown = isRightLost(gone.signal.reason) ? gone.signal.reason : error;
      // Whoever stopped it has not failed, and begins it again.
      if (signal.aborted && !isRightLost(why)) throw error;
      return { state: 'failed', result: JSON.stringify(failureOf(why, env.log)) };
    }
  }
}

/** What stays of an order that has ended (JSON). Whoever was erased must not stay in it. */
export function askedAtEnd(asked: TaskAsked): string {
  return JSON.stringify(asked.kind === 'erase' ? { kind: asked.kind } : asked);
}

function isRightLost(error: unknown): boolean {
  return error instanceof TumaError && error.code === 'right_lost';
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
