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

/** What can be known of processes: the proof that the owner of a message is dead. */
export interface Processes {
  /** This process. */
  self(): WorkerIdentity;
  /** `unknown` where nothing can be proven: another machine, another container, no /proc. */
  fate(identity: WorkerIdentity): 'alive' | 'dead' | 'unknown';
}

/** Everything with an effect that the engine may touch. Made by `runtime.ts`, owned by a simulation in tests. */
export interface Env {
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  provider: Provider;
  queue: Queue;
  ledger: Ledger;
  processes: Processes;
  log: Log;
}
