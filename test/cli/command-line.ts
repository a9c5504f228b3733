import { PassThrough, Writable } from 'node:stream';
import { readConfig } from '../../src/config/config.ts';
import { run } from '../../src/cli/run.ts';
import type { Clock } from '../../src/campaign/env.ts';
import { openServices } from '../../src/runtime/services.ts';
import { systemClock } from '../../src/system/clock.ts';
import { LEDGERS_HERE } from '../support/ledger-here.ts';
import { inNewHome } from '../support/new-ledger.ts';
import { COMPILE_CACHE, startProcess } from '../support/processes.ts';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** Settings, as the environment would have them. */
  env?: Record<string, string>;
  /** The streams are terminals of so many columns. */
  columns?: number;
  /** What a person types. */
  typed?: string;
  /** Where settings are looked for; paths on the command line start where this process is. */
  cwd?: string;
  signal?: AbortSignal;
  /** The time at which it begins; the machine's by default. */
  now?: number;
  /** A launch is not told that its ledger may be new. */
  asks?: boolean;
}

/** Runs a command line in this process: the real commands and services, with streams and settings of the test's own. */
export async function tuma(args: string[], options: RunOptions = {}): Promise<Ran> {
  const running = startHere(args, options);
  const code = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** The same for a command that is looked at while it runs. `stdout` and `stderr`: all of it up to now. */
export function startHere(
  args: string[],
  options: RunOptions = {},
): { ended: Promise<number>; stdout: () => string; stderr: () => string } {
  const { env = {}, columns, typed, cwd = '/', signal = new AbortController().signal, now, asks } = options;
  const tty = columns === undefined ? {} : { isTTY: true, columns };
  const stdin = Object.assign(new PassThrough(), tty);
  if (typed !== undefined) stdin.end(typed);
  const stdout = Object.assign(collector(), tty);
  const stderr = Object.assign(collector(), tty);
  const ended = run({
    argv: asks === true ? args : inNewHome(args),
    streams: { stdin, stdout, stderr },
    signal,
    loadServices: () =>
      Promise.resolve(async (config, log) => {
        const services = await openServices(config, log, LEDGERS_HERE);
        return now === undefined ? services : { ...services, clock: clockFrom(now) };
      }),
    loadConfig: () => Promise.resolve((flags: Record<string, string>) => readConfig(flags, { env, cwd })),
  });
  return { ended, stdout: () => stdout.text(), stderr: () => stderr.text() };
}

/** A clock that shows this time now, and goes on from there. */
export function clockFrom(now: number): Clock {
  const ahead = now - systemClock.now();
  return { ...systemClock, now: () => systemClock.now() + ahead };
}

/** Runs the program itself, in a process of its own with nothing of the test's environment. */
export async function tumaProcess(args: string[], env: Record<string, string> = {}, cwd = '/'): Promise<Ran> {
  const child = startTuma(args, env, cwd);
  const { code } = await child.exited;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Starts the program itself. */
export function startTuma(args: string[], env: Record<string, string> = {}, cwd = '/') {
  const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
  return startProcess(process.execPath, [main, ...args], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    cwd,
  });
}

function collector(): Writable & { text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  return Object.assign(stream, { text: () => text });
}
