import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tuma } from './command-line.ts';
import { type LaunchingHome, openLaunchingHome } from './launching-home.ts';

let launching: LaunchingHome;
const before = process.cwd();
beforeAll(async () => {
  launching = await openLaunchingHome();
  process.chdir(launching.home);
});
afterAll(async () => {
  process.chdir(before);
  await launching.close();
});

const run = (...args: string[]) => tuma(args, { env: { ...launching.env, TUMA_ZONE: 'Africa/Nairobi' } });
const write = (name: string, text: string) => writeFileSync(join(launching.home, name), text);

it('says of an edited job that reads its files anew what the edit changes, and refuses what the launch fixed', async () => {
  const job = (changes: { text?: string; cron?: string; more?: string } = {}) =>
    write(
      'rent.yaml',
      `name: rent\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nmessage: ${changes.text ?? 'Hi'}\nevery: { cron: "${changes.cron ?? '0 9 1 1 *'}", contacts: reread }\n${changes.more ?? ''}`,
    );
  job();
  write('c.csv', 'phone\n254700000001\n');
  const launched = await run('launch', 'rent.yaml', '--yes', '--json');
  const { campaign } = JSON.parse(launched.stdout) as { campaign: { id: string } };
  const follows = (what: string) =>
    new RegExp(
      `${campaign.id} reads these files anew: its next firing, \\w+ 1 Jan \\d{4}, 09:00, follows ${what} as edited; no launch is needed\\.`,
    );

  write('c.csv', 'phone\n254700000001\n254700000002\n');
  for (const command of [['plan'], ['launch', '--yes']]) {
    const { code, stdout, stderr } = await run(...command, 'rent.yaml');
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(follows('the contacts'))]);
  }
  job({ text: 'Hello', more: 'start_deadline: 1h\n' });
  const planned = await run('plan', 'rent.yaml');
  expect(planned.stdout).toMatch(follows('the job file and the template and the contacts'));
  expect(planned.stdout).toContain('`start_deadline` stays that of the launch.');

  job({ cron: '0 10 1 1 *' });
  const refused = '`every` of rent.yaml is not that of the launch';
  expect(await run('plan', 'rent.yaml')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining(
      `! a launch is refused: ${refused}. Cancel the recurring job (tuma cancel ${campaign.id})`,
    ),
  });
  expect(await run('launch', 'rent.yaml', '--yes')).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(`${refused}.`),
  });

  // Another file of the same name is not the one that it reads.
  job();
  write(
    'other.yaml',
    `name: rent\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nmessage: Ho\nevery: { cron: "0 9 1 1 *", contacts: reread }\n`,
  );
  expect((await run('launch', 'other.yaml', '--yes')).stderr).toContain('changed since it was launched');
});
