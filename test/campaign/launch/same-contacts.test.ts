import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, tuma } from '../../cli/command-line.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';

const NAMED = String.raw`the same contacts were launched .+ as spring \(\w{8}\)`;
let launching: LaunchingHome;
let home: string;

beforeAll(async () => {
  launching = await openLaunchingHome();
  home = launching.home;
  const job = (name: string, kind: string) =>
    `name: ${name}\nkind: ${kind}\nsender: DUKA\ncontacts: ./c.csv\nwindow: always\nmessage: Hi\n`;
  for (const [name, kind] of Object.entries({
    spring: 'promotional',
    again: 'promotional',
    bill: 'transactional',
  }))
    writeFileSync(join(home, `${name}.yaml`), job(name, kind));
  writeFileSync(join(home, 'c.csv'), 'phone,due\n254700000001,2099-01-05\n254700000002,2099-01-05\n');
  copyFileSync(join(home, 'c.csv'), join(home, 'copy.csv'));
  writeFileSync(join(home, 'others.csv'), 'phone\n254700000003\n');
});
afterAll(async () => launching.close());

async function run(command: string, job: string, ...flags: string[]): Promise<Ran> {
  return tuma([command, join(home, `${job}.yaml`), ...flags], { env: launching.env });
}

async function warningsOf(job: string, ...flags: string[]): Promise<string[]> {
  const rejects = join(home, 'rejects.csv');
  const { stdout } = await run('plan', job, '--json', '--rejects', rejects, ...flags);
  return (JSON.parse(stdout) as { warnings: { text: string }[] }).warnings.map(({ text }) => text);
}

it('who plans or launches the very same contacts under another name is told which campaign had them [B4]', async () => {
  expect((await run('launch', 'spring', '--yes', '--rejects', join(home, 'r.csv'))).code).toBe(0);
  expect(await warningsOf('spring')).toEqual([
    expect.stringMatching('^these files are \\w{8}, which is open: '),
  ]);
  expect(await warningsOf('again', '--contacts', join(home, 'others.csv'))).toEqual([]);
  const guarded = await warningsOf('again', '--contacts', join(home, 'copy.csv'));
  expect(guarded).toEqual([expect.stringMatching(`^${NAMED}$`)]);
  const { code, stderr } = await run('launch', 'bill', '--yes', '--rejects', join(home, 'r.csv'));
  expect(code).toBe(0);
  expect(stderr).toMatch(new RegExp(`! ${NAMED}`));
});
