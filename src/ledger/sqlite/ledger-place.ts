import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { TumaError } from '../../domain/errors.ts';

/*
 * Notices that the ledger was removed or replaced while it is open (D18). SQLite goes on in the open file,
 * which the next process does not find.
 */

/** The pause between two reads of the file itself. */
const LOOK_MS = 1_000;
/** Fewer bad reads in a row are ignored, because another process may be running a checkpoint. */
const MOST_MISSES = 3;

/** The values that only grow in a ledger, and its id. */
const PROGRESS = `
  SELECT (SELECT value FROM fact WHERE name = 'ledger_id') AS id,
    (SELECT coalesce(max(id), 0) FROM worker) AS workers, (SELECT total(claims) FROM account) AS claims`;

interface Progress {
  id: string;
  workers: number;
  claims: number;
}

/** The file at the ledger's path, compared with the open file. */
export class LedgerPlace {
  readonly #file: string;
  readonly #opened: string | null;
  /** The largest values ever seen in the file itself. */
  #seen: Progress | null = null;
  #lookedAt = -Infinity;
  #writtenAt: bigint | undefined;
  #misses = 0;
  #lost = false;

  /** Right after the file was opened. */
  constructor(file: string) {
    this.#file = file;
    this.#opened = identityOf(file);
  }

  /** Throws `ledger_lost` when the file is gone, because nobody finds later writes again. */
  requireInPlace(): void {
    if (this.#isMoved()) throw lostLedger(this.#file);
  }

  /** Notes what the file holds when the log was copied into it: an older copy put over it at once is noticed. */
  noteProgress(): void {
    this.#seen = this.#progress();
  }

  /** False: the file at the ledger's path is not the open one. Reads the file, too. */
  isInPlace(): boolean {
    if (this.#isMoved()) return false;
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return true;
    this.#lookedAt = now;
    this.#count(this.#hasGrown());
    this.#lost = this.#misses >= MOST_MISSES;
    return !this.#lost;
  }

  /** Another process that copies a large log into the file makes it unreadable for seconds, but not while it rests. */
  #count(hasGrown: boolean | null): void {
    const writtenAt = statSync(this.#file, { throwIfNoEntry: false, bigint: true })?.mtimeNs;
    const rests = writtenAt === this.#writtenAt;
    this.#writtenAt = writtenAt;
    if (hasGrown === true) this.#misses = 0;
    else if (hasGrown === false || rests) this.#misses += 1;
  }

  /** SQLite would replay the open file's log onto any file with the ledger's name. So it goes, where that is another file. */
  dropStrangeLog(): void {
    if (identityOf(this.#file) === this.#opened) return;
    for (const part of ['-wal', '-shm']) rmSync(`${this.#file}${part}`, { force: true });
  }

  /** True: another file has the name, or none. The result stays true. */
  #isMoved(): boolean {
    this.#lost ||= identityOf(this.#file) !== this.#opened;
    return this.#lost;
  }

  /** True: the file itself, without its log, still holds its earlier values; null: it cannot be read. */
  #hasGrown(): boolean | null {
    try {
      const found = this.#progress();
      const before = this.#seen ?? found;
      if (found.id !== before.id || found.workers < before.workers || found.claims < before.claims)
        return false;
      this.#seen = found;
      return true;
    } catch {
      return null;
    }
  }

  #progress(): Progress {
    const file = openWithoutLog(this.#file);
    try {
      return file.prepare(PROGRESS).get() as unknown as Progress;
    } finally {
      file.close();
    }
  }
}

/** A connection to the file as it is, without its log and without a lock. */
export function openWithoutLog(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

function lostLedger(file: string): TumaError {
  return new TumaError('ledger_lost', {
    message: 'The ledger was removed or replaced while it was in use. Nothing more is sent.',
    hint: 'Put nothing in its place until every tuma of this home has ended: the ledger that was in use is saved beside it.',
    where: file,
  });
}

function identityOf(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
