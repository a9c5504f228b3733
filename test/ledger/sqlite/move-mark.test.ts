import { readdirSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { refuseMovedCopy } from '../../../src/ledger/sqlite/move-mark.ts';
import { makeTempDir } from '../../support/temp-home.ts';

/** The error of a thread that notes a move many times; null: there was none. */
function noting(folder: string): Promise<unknown> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./note-moved-often.ts', import.meta.url), { workerData: folder });
    worker.once('error', resolve);
    worker.once('exit', () => resolve(null));
  });
}

it('two who moved a ledger at once may both note it', async () => {
  const folder = makeTempDir();
  expect(await Promise.all([noting(folder), noting(folder)])).toEqual([null, null]);
  expect(readdirSync(folder)).toEqual(['moved-some-ledger']);
  expect(() => refuseMovedCopy(folder, 'some-ledger')).toThrow('older copy');
});
