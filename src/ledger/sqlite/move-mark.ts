import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { syncPath } from './disk-space.ts';

/*
 * The mark of a ledger that moves to Postgres, in the file itself, and the note of this machine that it was moved. The note
 * refuses a backup of the file from before the move, which does not have the mark.
 */

/** How far a move is. `taken_back`: it counts as none, but its id is used again for the same target. */
export interface Move {
  state: 'moving' | 'taken_back' | 'moved';
  /** The same in the target's mark. */
  id: string;
  /** For people. */
  to: string;
  /** Milliseconds. */
  at: number;
}

const FIND = "SELECT value FROM fact WHERE name = 'move'";
const WRITE =
  "INSERT INTO fact (name, value) VALUES ('move', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/** The mark, as each transaction of a connection sees it. */
export class MoveMark {
  readonly #find: StatementSync;
  #move: Move | null = null;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare(FIND);
  }

  /** First in a transaction. Throws `ledger_moved` when the ledger is elsewhere: nothing is read or written here any more. */
  look(): void {
    this.#move = moveIn(this.#find);
    if (this.#move?.state === 'moved') throw movedTo(this.#move.to);
  }

  /** Throws `ledger_moved` while it moves, as the open transaction saw it. */
  requireStaying(): void {
    if (this.#move?.state !== 'moving') return;
    throw new TumaError('ledger_moved', {
      message: `The ledger is being moved to Postgres (${this.#move.to}); nothing is sent or stored meanwhile.`,
      advice: { action: 'end_move' },
    });
  }
}

/** The move of this ledger; null: there was none. */
export function moveOf(database: DatabaseSync): Move | null {
  return moveIn(database.prepare(FIND));
}

/** Writes the mark. */
export function markMove(database: DatabaseSync, move: Move): void {
  database.prepare(WRITE).run(JSON.stringify(move));
}

/** The refusal of a ledger that is elsewhere. */
export function movedTo(to: string): TumaError {
  return new TumaError('ledger_moved', {
    message: `This ledger was moved to Postgres: ${to}.`,
    hint: 'Set TUMA_DATABASE_URL to it. Nothing is sent from the file any more.',
  });
}

/** Notes on this machine, durably, that the ledger was moved. */
export function noteMoved(folder: string, { ledgerId, to }: { ledgerId: string; to: string }): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = noteFile(folder, ledgerId);
  // Two who move it at once may both be at this step.
  const own = `${file}.${randomUUID()}`;
  writeFileSync(own, to, { mode: 0o600, flush: true });
  renameSync(own, file);
  syncPath(folder);
}

/** Throws `ledger_moved` when this machine knows that the ledger was moved: what is here is an older copy. */
export function refuseMovedCopy(folder: string | null, ledgerId: string): void {
  const file = folder === null ? null : noteFile(folder, ledgerId);
  if (file === null || !existsSync(file)) return;
  const to = readFileSync(file, 'utf8');
  throw new TumaError('ledger_moved', {
    message: `This is an older copy of a ledger that was moved to Postgres: ${to}.`,
    hint: 'Set TUMA_DATABASE_URL to it. Nothing is sent from this file, because its messages may have been sent since.',
  });
}

function noteFile(folder: string, ledgerId: string): string {
  return join(folder, `moved-${ledgerId}`);
}

function moveIn(find: StatementSync): Move | null {
  const value = find.get()?.['value'];
  return value === undefined ? null : (JSON.parse(String(value)) as Move);
}
