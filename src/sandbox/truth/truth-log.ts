import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SandboxError } from '../sandbox-error.ts';
import type { TruthEntry } from './truth-entry.ts';

const TAIL_BYTES = 65_536;
const NEWLINE = 0x0a;

/**
 * The writer of the truth log. One write takes all entries of a turn of the event loop, and only then their
 * answers go out. So a killed sandbox has every answer in its log. A power cut may lose entries, because
 * nothing is fsynced.
 */
export class TruthLog {
  /** Whether the log holds nothing yet. */
  readonly isNew: boolean;
  readonly #file: string;
  readonly #descriptor: number;
  readonly #onFailure: (failure: SandboxError) => void;
  #lines: string[] = [];
  #written: (() => void)[] = [];
  #scheduled = false;
  #closed = false;

  /**
   * Cuts off a half-written last line, and opens the log for appending (a new one with mode 0600). Throws a
   * SandboxError `truth_unwritable`; `onFailure` gets a later one. Two writers of one log would repeat ids;
   * the caller prevents them.
   */
  constructor(file: string, onFailure: (failure: SandboxError) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
    this.#descriptor = openLog(file);
    this.isNew = fstatSync(this.#descriptor).size === 0;
  }

  /** Adds an entry. Calls `written` after the write; a failed write never calls it. */
  append(entry: TruthEntry, written?: () => void): void {
    if (this.#closed) return;
    this.#lines.push(JSON.stringify(entry));
    if (written !== undefined) this.#written.push(written);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#flush();
    });
  }

  /** Writes the waiting entries, lets their answers go, and closes the file. */
  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#end();
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#closed || this.#lines.length === 0) return;
    const bytes = Buffer.from(`${this.#lines.join('\n')}\n`);
    const written = this.#written;
    this.#lines = [];
    this.#written = [];
    try {
      writeAll(this.#descriptor, bytes);
    } catch (failure) {
      this.#end();
      this.#onFailure(unwritable(this.#file, failure));
      return;
    }
    for (const tell of written) tell();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
  }
}

function openLog(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true });
    if (existsSync(file)) cutTornLine(file);
    return openSync(file, 'a', 0o600);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

/** A later start can continue this log, because unwritten messages were never answered. */
function unwritable(file: string, cause: unknown): SandboxError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
  const full = code === 'ENOSPC' || code === 'EDQUOT';
  return new SandboxError('truth_unwritable', {
    message: `The sandbox's truth log cannot be written: ${full ? 'the disk is full' : code}.`,
    hint: `${full ? 'Free some space' : 'See that this user may write the file'}, and run it again: it goes on from there.`,
    where: file,
    cause,
  });
}

function cutTornLine(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    const { size } = fstatSync(descriptor);
    if (size === 0) return;
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    ftruncateSync(descriptor, size - tail.length + tail.lastIndexOf(NEWLINE) + 1);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done);
}
