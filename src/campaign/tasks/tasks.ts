import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { TaskRow } from '../../ledger/contracts/tasks.ts';
import { holderOf, newAttempt, processToken } from '../process-token.ts';
import { exportsFolder, removeStrayFiles, TASK_KEPT_MS } from './task-files.ts';
import { askedAtEnd } from './work-task.ts';
import type { Task, TaskActor, TaskAsked, TaskFailure, TaskResult, TasksEnv } from './task.ts';

/** So many files of exports are kept at most. */
const MOST_EXPORTS = 20;
/** So many tasks work side by side at most. */
const MOST_WORKING = 3;
/**
 * A process says every few seconds that it lives. After this one whose life nobody can prove is taken for gone, and can
 * then keep nothing.
 */
const SILENT_MS = 10 * 60_000;

const ID = /^[\da-f]{16}$/;

/** What a task begins with. */
export interface NewTask {
  asked: TaskAsked;
  /** How many steps it has; null: nobody knows. */
  total: number | null;
  /** The number of its campaign in the ledger, and what the audit says of it; null: the work itself writes it. */
  audit: { campaign: number | null; detail: object } | null;
}

/** Long work of one shared folder: begun, looked at, found again. Methods with an id throw `not_found` for an unknown one. */
export class Tasks {
  readonly #env: TasksEnv;
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(env: TasksEnv) {
    this.#env = env;
  }

  /** The ledger of this process closes. Processes that work end by themselves, and keep what they did. */
  async close(): Promise<void> {
    this.#isClosed = true;
  }

  /**
   * Begins a task in a process of its own, and returns at once. The same of the same person that still works is not
   * begun again. Throws `busy` while too many work.
   */
  async begin(actor: TaskActor, { asked, total, audit }: NewTask): Promise<Task> {
    const { ledger, clock } = this.#env;
    await this.endOld();
    const working = (await this.list()).filter(({ state }) => state === 'working');
    const same = working.find((task) => JSON.stringify(task.asked) === JSON.stringify(asked));
    if (same !== undefined && isTaskOf(same, actor)) return same;
    if (working.length >= MOST_WORKING)
      throw new TumaError('busy', {
        message: `${MOST_WORKING} long tasks are working now. Nothing was begun.`,
        hint: 'Wait until one of them has ended.',
      });
    const process = processToken(this.#env.processes);
    const row = await ledger.beginTask({
      id: newAttempt(),
      kind: asked.kind,
      asked: JSON.stringify(asked),
      by: actor.name,
      identities: actor.identities,
      process,
      total,
      campaign: asked.kind === 'export' ? asked.campaign : null,
      audit,
      now: clock.now(),
    });
    if (row.process === process) this.#work(row, process);
    return this.#view(row);
  }

  /** One task of this person; of another one only for an admin. */
  async find(id: string, actor: TaskActor): Promise<Task> {
    const row = ID.test(id) ? await (await this.#env.reader()).task(id) : null;
    const task = row === null ? null : this.#view(row);
    // Who may not see it learns not even that it is there.
    // The id may be any text of a stranger, so the error does not repeat it.
    if (task === null || !isTaskOf(task, actor))
      throw new TumaError('not_found', { message: 'There is no such task, or it ended long ago.' });
    return task;
  }

  /** All tasks, the newest first. */
  async list(): Promise<Task[]> {
    return (await (await this.#env.reader()).tasks()).map((row) => this.#view(row));
  }

  /**
   * Begins a stopped task again where it was. Another state changes nothing. Throws `right_lost` for a removal that an
   * admin ordered who is none any more.
   */
  async again(id: string, actor: TaskActor): Promise<Task> {
    const { ledger, clock, reader } = this.#env;
    const task = await this.find(id, actor);
    const row = await (await reader()).task(id);
    const dead = row?.process ?? null;
    if (task.state !== 'stopped' || row === null || dead === null) return task;
    if (task.kind !== 'export' && !actor.isAdmin)
      throw new TumaError('right_lost', { message: 'Only an admin removes data. Nothing was begun.' });
    const process = processToken(this.#env.processes);
    if (await ledger.takeTask({ id, process, dead, now: clock.now() })) this.#work(row, process);
    return this.find(id, actor);
  }

  /** The file of a task that is done. Throws `not_found` when it is gone. */
  async file(id: string, actor: TaskActor): Promise<{ path: string; name: string; bytes: number }> {
    const { result } = await this.find(id, actor);
    if (result?.kind === 'export_erased')
      throw new TumaError('not_found', {
        message: 'The file was removed because a person’s data was erased.',
        hint: 'Make it again.',
        where: id,
      });
    if (result?.kind !== 'export')
      throw new TumaError('not_found', { message: 'There is no file of this task.', where: id });
    const path = join(await exportsFolder(this.#env.sharedFolder), result.file);
    const there = await stat(path).catch(() => null);
    if (there === null)
      throw new TumaError('not_found', {
        message: 'This file was removed.',
        hint: 'Ask for it again; a file is kept for a day.',
        where: id,
      });
    return { path, name: result.name, bytes: there.size };
  }

  /** Resolves when no process of this one works on it any more. */
  async ended(id: string): Promise<void> {
    await this.#running.get(id);
  }

  /** Removes tasks that ended a day ago, and files of no task. */
  async endOld(): Promise<void> {
    const { ledger, clock, sharedFolder, reader } = this.#env;
    await ledger.forgetTasks({ before: clock.now() - TASK_KEPT_MS, mostExports: MOST_EXPORTS });
    await removeStrayFiles(sharedFolder, await reader());
  }

  #work(row: TaskRow, process: string): void {
    const { id } = row;
    const work = this.#run(row, process).finally(() => {
      if (this.#running.get(id) === work) this.#running.delete(id);
    });
    this.#running.set(id, work);
  }

  /** Never rejects: nobody waits for it. A process that failed without a word leaves the task stopped. */
  async #run(row: TaskRow, process: string): Promise<void> {
    const { workApart, log, sharedFolder, reader } = this.#env;
    const { id } = row;
    try {
      await workApart({ id, process });
      // Whoever was erased meanwhile took the exports with them.
      if (!this.#isClosed) await removeStrayFiles(sharedFolder, await reader());
    } catch (error) {
      if (this.#isClosed) return;
      log.error({ error: maskText(String(error)), id }, 'a long task stopped');
      await this.#endUntaken(row, process).catch((why: unknown) =>
        log.error({ error: maskText(String(why)), id }, 'the end of a long task could not be noted'),
      );
    }
  }

  /**
   * Ends a task whose process died before it took it: the token is still of this process, which lives, so that nothing
   * else would show the death. A task that was taken has another token, and is left as it is.
   */
  async #endUntaken({ id, done, asked }: TaskRow, process: string): Promise<void> {
    const { ledger, clock } = this.#env;
    const result: TaskFailure = {
      code: 'internal',
      message: 'Its process ended before it began to work. Nothing was done.',
      hint: 'Begin it again.',
      advice: null,
    };
    await ledger.endTask({
      id,
      process,
      state: 'failed',
      done,
      result: JSON.stringify(result),
      asked: askedAtEnd(JSON.parse(asked) as TaskAsked),
      now: clock.now(),
    });
  }

  #view(row: TaskRow): Task {
    const { identities, process: _process, changedAt: _changedAt, asked, result, state, ...rest } = row;
    const parsed = result === null ? null : (JSON.parse(result) as TaskResult | TaskFailure);
    return {
      ...rest,
      identities,
      asked: JSON.parse(asked) as TaskAsked,
      state: state === 'working' && this.#isGone(row) ? 'stopped' : state,
      result: state === 'done' ? (parsed as TaskResult) : null,
      failure: state === 'failed' ? (parsed as TaskFailure) : null,
    };
  }

  /**
   * A process that is proven dead, or has long been silent without a proof that it lives: one that writes a large ledger
   * anew is silent for as long as that takes.
   */
  #isGone({ process, changedAt }: TaskRow): boolean {
    if (process === null) return true;
    const { processes, clock } = this.#env;
    const { fate, isSelf } = holderOf(process, processes);
    // A task with the token of this process was not taken yet, and whoever was to take it may be gone.
    const isProven = fate === 'alive' && !isSelf;
    return fate === 'dead' || (!isProven && clock.now() - changedAt > SILENT_MS);
  }
}

/**
 * True: the task is this person's, or the person is an admin. A removal is for admins alone, so that who is none any
 * more does not go on with it.
 */
export function isTaskOf({ kind, identities }: Task, actor: TaskActor): boolean {
  if (actor.isAdmin) return true;
  return kind === 'export' && actor.identities.some((identity) => identities.includes(identity));
}
