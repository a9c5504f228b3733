import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { startNode } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { PATIENCE_MS } from './provider.ts';
import { copyProject } from './sample-project.ts';

/* What `npm start` is proof of: it must fail where its report is not the truth, or where there is no truth. */

const limits = spawnSync('prlimit', ['--version']).status === 0;
if (!limits) console.log('the test of a truth log that cannot be written is left out: there is no prlimit');

/** The sample, in the middle of sending. */
async function sending() {
  const root = copyProject();
  const truthFile = join(root, '.tuma', 'sample', 'truth.ndjson');
  const start = () => {
    const env = { PATH: process.env['PATH'] ?? '' };
    return startNode(join(root, 'src/sample/main.ts'), [], { cwd: root, env });
  };
  const sample = start();
  const isSending = async () => existsSync(truthFile) && (await readTruth(truthFile)).acceptedCount >= 30;
  await waitFor(isSending, { what: '30 messages', timeoutMs: PATIENCE_MS });
  return { truthFile, sample, start };
}

test('a report that says otherwise than the truth ends npm start with exit code 1', async () => {
  const { truthFile, sample } = await sending();
  const accepted = readFileSync(truthFile, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('{"event":"accepted"'));
  appendFileSync(truthFile, `${accepted}\n`);
  expect((await sample.exited).code).toBe(1);
  expect(sample.stderr()).toContain('THE REPORT SAYS OTHERWISE.');
  expect(sample.stdout()).toMatch(/finished/);
});

test.skipIf(!limits)(
  'a sandbox that cannot write the truth ends npm start, which goes on the next time',
  async () => {
    const { truthFile, sample, start } = await sending();
    const [pid = ''] = readFileSync(`${truthFile}.lock`, 'utf8').split(' ');
    expect(spawnSync('prlimit', ['--pid', pid, '--fsize=1']).status).toBe(0);
    expect((await sample.exited).code).toBe(1);
    expect(sample.stderr()).toMatch(
      /error: The sandbox's truth log cannot be written: EFBIG\.\n.*truth\.ndjson\n.*goes on from there\.\n$/,
    );
    const again = start();
    const { code } = await again.exited;
    expect([0, 3], again.stderr()).toContain(code);
    expect(again.stderr()).toContain('going on with it');
    expect(again.stderr()).toContain('The report says the same');
  },
);
