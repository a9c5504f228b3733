import type { Config } from '../../config/config.ts';
import { isHangUpIgnored } from '../../config/hang-up.ts';
import type { OpenServices } from '../../runtime/contracts.ts';
import { Socket } from 'node:net';
import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { TumaError } from '../../domain/errors.ts';
import { EXIT, exitCodeOfSignal, SIGNAL_EXITS, type StopSignal } from '../exit.ts';
import { describeFailure } from '../failure.ts';
import type { Streams } from './output.ts';

/* The process behind the command line: streams, signals, its end. */

/** Writes to an open file in order and wholly. Node's own stream ignores a short write on a full disk. */
export class FileStream extends Writable {
  readonly #file: number;

  /** `file`: its descriptor, which stays open. */
  constructor(file: number) {
    super();
    this.#file = file;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  }
}

const STDOUT: Streams['stdout'] = process.stdout instanceof Socket ? process.stdout : new FileStream(1);

/** Streams and stop signal of this process. A second signal within `echoMs` is an echo of the first. */
export function processHost({ echoMs = 0 } = {}): Required<Pick<Host, 'streams' | 'signal' | 'boundStop'>> {
  const streams: Streams = { stdin: process.stdin, stdout: STDOUT, stderr: process.stderr };
  // A crash report must not hold what the environment holds: credentials.
  if (process.report !== undefined) process.report.excludeEnv = true;
  const signal = stopSignal(echoMs);
  return { streams, signal, boundStop: (deadlineMs) => boundStop(signal, deadlineMs) };
}

/** Ends the process when all output is written, with an error when the result could not be written. */
export async function endProcess(exitCode: number): Promise<never> {
  await Promise.all([written(STDOUT), written(process.stderr)]);
  // A closed reader (`| head`) has enough; but a file without the report must not look complete.
  const lost = STDOUT instanceof FileStream ? STDOUT.errored : null;
  const isAnswer = exitCode === EXIT.done || exitCode === EXIT.settledWithFailures;
  process.exit(lost !== null && isAnswer ? tell(unwritten(lost)) : exitCode);
}

function unwritten(cause: NodeJS.ErrnoException): TumaError {
  return new TumaError('file_unwritable', {
    message: `The answer could not be written to standard output (${cause.code ?? cause.message}). What the command does is done.`,
    hint: 'Free some space and run the same command again: what was sent is not sent again.',
    cause,
  });
}

/** Longer than an answer's deadline: time for verdicts, a last balance call, and closing connections. */
const STOP_MARGIN_MS = 15_000;

/** Ends this process when it does not stop in time, because another process's lock could keep it for ever. */
function boundStop(signal: AbortSignal, deadlineMs: number): void {
  const graceMs = deadlineMs + STOP_MARGIN_MS;
  const end = () => {
    tell(
      new TumaError('interrupted', {
        message: `Not finished ${graceMs / 1_000} s after ${signal.reason}: ended all the same.`,
        hint: 'As by a second signal: what was on the wire, or not written down yet, is uncertain.',
      }),
    );
    process.exit(exitCodeOfSignal(signal.reason));
  };
  const begin = () => void setTimeout(end, graceMs).unref();
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
}

/** Aborted by the first signal, with its name; the second ends the process with the shell's exit code. */
function stopSignal(echoMs: number): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  for (const name of Object.keys(SIGNAL_EXITS) as StopSignal[]) {
    process.on(name, () => {
      if (name === 'SIGHUP' && isHangUpIgnored()) return;
      if (!stopping.signal.aborted) {
        firstAt = performance.now();
        stopping.abort(name);
      } else if (performance.now() - firstAt >= echoMs) process.exit(SIGNAL_EXITS[name]);
    });
  }
  process.on('uncaughtException', endAtOnce);
  process.on('unhandledRejection', endAtOnce);
  return stopping.signal;
}

/** After an unexpected error the process ends, because its state is unknown; the ledger knows the rest. */
function endAtOnce(error: unknown): void {
  process.exit(tell(error));
}

/** Returns the exit code of that error. */
function tell(error: unknown): number {
  const { text, json, exitCode } = describeFailure(error);
  process.stderr.write(`${process.argv.includes('--json') ? json : text}\n`);
  return exitCode;
}

function written(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.errored !== null) resolve();
    else stream.write('', () => resolve());
  });
}

/** The process as the command line sees it; tests give their own. */
export interface Host {
  /** Without node and the script. */
  argv: readonly string[];
  streams: Streams;
  /** Aborted by the first signal that asks to stop; its name is the reason. */
  signal: AbortSignal;
  /** Told the longest wait for an answer: bounds how long this process may take to stop. */
  boundStop?: (deadlineMs: number) => void;
  /** Loads `openServices` of runtime.ts when a command needs it. */
  loadServices: () => Promise<OpenServices>;
  /** Reads the settings of this process. */
  loadConfig: () => Promise<(flags: Record<string, string>) => Config>;
}
