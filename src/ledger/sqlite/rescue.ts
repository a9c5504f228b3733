import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { ThreadRequest } from './ledger-thread.ts';
import type { LedgerPlace } from './ledger-place.ts';
import { packError } from './sqlite-errors.ts';
import type { Port, Runner } from './thread.ts';

const PAGES_A_TURN = 256;

/** What a rescue works with. */
interface RescueOptions {
  database: DatabaseSync;
  file: string;
  place: LedgerPlace;
  port: Port;
}

/**
 * Saves the ledger that is open beside its path, when its own file was removed or replaced (D18). Only this connection
 * reaches that file, and a copy is no operation of a transaction: it waits until everything before it is done.
 */
export class Rescue implements Runner {
  readonly #runner: Runner;
  readonly #options: RescueOptions;

  constructor(runner: Runner, options: RescueOptions) {
    this.#runner = runner;
    this.#options = options;
  }

  take(requests: ThreadRequest[]): void {
    const others = requests.filter(([, operation]) => operation !== 'rescue');
    if (others.length > 0) this.#runner.take(others);
    for (const request of requests) if (request[1] === 'rescue') void this.#rescue(request);
  }

  drain(): Promise<void> {
    return this.#runner.drain();
  }

  /** Answers the path of the copy. */
  async #rescue([id, , now]: ThreadRequest): Promise<void> {
    const { database, file, place, port } = this.#options;
    try {
      await this.#runner.drain();
      const copy = freeName(file, Number(now));
      closeSync(openSync(copy, 'wx', 0o600));
      await copyTo(database, copy);
      place.dropLog();
      port.answer([[id, null, copy]]);
    } catch (error) {
      port.answer([[id, packError(error), undefined]]);
    }
  }
}

async function copyTo(database: DatabaseSync, copy: string): Promise<void> {
  try {
    await backup(database, copy, { rate: PAGES_A_TURN });
    for (const path of [copy, dirname(copy)]) sync(path);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** `ledger.rescued-2026-11-27T09-05-00.db`, with a number where another process rescued in the same second. */
function freeName(file: string, now: number): string {
  const { dir, name, ext } = parse(file);
  const time = new Date(now).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const named = (number: number) => `${dir}/${name}.rescued-${time}${number === 1 ? '' : `-${number}`}${ext}`;
  let number = 1;
  while (existsSync(named(number))) number += 1;
  return named(number);
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
