import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Log } from '../campaign/env.ts';

/* Work in a short process of its own: a million rows hold up no page and no webhook, nor stay in the memory. */

/** How a process is started, and who hears of it. */
export interface Apart {
  /** Its program in this folder, without an ending: `plan-process`. */
  program: string;
  /** What it reads from standard input, as JSON. It holds no secret. */
  order: unknown;
  log: Log;
  /** Gets each line that it writes; none by default. */
  heard?: (line: string) => void;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Runs it to its end, and takes its log into this one's. Rejects when it fails. */
export async function runApart({ program, order, log, heard = () => {}, signal }: Apart): Promise<void> {
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const file = fileURLToPath(new URL(`./${program}${ending}`, import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, file], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  });
  // A child that ends early breaks the pipe; its exit code says so.
  child.stdin.on('error', () => undefined).end(JSON.stringify(order));
  const closed = once(child, 'close') as Promise<[number]>;
  const read = async () => {
    for await (const line of createInterface({ input: child.stdout })) heard(line);
  };
  const [, , [code]] = await Promise.all([read(), passOnLog(child.stderr, log), closed]);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** Takes the log of another process into this one's. Each line is JSON as log.ts writes it, or a warning of Node. */
async function passOnLog(stderr: Readable, log: Log): Promise<void> {
  for await (const line of createInterface({ input: stderr })) {
    const { level, msg, pid: _pid, time: _time, ...fields } = entryOf(line);
    log[level](fields, msg);
  }
}

function entryOf(line: string): { level: keyof Log; msg: string; pid?: number; time?: string } {
  try {
    return JSON.parse(line) as ReturnType<typeof entryOf>;
  } catch {
    return { level: 'warn', msg: line };
  }
}
