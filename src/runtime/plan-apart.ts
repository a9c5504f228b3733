import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Log } from '../campaign/env.ts';
import type { PlanApart, PlanOrder } from '../campaign/prepare/plan-order.ts';
import type { Config } from '../config/config.ts';
import { type Asked, askedFrom } from '../ledger/asked-from.ts';
import { passOnLog } from './fire-apart.ts';

/* Plans and launches of preparations in a short process of its own: a million rows hold up no page and no webhook. */

/** The input of `plan-process.ts`. It holds no secret. */
export interface PlanProcessOrder {
  ledgerFile: string;
  stateFolder: string | null;
  /** The folder of temporary folders, inside the home. */
  temporary: string;
  order: PlanOrder;
  /** From where and by which right it was asked for; null: at this machine. */
  asked: Asked | null;
}

/** Starts the process. Rejects when it fails; then nothing was kept, and what it launched says the ledger. */
export function planningApart(
  { home, ledgerFile, stateFolder }: Pick<Config, 'home' | 'ledgerFile' | 'stateFolder'>,
  log: Log,
): PlanApart {
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const program = fileURLToPath(new URL(`./plan-process${ending}`, import.meta.url));
  return async (order, progress) => {
    const child = spawn(process.execPath, [...process.execArgv, program], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const asked = askedFrom.getStore() ?? null;
    const given: PlanProcessOrder = { ledgerFile, stateFolder, temporary: join(home, 'tmp'), order, asked };
    // A child that ends early breaks the pipe; its exit code says so.
    child.stdin.on('error', () => undefined).end(JSON.stringify(given));
    const closed = once(child, 'close') as Promise<[number]>;
    const read = async () => {
      for await (const line of createInterface({ input: child.stdout })) progress(Number(line));
    };
    const [, , [code]] = await Promise.all([read(), passOnLog(child.stderr, log), closed]);
    if (code !== 0) throw new Error(`the process that plans ended with ${code}`);
  };
}
