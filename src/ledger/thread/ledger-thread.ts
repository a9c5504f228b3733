import { Worker } from 'node:worker_threads';
import { TumaError } from '../../domain/errors.ts';
import { type Asked, askedFrom } from '../contracts/asked-from.ts';
import { type CarriedError, unpackError } from './carried-error.ts';

/*
 * The caller's side of a ledger thread (the other side: thread.ts). SQLite waits synchronously for locks and
 * for the disk, so every connection lives in a thread of its own. Calls of one turn of the event loop cross
 * together, and so do their results.
 */

/** In a long turn, the thread begins with the first calls while more are made. */
const MOST_TOGETHER = 32;

/** Named functions that run in the thread, at once or awaited; arguments and results must survive a structured clone. */
export type OperationTable = Record<string, (...given: never[]) => unknown>;

/** Runs operations elsewhere by their names: a thread of this process (startLedgerThread), or a simulation of it. */
export interface Caller<Operations extends OperationTable> {
  /** The names of all operations. */
  readonly operations: readonly string[];
  call<Name extends keyof Operations & string>(
    operation: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<Awaited<ReturnType<Operations[Name]>>>;
  close(): Promise<void>;
}

/** The target of a thread's log. */
export interface ThreadLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The options of a thread's start. */
export interface ThreadStart {
  /** The thread's own file, which calls `serveOperations`. Make it with `threadFile`. */
  entry: URL;
  /** What the thread needs to open its ledger. It survives a structured clone. */
  data: object;
  log?: ThreadLog;
  /** Called with the milliseconds of each commit. */
  committed?: (ms: number) => void;
  /** Called with the time of the database, where that is not this machine's: before it is open, and at each commit. */
  clock?: (now: number) => void;
}

/** A request that crosses to the thread; `asked`: from where and by which right. */
export type ThreadRequest = [id: number, operation: string, given: readonly unknown[], asked?: Asked];
/** A result that comes back. */
export type ThreadAnswer = [id: number, error: CarriedError | null, result: unknown];
/** A message from the thread. */
export type ThreadMessage =
  | { kind: 'ready'; operations: readonly string[] }
  | { kind: 'refused'; error: CarriedError }
  | { kind: 'answers'; answers: ThreadAnswer[]; commitMs?: number }
  | { kind: 'clock'; now: number }
  | { kind: 'log'; level: keyof ThreadLog; fields: object; message: string };

/** The URL of a thread's file beside `from` (import.meta.url): .ts in the source tree, .js when compiled. */
export function threadFile(name: string, from: string): URL {
  return new URL(`./${name}${from.slice(from.lastIndexOf('.'))}`, from);
}

/** Starts a thread and waits until its ledger is open. Rejects with the error of the opening. */
export async function startLedgerThread<Operations extends OperationTable>(
  start: ThreadStart,
): Promise<LedgerThread<Operations>> {
  const thread = new LedgerThread<Operations>(start);
  await thread.opening.promise;
  return thread;
}

/** A ledger thread holds one transaction's rows at a time, but without a limit its heap would grow. */
const THREAD_HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 128 };

/** A thread that owns a connection: calls go in, answers come back in their order. */
class LedgerThread<Operations extends OperationTable> implements Caller<Operations> {
  /** Settles when the thread has opened the ledger, or could not. */
  readonly opening = Promise.withResolvers<void>();
  /** The names of the thread's operations; none before it has opened. */
  operations: readonly string[] = [];
  readonly #worker: Worker;
  readonly #log: ThreadLog | null;
  readonly #committed: ThreadStart['committed'];
  readonly #clock: ThreadStart['clock'];
  readonly #pending = new Map<number, Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>>();
  readonly #ended: Promise<void>;
  #outbox: ThreadRequest[] = [];
  #nextId = 1;
  #endedWith: Error | null = null;

  constructor(start: ThreadStart) {
    this.#log = start.log ?? null;
    this.#committed = start.committed;
    this.#clock = start.clock;
    this.#worker = new Worker(start.entry, {
      workerData: start.data,
      name: 'ledger',
      resourceLimits: THREAD_HEAP,
    });
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end(new TumaError('internal', { message: 'The ledger is closed.' }));
        resolve();
      });
    });
    this.#worker.on('error', (error) => this.#end(asError(error)));
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message));
  }

  /** Runs one operation in the thread. Rejects with a TumaError, or with the operation's own error. */
  call<Name extends keyof Operations & string>(
    operation: Name,
    ...given: Parameters<Operations[Name]>
  ): Promise<Awaited<ReturnType<Operations[Name]>>> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#endedWith !== null) return reject(this.#endedWith);
      const id = this.#nextId++;
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(id, { resolve, reject });
      const asked = askedFrom.getStore();
      const together = this.#outbox.push(
        asked === undefined ? [id, operation, given] : [id, operation, given, asked],
      );
      if (together === 1) setImmediate(() => this.#flush());
      else if (together === MOST_TOGETHER) this.#flush();
    }) as Promise<Awaited<ReturnType<Operations[Name]>>>;
  }

  /** Waits for every call in progress, then closes the ledger and ends the thread. May be called twice. */
  async close(): Promise<void> {
    if (this.#endedWith === null) {
      this.#flush();
      this.#worker.ref();
      this.#worker.postMessage(null, []);
    }
    await this.#ended;
  }

  #flush(): void {
    if (this.#outbox.length === 0) return;
    this.#worker.postMessage(this.#outbox, []);
    this.#outbox = [];
  }

  #answered({ answers, commitMs }: ThreadMessage & { kind: 'answers' }): void {
    if (commitMs !== undefined) this.#committed?.(commitMs);
    for (const answer of answers) this.#settle(answer);
    this.#letGo();
  }

  #receive(message: ThreadMessage): void {
    switch (message.kind) {
      case 'answers':
        return this.#answered(message);
      case 'clock':
        return this.#clock?.(message.now);
      case 'log':
        return this.#log?.[message.level](message.fields, message.message);
      case 'ready':
        this.operations = message.operations;
        this.opening.resolve();
        return this.#letGo();
      case 'refused':
        this.opening.reject(unpackError(message.error));
    }
  }

  /** The process stays alive only while a call is pending. */
  #letGo(): void {
    if (this.#pending.size === 0) this.#worker.unref();
  }

  #settle([id, error, result]: ThreadAnswer): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (error === null) pending.resolve(result);
    else pending.reject(unpackError(error));
  }

  #end(error: Error): void {
    this.#endedWith ??= error;
    this.opening.reject(error);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
