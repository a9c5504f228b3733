import type { Ledger } from '../ledger/ledger.ts';
import type { WorkerIdentity } from '../ledger/records.ts';
import type { Provider } from '../provider/provider.ts';
import type { Queue } from '../queue/queue.ts';

/** Time, so that a simulation can own it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: stored, never subtracted. */
  now(): number;
  /** Monotonic clock, milliseconds: subtracted, never stored. */
  monotonic(): number;
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
   * the worker has no lock, so its death is not proven.
   */
  inherit(worker: number): { state: 'held' | 'none' } | ({ state: 'left' } & InheritedNote);
  /** Removes the notes of all workers except these. */
  clear(known: ReadonlySet<number>): void;
}

/** A note that this process writes. It survives a kill of the process, but no crash of the machine. */
export interface NoteFile {
  /** Begins the note of this worker anew, in one step. Throws the error of the file system. */
  replace(worker: number, text: string): void;
  /** Throws when the text is not written whole. */
  append(text: string): void;
  /** Removes the note, so that it proves nothing; the lock stays. Throws when it cannot. */
  remove(): void;
  /** Releases the lock. */
  unlock(): void;
}

/** The lock of a dead worker, and its note. */
export interface InheritedNote {
  /** Null: the note is missing, or it is a copy. */
  text: string | null;
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
