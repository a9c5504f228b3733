import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, parse } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { ThreadRequest } from '../thread/ledger-thread.ts';
import { type LedgerPlace, openWithoutLog } from './ledger-place.ts';
import { packError } from '../thread/carried-error.ts';
import { ledgerError } from './sqlite-errors.ts';
import type { Port, Runner } from '../thread/thread.ts';
import { syncPath } from './disk-space.ts';

/** All pages in one step, so that no write comes between two. */
const ALL_PAGES = 2 ** 31 - 1;

/** The parts of a rescue. */
interface RescueOptions {
  database: DatabaseSync;
  file: string;
  place: LedgerPlace;
  port: Port;
}

/**
 * Saves the open ledger beside its path, when its own file was removed or replaced (D18). Only this
 * connection reaches that file. A copy is no operation of a transaction, so it waits for all earlier
 * operations.
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

  /** Returns the path of the copy. */
  async #rescue([id, , [now]]: ThreadRequest): Promise<void> {
    const { database, file, place, port } = this.#options;
    try {
      await this.#runner.drain();
      const copy = freeName(file, Number(now));
      closeSync(openSync(copy, 'wx', 0o600));
      await copyTo(database, copy);
      place.dropLog();
      refuseDamaged(copy, file);
      await port.answer([[id, null, copy]]);
    } catch (error) {
      await port.answer([[id, packError(ledgerError(error)), undefined]]);
    }
  }
}

/** A large file that was overwritten is read partly from the new file, so the copy is no usable ledger. */
function refuseDamaged(copy: string, file: string): void {
  if (isSound(copy)) return;
  const damaged = copy.replace('.rescued-', '.damaged-');
  renameSync(copy, damaged);
  throw new TumaError('ledger_invalid', {
    message: `The ledger that was in use is damaged, because another file was written over it. What is left of it: ${damaged}`,
    hint: 'Put the latest backup in its place.',
    advice: { action: 'accept_loss', ifNone: false },
    where: file,
  });
}

/** No other connection writes to the copy, and it has no log. */
function isSound(copy: string): boolean {
  const database = openWithoutLog(copy);
  try {
    return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}

async function copyTo(database: DatabaseSync, copy: string): Promise<void> {
  try {
    await backup(database, copy, { rate: ALL_PAGES });
    for (const path of [copy, dirname(copy)]) syncPath(path);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** `ledger.rescued-2026-11-27T09-05-00.db`, with a number when another process rescued in the same second. */
function freeName(file: string, now: number): string {
  const { dir, name, ext } = parse(file);
  const time = new Date(now).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length).replaceAll(':', '-');
  const named = (number: number) => `${dir}/${name}.rescued-${time}${number === 1 ? '' : `-${number}`}${ext}`;
  let number = 1;
  while (existsSync(named(number))) number += 1;
  return named(number);
}
