import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { RegisteredWorker, WorkerIdentity } from '../ledger/contracts/records.ts';
import type { Provider } from '../provider/provider.ts';
import type { Queue } from '../queue/queue.ts';

/** Time, so that a simulation can own it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: stored, never subtracted. */
  now(): number;
  /** Monotonic clock, milliseconds: subtracted, never stored. */
  monotonic(): number;
  /** The wall clock of this machine, where `now` is that of another. Left out: `now` is it. */
  wall?(): number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Structured logging; the fields never hold a text, a full number or a credential. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Facts about processes, which may prove that the owner of a message is dead. */
export interface Processes {
  /** This process. */
  self(): WorkerIdentity;
  /** `unknown` without a proof: another machine, another container, no /proc. */
  fate(identity: WorkerIdentity): 'alive' | 'dead' | 'unknown';
}

/**
 * The wire notes of this home, one file per worker. They survive a killed process (docs/state-machines.md).
 */
export interface WireFiles {
  /**
   * Makes the file of a worker that is about to register, and takes a kernel lock that ends with this
   * process. Null: no file can be kept here, and the log says why.
   */
  open(): NoteFile | null;
  /**
   * Takes over the lock of a dead worker. `held`: the worker lives, or another reaper has the lock. `none`:
   * the file that the worker locked is not there, so its death is not proven.
   */
  inherit(
    worker: Pick<RegisteredWorker, 'worker' | 'lock'>,
  ): { state: 'held' | 'none' } | ({ state: 'left' } & InheritedNote);
  /** Removes the notes of all workers except these. */
  clear(known: ReadonlySet<number>): void;
}

/** A note that this process writes. It survives a kill of the process, but no crash of the machine. */
export interface NoteFile {
  /** The identity of the locked file; null: the file system gives none, so the lock proves nothing. */
  readonly lock: string | null;
  /**
   * Makes an empty note of this worker in place of an earlier one. Returns the identity of the file, which no
   * copy shares. Throws the error of the file system.
   */
  begin(worker: number): string;
  /** The clock by which the file system dates changes, in milliseconds. */
  now(): number;
  /** Writes into the note at this offset in bytes. Throws when not everything is written. */
  write(bytes: Buffer, at: number): void;
  /** Keeps the number of writes outside of the note, at its lock. */
  count(writes: number): void;
  /** Removes the note, so that it proves nothing; the lock stays. Throws when it cannot. */
  remove(): void;
  /** Releases the lock. */
  unlock(): void;
}

/** The file of a dead worker's note. */
export interface LeftFile {
  bytes: Buffer;
  identity: string;
  /** The time of the last change in milliseconds, by the file system. Nobody can set it. */
  changedAt: number;
  /** The number of writes that its worker counted. */
  counted: number;
  /** The time of the last change of the count in milliseconds, by the file system. */
  countedAt: number;
}

/** The lock of a dead worker, and its note. */
export interface InheritedNote {
  /** Null: the note is missing or unreadable. */
  file: LeftFile | null;
  /** Releases the lock; `remove` also ends the note, because everything in it is carried out. */
  release(options: { remove: boolean }): void;
}

/** Everything with an effect that the engine may touch. In tests a simulation owns it. */
export interface Env {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  provider: Provider;
  queue: Queue;
  ledger: Ledger;
  processes: Processes;
  wire: WireFiles;
  log: Log;
}
