import { closeSync, openSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStream } from '../../../src/cli/terminal/process-host.ts';
import { makeTempDir } from '../../support/temp-home.ts';

test('what is written stands in the file at once, so that two streams of one file keep their order', () => {
  const path = join(makeTempDir(), 'log');
  const file = openSync(path, 'w');
  const [stdout, stderr] = [new FileStream(file), new FileStream(file)];
  stdout.write('Ann ');
  stderr.write('Ben ');
  stdout.write('Grüße');
  expect(readFileSync(path, 'utf8')).toBe('Ann Ben Grüße');
  closeSync(file);
});

test('a file that takes nothing is an error of the stream, with what the system says', async () => {
  const full = openSync('/dev/full', 'w');
  const stream = new FileStream(full);
  const failed = once(stream, 'error');
  stream.write('lost');
  const [error] = (await failed) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ENOSPC');
  closeSync(full);
});
