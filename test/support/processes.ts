import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atFileEnd } from './file-end.ts';
import { PATIENCE_MS, waitFor } from './wait-for.ts';

/** The root of the checkout. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where Node keeps the code that it compiled; a process of an environment of its own has to be told. */
export const COMPILE_CACHE = join(ROOT, '.runtime/compile-cache');

const running = new Set<ChildProcess>();
/** Of what a process printed before it ended, in the message of a failure. */
const MOST_SHOWN_CHARS = 2_000;

atFileEnd(async () => {
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
});

export interface StartOptions {
  cwd?: string;
  /** The whole environment of the child; that of the test by default. */
  env?: NodeJS.ProcessEnv;
  /** Written to stdin, which is then closed; without it stdin is /dev/null. */
  input?: string;
  /** Leaves stdin open until `endInput`. */
  keepsInput?: boolean;
}

export interface TestProcess {
  pid: number;
  /** All of stdout, and of stderr, up to now. */
  stdout(): string;
  stderr(): string;
  /** Writes to a stdin that was kept open. */
  type(text: string): void;
  /** Closes stdin. */
  endInput(): void;
  /** Resolves when stdout or stderr matches. Rejects at once, with what it printed, when it ends before that. */
  printed(pattern: RegExp, timeoutMs?: number): Promise<void>;
  /** Resolves when the process has ended: its exit code, or null and the signal that ended it. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends the signal (SIGTERM by default) and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Runs a program; whatever is still alive at the end of the test file is killed. */
export function startProcess(command: string, args: string[], options: StartOptions = {}): TestProcess {
  const { cwd = ROOT, env = process.env, input, keepsInput = false } = options;
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: [input === undefined && !keepsInput ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  let hasEnded = false;
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  }).finally(() => {
    hasEnded = true;
    running.delete(child);
  });
  // A program that cannot be started fails whoever awaits `exited`, not the whole test run.
  exited.catch(() => undefined);
  // A child that ends early breaks the pipe; how it ended is the test's business.
  child.stdin?.on('error', () => undefined);
  if (input !== undefined) child.stdin?.end(input);
  const texts = { stdout: collect(child.stdout), stderr: collect(child.stderr) };
  return {
    pid: child.pid ?? 0,
    stdout: texts.stdout,
    stderr: texts.stderr,
    type: (text) => void child.stdin?.write(text),
    endInput: () => child.stdin?.end(),
    async printed(pattern, timeoutMs = PATIENCE_MS) {
      const matches = () => pattern.test(texts.stdout()) || pattern.test(texts.stderr());
      await waitFor(() => hasEnded || matches(), { timeoutMs, what: `${command} to print ${pattern}` });
      if (matches()) return;
      const { code, signal } = await exited;
      const last = `${texts.stdout()}\n${texts.stderr()}`.trim().slice(-MOST_SHOWN_CHARS);
      throw new Error(`${command} ended (${signal ?? code}) before it printed ${pattern}: ${last}`);
    },
    exited,
    stop: (signal = 'SIGTERM') => end(child, signal),
  };
}

/** Runs one of our TypeScript files with the Node that runs the tests. */
export function startNode(file: string, args: string[] = [], options: StartOptions = {}): TestProcess {
  return startProcess(process.execPath, [file, ...args], options);
}

/** Whether a process of that id runs; one that has ended and was not yet reaped by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

/** The memory that a process has at present, in megabytes. Linux only. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}
