import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../../src/ledger/contracts/ledger.ts';
import { LEDGERS_HERE, openReaderHere } from '../../support/ledger-here.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { World } from '../contract-world.ts';

/* A ledger in a home of its own, whose claims are noted outside of it, and an older copy of it that is put back. */

export interface Home {
  file: string;
  stateFolder: string;
}

export function makeHome(): Home {
  const directory = makeTempDir();
  return { file: join(directory, 'ledger.db'), stateFolder: join(directory, 'state', 'tuma') };
}

export async function open(home: Home): Promise<{ ledger: Ledger; world: World }> {
  const ledger = await LEDGERS_HERE.write(home);
  onTestFinished(() => ledger.close());
  const reader = () => openReaderHere(home.file);
  const world = new World({ ledger, another: never, reader, sql: never, tables: never, close: never });
  world.now = Date.now();
  return { ledger, world };
}

/** For what a test does not need. */
export const never = () => Promise.reject(new Error('not needed'));

export function putBack(home: Home, from: string): void {
  for (const part of ['-wal', '-shm']) rmSync(`${home.file}${part}`, { force: true });
  copyFileSync(from, home.file);
}
