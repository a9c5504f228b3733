import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFileLock } from '../../src/queue/file-lock.ts';
import { smallDisk } from '../e2e/harness.ts';

const disk = smallDisk(1);
if (disk === null) console.log('the test of a full disk is left out: this user may not mount one');

test.skipIf(disk === null)(
  'the lock needs no space: on a full disk it is taken and let go as ever',
  async () => {
    const path = disk?.path ?? '';
    const lock = join(path, 'redis.lock');
    writeFileSync(lock, '');
    fillDisk(path);
    for (const turn of [1, 2]) expect(await withFileLock(lock, async () => turn)).toBe(turn);
  },
);

function fillDisk(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, 'filler'), Buffer.alloc(bavail * bsize));
}
