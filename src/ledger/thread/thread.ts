import { parentPort, workerData } from 'node:worker_threads';
import type {
  OperationTable,
  ThreadAnswer,
  ThreadLog,
  ThreadMessage,
  ThreadRequest,
} from './ledger-thread.ts';
import type { Soon } from '../connection.ts';
import { mapInOrder } from '../in-order.ts';
import { packError } from './carried-error.ts';
import type { Snapshots } from './transactions.ts';

/** The thread's side of ledger-thread.ts: opens the ledger, serves its operations, closes it. */

/** Runs requests in its own order and answers each exactly once. */
export interface Runner {
  take(requests: ThreadRequest[]): void;
  /** Resolves when all taken requests are answered. */
  drain(): Promise<void>;
}

/** A thread's operations by name, their runner, and the end of its connection. */
export interface Served {
  operations: readonly string[];
  runner: Runner;
  close(): Soon<void>;
}

/** The parts of a thread that a runner needs. */
export interface Port {
  /** The next transaction begins after this. */
  answer(answers: ThreadAnswer[], commitMs?: number): Soon<void>;
  /** Takes the time of the database, where that is not this machine's. */
  clock?: (now: number) => void;
  log: ThreadLog;
}

/**
 * The one call of a thread's file. `open` makes the connection and the runner of its operations; `errorFor` makes its
 * errors for people (see Transactions).
 */
export async function serveOperations<Data>(
  open: (data: Data, port: Port) => Promise<Served>,
  errorFor: (error: unknown) => Error,
): Promise<void> {
  if (parentPort === null) throw new Error('this file runs only as a thread of the ledger');
  const parent = parentPort;
  // A crash report lists the environment of each thread: credentials.
  process.report.excludeEnv = true;
  const post = (message: ThreadMessage) => parent.postMessage(message, []);
  try {
    const served = await open(workerData as Data, portOf(post));
    parent.on('message', (requests: ThreadRequest[] | null) => {
      if (requests !== null) return served.runner.take(requests);
      void end(served).then(() => parent.close());
    });
    post({ kind: 'ready', operations: served.operations });
  } catch (error) {
    post({ kind: 'refused', error: packError(errorFor(error)) });
    parent.close();
  }
}

/**
 * The thread that reads. Each operation sees one snapshot, and no transaction outlives its operation. The next one begins
 * when it has ended, because they share a connection. A write transaction of another connection never delays a read.
 */
export function servedReads(snapshots: Snapshots, operations: OperationTable, port: Port): Served {
  const read = async (requests: ThreadRequest[]) =>
    port.answer(await mapInOrder(requests, (request) => readOne(snapshots, operations, request)));
  let reading: Promise<void> = Promise.resolve();
  const runner: Runner = {
    take(requests) {
      reading = reading.then(() => read(requests));
    },
    drain: () => reading,
  };
  return { operations: Object.keys(operations), runner, close: () => snapshots.close() };
}

async function readOne(
  snapshots: Snapshots,
  operations: OperationTable,
  request: ThreadRequest,
): Promise<ThreadAnswer> {
  const [id, name, given] = request;
  try {
    await snapshots.begin();
    return [id, null, await operationNamed(operations, name)(...(given as never[]))];
  } catch (error) {
    return [id, packError(snapshots.errorFor(error)), undefined];
  } finally {
    await snapshots.end();
  }
}

/** The operation of that name. Throws when there is none. */
export function operationNamed(operations: OperationTable, name: string): (...given: never[]) => unknown {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) throw new Error(`the ledger has no operation ${name}`);
  return operation;
}

/**
 * A connection that a disk error broke is closed, too, so that its log goes. A commit with a failed sync may
 * be missing from the log. A process that continued that log would lose its own commits behind the gap.
 */
async function end(served: Served): Promise<void> {
  await served.runner.drain();
  await served.close();
}

function portOf(post: (message: ThreadMessage) => void): Port {
  const log = (level: keyof ThreadLog) => (fields: object, message: string) =>
    post({ kind: 'log', level, fields, message });
  return {
    answer: (answers, commitMs) =>
      post({ kind: 'answers', answers, ...(commitMs === undefined ? {} : { commitMs }) }),
    clock: (now) => post({ kind: 'clock', now }),
    log: { info: log('info'), warn: log('warn'), error: log('error') },
  };
}
