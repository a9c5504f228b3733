import { beforeEach, expect, it } from 'vitest';
import { LedgerStory } from '../../support/ledger-story.ts';
import { tuma } from '../command-line.ts';

let story: LedgerStory;
beforeEach(async () => {
  story = await LedgerStory.begin();
  await story.launch();
});

const run = (...args: string[]) => tuma([...args, '--json'], { env: { TUMA_HOME: story.directory } });

it.each([
  { args: ['cancel', ''] },
  { args: ['pause', ''] },
  { args: ['resume', ' '] },
  { args: ['retry', ''] },
  { args: ['rate', '', '80/s'] },
  { args: ['resolve', '', '--sent'] },
  { args: ['resolve', '', '--evidence'] },
  { args: ['status', ''] },
  { args: ['status', '', '--watch'] },
  { args: ['report', ''] },
  { args: ['report', ' \t'] },
  { args: ['verify', ''] },
  { args: ['export', '', '--out', '/nowhere/x.csv'] },
])('an empty or blank campaign is not the only one that there is: $args', async ({ args }) => {
  const { code, stdout, stderr } = await run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect((JSON.parse(stderr) as { error: object }).error).toMatchObject({
    code: 'usage',
    message: 'Which campaign? What was given is empty.',
  });
  const status = await run('status', 'bf-1');
  expect(JSON.parse(status.stdout)).toMatchObject({ state: 'running' });
});

it('verify without one still checks all', async () => {
  expect((await run('verify')).stdout).toBe('{"violations":[],"campaigns":1}\n');
});

it('a number that is given for one is not repeated in full', async () => {
  const { code, stderr } = await run('report', '254700000001');
  expect(code).toBe(2);
  expect((JSON.parse(stderr) as { error: object }).error).toMatchObject({
    message: 'No campaign "2547****0001".',
    where: '2547****0001',
  });
});
