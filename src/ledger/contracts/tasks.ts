import type { StateChange } from './records.ts';

/* Long work that runs in a process of its own, while people look at other pages. A part of both contracts. */

/** What is done: a file of a campaign's messages, the removal of old personal data, or of one person's. */
export type TaskKind = 'export' | 'purge' | 'erase';

/** A task as the ledger keeps it. Times in milliseconds. */
export interface TaskRow {
  id: string;
  kind: TaskKind;
  /** `working` is also the state of one whose process died. */
  state: 'working' | 'done' | 'failed';
  /** What exactly is asked (JSON). Without numbers when it has ended. */
  asked: string;
  /** Who asked, as the audit names them. */
  by: string;
  /** All names of the same person (domain/roles.ts). */
  identities: string[];
  /** The process that works (JSON), with a token of this try; null: it has ended. */
  process: string | null;
  /** Steps that are done, such as rows, and all of them; null: nobody knows how many. */
  done: number;
  total: number | null;
  /** What came of it (JSON); null: it has not ended. */
  result: string | null;
  /** The id of its campaign; null: it has none. */
  campaign: string | null;
  begunAt: number;
  /** The last sign of life of its process. */
  changedAt: number;
  endedAt: number | null;
}

/** The task that a process works on. Its token fences a process that was taken for dead. */
export interface WorkedTask {
  id: string;
  process: string;
  now: number;
}

/** A task that begins, and who ordered it. */
export interface NewTask extends StateChange {
  id: string;
  kind: TaskKind;
  asked: string;
  identities: readonly string[];
  process: string;
  total: number | null;
  campaign: string | null;
  /** The audit row; null: the work itself writes one. */
  audit: { campaign: number | null; detail: object } | null;
}

/** A task that ends, and what came of it (JSON). */
export interface EndedTask extends WorkedTask {
  state: 'done' | 'failed';
  done: number;
  result: string;
  /** What stays of the order. */
  asked: string;
}

/** The write part. Each is one transaction. */
export interface TaskLedger {
  /** Begins a task. Of the same person one that is the same and still working is not begun again. */
  beginTask(task: NewTask): Promise<TaskRow>;
  /** Another process takes it over from `dead`. False: it has ended, or a third one has it. */
  takeTask(task: WorkedTask & { dead: string }): Promise<boolean>;
  /** Notes how far it is. False: this process has it no more, and should end. */
  noteTask(task: WorkedTask & { done: number }): Promise<boolean>;
  /** Ends it. `asked` replaces what was asked. False: this process has it no more. */
  endTask(task: EndedTask): Promise<boolean>;
  /**
   * Removes the rows of tasks that nobody has touched since an instant, and the oldest finished exports beyond so many.
   * Returns the number.
   */
  forgetTasks(asked: { before: number; mostExports: number }): Promise<number>;
}

/** The read part. */
export interface TaskReader {
  /** One task; null: there is none, or it was long ago. */
  task(id: string): Promise<TaskRow | null>;
  /** All of them, the newest first: a few. */
  tasks(): Promise<TaskRow[]>;
}
