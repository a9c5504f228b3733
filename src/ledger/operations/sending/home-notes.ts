import { createHash } from 'node:crypto';
import { constants, existsSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ClaimCounterFile } from './claim-counter-file.ts';
import { syncPath } from '../../sqlite/disk-space.ts';
import type { ThreadLog } from '../../thread/ledger-thread.ts';

/*
 * The ledgers that made claims in one place, noted beside their counts of claims (claim-counter-file.ts). So
 * a new, emptied or replaced ledger does not pass for an unused one: its new id has no count.
 * The file is named after the place of the ledger, `home-<sha256>`, and holds one id a line.
 */

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
/**
 * The last ledgers of the file, which are compared with this one. A later one continues the count of earlier
 * ones, because a person accepted their claims as lost.
 */
const MOST_LEDGERS = 32;
const LINE_BYTES = 37;

/** Whose notes: which ledger, at which place. */
export interface HomeNotesOptions {
  /** The folder of the notes. */
  folder: string;
  /** Where the ledger is, the same for all processes of this machine. */
  place: string;
  ledgerId: string;
}

/** What the guard against an older ledger needs of the notes. */
export type Notes = Pick<HomeNotes, 'read' | 'another' | 'begin' | 'note'>;

/** The notes of a ledger's claims, as far as they could be opened (openNotes). */
export interface OpenNotes {
  /** Null where nothing was noted and nothing can be: the guard against an older ledger is off, and the worker says so. */
  notes: Notes | null;
  /** Why notes of this ledger that are there cannot be written; null: they can, or there are none. */
  unwritable: unknown;
}

/** The notes of all claims made in one place, for the ledger that is there now. */
export class HomeNotes {
  readonly #options: HomeNotesOptions;
  readonly #own: ClaimCounterFile;
  readonly #descriptor: number;
  #size = 0;
  #isListed = false;
  #others: ClaimCounterFile[] = [];

  /** Makes missing files. Throws the error of the file system. */
  constructor(options: HomeNotesOptions) {
    this.#options = options;
    this.#own = new ClaimCounterFile(options.folder, options.ledgerId);
    const file = join(options.folder, homeName(options.place));
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
    this.#look();
  }

  /** The number of all claims of this ledger, or of another one in its place if that is higher. */
  read(): number {
    return Math.max(this.#own.read(), this.#readOthers());
  }

  /** The folder of the notes when another ledger made more claims in this place; else null. */
  another(): string | null {
    return this.#readOthers() > this.#own.read() ? this.#options.folder : null;
  }

  /** Notes that this ledger makes claims here, once and durably. Call it before a claim. */
  begin(): void {
    this.#look();
    if (this.#isListed) return;
    // The line feed separates this line from a line that a power cut tore.
    writeSync(this.#descriptor, `${this.#size % LINE_BYTES === 0 ? '' : '\n'}${this.#options.ledgerId}\n`);
    fsyncSync(this.#descriptor);
    syncPath(this.#options.folder);
    this.#isListed = true;
  }

  /** Notes a total of claims of this ledger. */
  note(claims: number): void {
    this.#own.note(claims);
  }

  #readOthers(): number {
    this.#look();
    return this.#others.reduce((most, other) => Math.max(most, other.read()), 0);
  }

  /** Reads the file, when it has grown since. */
  #look(): void {
    const { size } = fstatSync(this.#descriptor);
    if (size === this.#size) return;
    this.#size = size;
    const { folder, ledgerId } = this.#options;
    const ids = new Set(lastLines(this.#descriptor, size));
    this.#isListed = ids.delete(ledgerId);
    this.#others = [...ids]
      .filter((id) => existsSync(join(folder, id)))
      .map((id) => new ClaimCounterFile(folder, id));
  }
}

function homeName(place: string): string {
  return `home-${createHash('sha256').update(place).digest('hex')}`;
}

function lastLines(descriptor: number, size: number): string[] {
  const bytes = Buffer.alloc(Math.min(size, MOST_LEDGERS * LINE_BYTES));
  readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  return bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => ID.test(line));
}

/** Opens the notes of a ledger's claims. `folder` null: none are wanted. */
export function openNotes(
  { folder, ...home }: Omit<HomeNotesOptions, 'folder'> & { folder: string | null },
  log: ThreadLog,
): OpenNotes {
  if (folder === null) return { notes: null, unwritable: null };
  try {
    return { notes: new HomeNotes({ folder, ...home }), unwritable: null };
  } catch (error) {
    if (existsSync(join(folder, home.ledgerId))) return { notes: null, unwritable: error };
    log.warn(
      { folder, error: String(error) },
      'claims cannot be noted: an older ledger would not be noticed',
    );
    return { notes: null, unwritable: null };
  }
}
