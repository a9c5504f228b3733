import { existsSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { TumaError } from '../../domain/errors.ts';
import type { GuardedOperations } from './recovery.ts';

/**
 * Notices that the ledger was removed or replaced while it is open (D18). SQLite goes on in the file that it has open, which
 * nobody finds again: everything sent from then on would be unknown to the next process.
 */

/** Between two looks into the file itself. */
const LOOK_MS = 1_000;
/** A checkpoint of another process may be under way while the file is read: so many failures in a row are none. */
const MOST_FAILURES = 3;

/** What must not be done in a file that nobody finds again: claims, launches, and webhooks that would be acknowledged. */
const LOST_WITH_FILE = [
  'claim',
  'activate',
  'fireStep',
  'beginUpload',
  'uploadStep',
  'storeWebhook',
  'tryInbox',
] as const satisfies readonly (keyof GuardedOperations)[];

interface WorkerRow {
  id: number;
  registered_at: number;
}

/** The file at the ledger's path, against the one that is open. Belongs to the writer's connection. */
export class LedgerPlace {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #opened: string | null;
  /** A worker that the main file must know, because the log was copied into it since. */
  #mark: WorkerRow | undefined;
  #lookedAt = -Infinity;
  #failures = 0;
  #lost = false;

  /** Right after the file was opened. */
  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
    this.#opened = identityOf(file);
  }

  /** The operations; those that may not go into a file that is gone throw `ledger_lost` then. */
  over<Operations extends GuardedOperations>(operations: Operations) {
    const guarded = { ...operations };
    for (const name of LOST_WITH_FILE) {
      const operation = operations[name];
      const refusing = (request: never) => {
        if (this.#isMoved()) throw lostLedger(this.#file);
        return operation(request);
      };
      Object.assign(guarded, { [name]: refusing });
    }
    return { ...guarded, inPlace: () => this.#isInPlace() };
  }

  /** The whole log is in the main file now. */
  copied(): void {
    const newest = 'SELECT id, registered_at FROM worker ORDER BY id DESC LIMIT 1';
    this.#mark = this.#database.prepare(newest).get() as WorkerRow | undefined;
  }

  /** The log of a file that was removed belongs to nothing: SQLite would replay it onto whatever takes its name. */
  dropLog(): void {
    if (existsSync(this.#file)) return;
    for (const part of ['-wal', '-shm']) rmSync(`${this.#file}${part}`, { force: true });
  }

  /** Another file has its name, or none: once seen it stays so. */
  #isMoved(): boolean {
    this.#lost ||= identityOf(this.#file) !== this.#opened;
    return this.#lost;
  }

  #isInPlace(): boolean {
    if (this.#isMoved()) return false;
    const now = performance.now();
    if (this.#mark === undefined || now - this.#lookedAt < LOOK_MS) return true;
    this.#lookedAt = now;
    this.#lost = !this.#holds(this.#mark);
    return !this.#lost;
  }

  /** Whether the file itself, without its log, knows the worker: another file that was copied over it does not. */
  #holds({ id, registered_at: at }: WorkerRow): boolean {
    try {
      const found = this.#inFile('SELECT 1 FROM worker WHERE id = ? AND registered_at = ?', [id, at]);
      this.#failures = 0;
      return found;
    } catch {
      this.#failures += 1;
      return this.#failures < MOST_FAILURES;
    }
  }

  #inFile(question: string, values: number[]): boolean {
    const url = pathToFileURL(this.#file);
    url.searchParams.set('immutable', '1');
    const file = new DatabaseSync(url, { readOnly: true });
    try {
      return file.prepare(question).get(...values) !== undefined;
    } finally {
      file.close();
    }
  }
}

/** The error of a process whose ledger is gone. `rescued`: where its copy is. */
export function lostLedger(file: string, rescued: string | null = null): TumaError {
  return new TumaError('ledger_lost', {
    message: 'The ledger was removed or replaced while it was in use. Nothing more is sent.',
    hint:
      rescued === null
        ? 'Put nothing in its place until every tuma of this home has ended: the ledger that was in use is saved beside it.'
        : `End every tuma of this home, then put ${rescued} in its place: it is the ledger that was in use.`,
    where: file,
  });
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
