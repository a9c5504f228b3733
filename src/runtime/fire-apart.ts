import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Log } from '../campaign/env.ts';
import type { FireAnew, FiringAnew } from '../campaign/launch/fire-anew.ts';
import type { Config } from '../config/config.ts';
import type { Ledger } from '../ledger/ledger.ts';

/* The plan of a firing in a short process of its own: a million rows neither hold up webhooks nor stay in the memory. */

/** The input of `fire-process.ts`. It holds no secret. */
export interface FiringOrder {
  ledgerFile: string;
  stateFolder: string | null;
  /** The folder of temporary folders, inside the home. */
  temporary: string;
  firing: FiringAnew;
}

/** As `FiredAnew`, with the number of the campaign. */
export type FiringAnswer = { look: string } | { campaign: number | null };

/**
 * Fires in another process, whose log goes into this one's. Rejects when that process fails; the ledger then holds no
 * firing, and it is tried again.
 */
export function firingApart(
  { home, ledgerFile, stateFolder }: Pick<Config, 'home' | 'ledgerFile' | 'stateFolder'>,
  { ledger, log }: { ledger: Pick<Ledger, 'campaign'>; log: Log },
): FireAnew {
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const program = fileURLToPath(new URL(`./fire-process${ending}`, import.meta.url));
  return async (_schedule, firing, signal) => {
    const child = spawn(process.execPath, [...process.execArgv, program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
    });
    const order: FiringOrder = { ledgerFile, stateFolder, temporary: join(home, 'tmp'), firing };
    // A child that ends early breaks the pipe; its exit code says so.
    child.stdin.on('error', () => undefined).end(JSON.stringify(order));
    const [answer, , [code]] = await Promise.all([
      text(child.stdout),
      passOnLog(child.stderr, log),
      once(child, 'close') as Promise<[number]>,
    ]);
    if (code !== 0) throw new Error(`the process that plans a firing ended with ${code}`);
    const fired = JSON.parse(answer) as FiringAnswer;
    if ('look' in fired) return fired;
    return { campaign: fired.campaign === null ? null : await ledger.campaign(fired.campaign) };
  };
}

/** Takes the log of another process into this one's. Each line is JSON as log.ts writes it, or a warning of Node. */
export async function passOnLog(stderr: Readable, log: Log): Promise<void> {
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
