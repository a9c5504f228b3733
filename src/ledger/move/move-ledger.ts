import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { LedgerMove, Moved, MoveProgress } from '../contracts/ledger-move.ts';
import type { Violation } from '../contracts/reader.ts';
import { readerOperations } from '../operations/reader.ts';
import { HomeNotes, openNotes } from '../operations/sending/home-notes.ts';
import { StaleLedgerGuard, unnoted } from '../operations/sending/stale-ledger-guard.ts';
import { homePlaceOf, placeOf, type PostgresAddress } from '../postgres/address.ts';
import { postgresError } from '../postgres/postgres-errors.ts';
import { violationsOnPostgres } from '../postgres/serve-postgres.ts';
import { LedgerPlace } from '../sqlite/ledger-place.ts';
import { ledgerIdOf, migrate } from '../sqlite/migrate.ts';
import { markMove, type Move, moveOf, movedTo, noteMoved, refuseMovedCopy } from '../sqlite/move-mark.ts';
import { openForWriting } from '../sqlite/open.ts';
import { placeOf as placeOfFile } from '../sqlite/serve-writer.ts';
import { sqliteEngine } from '../sqlite/sqlite-engine.ts';
import { ledgerError, whenFree } from '../sqlite/sqlite-errors.ts';
import type { ThreadLog } from '../thread/ledger-thread.ts';
import { readerHere } from '../thread/reader.ts';
import { compareTables } from './compare-tables.ts';
import { copyTables, goOnUnless, type MoveEnds } from './copy-tables.ts';
import { MoveTarget } from './move-target.ts';
import { tablesOf } from './tables.ts';

/*
 * The order of a move. The file's write lock is held from the last look until the switch, so whatever another process
 * wants to write comes before the copy, or after the switch, where it is refused. The commit of `moved` is the switch.
 */

/** What a move needs: the file, where it goes, and who asks. */
export interface MoveOptions {
  file: string;
  /** The folder of the notes of claims; null: none are made. */
  stateFolder: string | null;
  /** Null: only to take a move back. */
  address: PostgresAddress | null;
  /** For the audit. */
  by: string;
  now: () => number;
  log: ThreadLog;
}

/** Opens the ledger in the file for a move. Throws as `openSqliteLedger`, and `not_found` when there is none. */
export async function openMove(options: MoveOptions): Promise<LedgerMove> {
  const { file, log } = options;
  if (!existsSync(file))
    throw new TumaError('not_found', { message: 'There is no ledger here.', where: file });
  const database = await openForWriting({ file, log });
  try {
    await migrate(database);
    return new FileToPostgres(database, options);
  } catch (error) {
    database.close();
    throw error;
  }
}

class FileToPostgres implements LedgerMove {
  readonly to: string;
  readonly #database: DatabaseSync;
  readonly #options: MoveOptions;
  readonly #place: LedgerPlace;
  readonly #ledgerId: string;

  constructor(database: DatabaseSync, options: MoveOptions) {
    this.#database = database;
    this.#options = options;
    this.#place = new LedgerPlace(options.file);
    this.#ledgerId = ledgerIdOf(database);
    this.to = options.address === null ? '' : placeOf(options.address);
  }

  async begin(): Promise<'begun' | 'moved'> {
    const { to } = this;
    const known = moveOf(this.#database);
    refuseOtherTarget(known, to);
    if (known?.state === 'moved') return 'moved';
    const id = known?.to === to ? known.id : randomUUID();
    await this.#withTarget(id, (target) => target.requireFree());
    return this.#transaction(() => {
      const found = moveOf(this.#database);
      refuseOtherTarget(found, to);
      if (found?.state === 'moved') return 'moved';
      refuseMovedCopy(this.#options.stateFolder, this.#ledgerId);
      if (found?.state !== 'moving')
        markMove(this.#database, { state: 'moving', id, to, at: this.#options.now() });
      return 'begun';
    });
  }

  sending(): number {
    const row = this.#database.prepare('SELECT coalesce(sum(in_flight), 0) AS n FROM account').get();
    return Number(row?.['n']);
  }

  async carryOver(progress: MoveProgress, signal: AbortSignal): Promise<Moved> {
    goOnUnless(signal);
    await whenFree(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const move = this.#requireReady();
      progress({ step: 'checking', what: 'ledger' });
      await this.#requireSound();
      this.#audit(move);
      return await this.#withTarget(move.id, (target) => this.#through({ target, progress, signal }, move));
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw ledgerError(error);
    }
  }

  /** Nothing wrote to the file since `#requireReady`, and nothing will. */
  async #through(
    { target, progress, signal }: Pick<MoveEnds, 'progress' | 'signal'> & { target: MoveTarget },
    move: Move,
  ): Promise<Moved> {
    const tables = tablesOf(this.#database);
    const ends = { database: this.#database, client: target.client, progress, signal };
    const rows = await target.fill(tables, {
      copy: () => copyTables(ends, tables),
      indexing: () => progress({ step: 'indexing' }),
    });
    await compareTables(ends, tables);
    progress({ step: 'checking', what: 'copy' });
    refuseBroken(await violationsOnPostgres(this.#address), 'The copy on Postgres');
    goOnUnless(signal);
    this.#place.requireInPlace();
    const moved = { to: this.to, rows, campaigns: this.#count('campaign'), messages: this.#count('message') };
    markMove(this.#database, { ...move, state: 'moved', at: this.#options.now() });
    this.#database.exec('COMMIT');
    return moved;
  }

  /** What was true when the move began may have changed while it waited. */
  #requireReady(): Move {
    const move = moveOf(this.#database);
    refuseOtherTarget(move, this.to);
    if (move?.state === 'moved') throw movedTo(move.to);
    if (move?.state !== 'moving')
      throw new TumaError('state_forbids', { message: 'Somebody took the move back. Nothing was moved.' });
    const sending = this.#database.prepare("SELECT 1 FROM message WHERE state = 'sending' LIMIT 1").get();
    if (sending !== undefined)
      throw new TumaError('state_forbids', { message: 'Messages are still on the wire.' });
    return move;
  }

  /** An older ledger would be sent again by machines without its notes, and a broken one would stay broken. */
  async #requireSound(): Promise<void> {
    const { file, stateFolder, log } = this.#options;
    const home = { place: placeOfFile(file), ledgerId: this.#ledgerId, folder: stateFolder };
    await new StaleLedgerGuard(this.#database, openNotes(home, log)).requireClaims();
    this.#notesThere();
    const reader = readerHere(readerOperations(this.#database, sqliteEngine(this.#database)));
    refuseBroken(await reader.violations(null), 'The ledger');
  }

  #audit({ to }: Move): void {
    this.#database
      .prepare("INSERT INTO audit (at, by, verb, detail) VALUES (?1, ?2, 'move', ?3)")
      .run(this.#options.now(), this.#options.by, JSON.stringify({ to }));
  }

  async open(): Promise<void> {
    const move = moveOf(this.#database);
    if (move?.state !== 'moved' || move.to !== this.to)
      throw new TumaError('state_forbids', { message: 'The ledger was not moved there.' });
    this.#note();
    await this.#withTarget(move.id, (target) => target.openLedger(this.#ledgerId));
  }

  /** Before the ledger opens, so that no claim is made that this machine's notes do not know. */
  #note(): void {
    const { stateFolder: folder } = this.#options;
    if (folder === null) return;
    noteMoved(folder, { ledgerId: this.#ledgerId, to: this.to });
    this.#notesThere()?.begin();
  }

  /** The notes of claims at the new place. Throws `claims_unnoted`. */
  #notesThere(): HomeNotes | null {
    const { stateFolder: folder } = this.#options;
    if (folder === null) return null;
    try {
      return new HomeNotes({ folder, place: homePlaceOf(this.#address), ledgerId: this.#ledgerId });
    } catch (cause) {
      throw unnoted(cause);
    }
  }

  async takeBack(): Promise<void> {
    await this.#transaction(() => {
      const move = moveOf(this.#database);
      if (move?.state === 'moved') throw movedTo(move.to);
      refuseMovedCopy(this.#options.stateFolder, this.#ledgerId);
      if (move?.state !== 'moving')
        throw new TumaError('state_forbids', { message: 'This ledger is not being moved.' });
      markMove(this.#database, { ...move, state: 'taken_back', at: this.#options.now() });
    });
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  async #withTarget<Result>(id: string, work: (target: MoveTarget) => Promise<Result>): Promise<Result> {
    const target = await MoveTarget.open(this.#address, id);
    try {
      return await work(target);
    } catch (error) {
      throw postgresError(ledgerError(error));
    } finally {
      await target.close();
    }
  }

  get #address(): PostgresAddress {
    const { address } = this.#options;
    if (address === null) throw new Error('this move has no target');
    return address;
  }

  async #transaction<Result>(work: () => Result): Promise<Result> {
    await whenFree(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const result = work();
      this.#place.requireInPlace();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw ledgerError(error);
    }
  }

  #count(table: 'campaign' | 'message'): number {
    return Number(this.#database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  }
}

function refuseOtherTarget(move: Move | null, to: string): void {
  if (move === null || move.state === 'taken_back' || move.to === to) return;
  if (move.state === 'moved') throw movedTo(move.to);
  throw new TumaError('ledger_moved', {
    message: `A move of this ledger to another place has begun: ${move.to}.`,
    advice: { action: 'end_move' },
  });
}

function refuseBroken(violations: readonly Violation[], what: string): void {
  if (violations.length === 0) return;
  throw new TumaError('invariant_broken', {
    message: `${what} breaks ${violations.length} ${violations.length === 1 ? 'invariant' : 'invariants'} (${violations[0]?.invariant}). Nothing was moved.`,
    hint: 'Keep a backup of this ledger, have every invariant checked, and report this as a bug.',
  });
}
