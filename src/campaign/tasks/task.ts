import type { Advice } from '../../domain/advice.ts';
import type { ErasedCounts } from '../../ledger/contracts/erase.ts';
import type { TaskKind } from '../../ledger/contracts/tasks.ts';
import type { Clock, Log, Processes } from '../env.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';

/** The messages of a campaign that a file holds; as `ExportRequest` of the reports. */
export interface ExportAsked {
  kind: 'export';
  /** The id of the campaign. */
  campaign: string;
  format: ExportFormat;
  as: 'messages' | 'contacts';
  state: string | null;
  delivery: string | null;
  reason: string | null;
  withText: boolean;
  withFields: boolean;
}

/** How a file of messages is written. */
export type ExportFormat = 'csv' | 'ndjson' | 'xlsx';

/** What a person saw and confirmed: these campaigns, and traces from before an instant. */
export interface PurgeAsked {
  kind: 'purge';
  before: number;
  /** By their number in the ledger. */
  campaigns: readonly number[];
}

/** The person whose data goes: international digits. Left out once the task has ended. */
export interface EraseAsked {
  kind: 'erase';
  mobile?: string;
}

/** What a task is asked to do. */
export type TaskAsked = ExportAsked | PurgeAsked | EraseAsked;

/** What came of a task. */
export type TaskResult =
  /** `file`: its name in the folder of exports; `name`: what it is called for a person. */
  | { kind: 'export'; file: string; name: string; rows: number; bytes: number }
  /** A file that was removed, because it may have held the number of a person who was erased. */
  | { kind: 'export_erased' }
  | {
      kind: 'purge';
      campaigns: number;
      messages: number;
      left: number;
      webhooks: number;
      reports: number;
      replies: number;
      rewritten: boolean;
    }
  | ({ kind: 'erase'; rewritten: boolean } & ErasedCounts);

/** Why a task failed, for a person. */
export interface TaskFailure {
  code: string;
  message: string;
  hint: string | null;
  advice: Advice | null;
}

/** A task as faces show it. Times in milliseconds. */
export interface Task {
  id: string;
  kind: TaskKind;
  /** `stopped`: its process died, for example with the power. A person begins it again. */
  state: 'working' | 'stopped' | 'done' | 'failed';
  asked: TaskAsked;
  by: string;
  identities: readonly string[];
  done: number;
  /** Null: nobody knows. */
  total: number | null;
  result: TaskResult | null;
  failure: TaskFailure | null;
  campaign: string | null;
  begunAt: number;
  endedAt: number | null;
}

/** Who asks for a task: the name for the audit, and all names of the same person. */
export interface TaskActor {
  name: string;
  identities: readonly string[];
  /** True: also the tasks of others are theirs. */
  isAdmin: boolean;
}

/** Does the work of one task in another process, which keeps the result. Rejects when that process fails. */
export type WorkApart = (order: { id: string; process: string }) => Promise<void>;

/** What tasks run with. */
export interface TasksEnv {
  ledger: Ledger;
  reader: () => Promise<LedgerReader>;
  clock: Clock;
  processes: Processes;
  log: Log;
  /** The folder that holds `exports/`. */
  sharedFolder: string;
  workApart: WorkApart;
}
