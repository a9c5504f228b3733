import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryFileLock } from '../../src/system/file-lock.ts';
import { smallDisk } from '../e2e/harness.ts';
import { makeTempDir } from '../support/temp-home.ts';

const disk = smallDisk(1);
if (disk === null) console.log('the test of a full disk is left out: this user may not mount one');

test.skipIf(disk === null)(
  'the lock needs no space: on a full disk it is taken and let go as ever',
  async () => {
    const path = disk?.path ?? '';
    const lock = join(path, 'redis.lock');
    writeFileSync(lock, '');
    fillDisk(path);
    for (const _ of [1, 2]) {
      const taken = tryFileLock(lock);
      expect(taken).not.toBeNull();
      taken?.release();
    }
  },
);

test('other processes are kept out, also after this one has tried to take the lock again', () => {
  const path = join(makeTempDir(), 'redis.lock');
  const lock = tryFileLock(path);
  const seen = [tried(path)];
  expect(tryFileLock(path)).toBeNull();
  seen.push(tried(path));
  lock?.release();
  expect([...seen, tried(path)]).toEqual(['locked', 'locked', 'free']);
});

/** What another process finds. */
function tried(path: string): string {
  const source = `const { DatabaseSync } = require('node:sqlite');
    try { new DatabaseSync(process.argv[1]).exec('BEGIN EXCLUSIVE'); console.log('free'); }
    catch (error) { if (error.errcode !== 5) throw error; console.log('locked'); }`;
  return execFileSync(process.execPath, ['-e', source, path], { encoding: 'utf8' }).trim();
}

function fillDisk(path: string): void {
  const { bavail, bsize } = statfsSync(path);
  writeFileSync(join(path, 'filler'), Buffer.alloc(bavail * bsize));
}
