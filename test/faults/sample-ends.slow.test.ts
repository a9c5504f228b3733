import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { startNode } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { copyProject } from './sample-project.ts';

/* What `npm start` is proof of: it must fail where its report is not the truth, or where there is no truth. */

/** The sample, in the middle of sending. */
async function sending() {
  const root = copyProject();
  const truthFile = join(root, '.tuma', 'sample', 'truth.ndjson');
  const env = { PATH: process.env['PATH'] ?? '' };
  const sample = startNode(join(root, 'src/sample/main.ts'), [], { cwd: root, env });
  const isSending = async () => existsSync(truthFile) && (await readTruth(truthFile)).acceptedCount >= 30;
  await waitFor(isSending, { what: '30 messages' });
  return { truthFile, sample };
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
