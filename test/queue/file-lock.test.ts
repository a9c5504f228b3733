import { execFileSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFileLock } from '../../src/queue/file-lock.ts';
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
    for (const turn of [1, 2]) expect(await withFileLock(lock, async () => turn)).toBe(turn);
  },
);

test('other processes are kept out, also while somebody else of this one waits for the lock', async () => {
  const path = join(makeTempDir(), 'redis.lock');
  const seen: string[] = [];
  let other: Promise<unknown> = Promise.resolve();
  await withFileLock(path, async () => {
    seen.push(tried(path));
    other = withFileLock(path, async () => seen.push('the other'));
    seen.push(tried(path));
  });
  await other;
  expect([...seen, tried(path)]).toEqual(['locked', 'locked', 'the other', 'free']);
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
