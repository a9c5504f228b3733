import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LaunchEnv } from '../../../src/campaign/launch/launch-settings.ts';
import { alikeWarnings } from '../../../src/campaign/launch/similar-launch.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import type { CampaignOverview } from '../../../src/ledger/reader.ts';
import { type Ran, tuma } from '../../cli/command-line.ts';
import { type LaunchingHome, openLaunchingHome } from '../../cli/launching-home.ts';

const NAMED = String.raw`the same contacts were launched .+ as spring \(\w{8}, 0 of 2 were sent\): `;
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
  return (JSON.parse(stdout) as { warnings: string[] }).warnings;
}

it('who plans or launches the very same contacts under another name is told which campaign had them, and what guards them [B4]', async () => {
  expect((await run('launch', 'spring', '--yes', '--rejects', join(home, 'r.csv'))).code).toBe(0);
  expect(await warningsOf('spring')).toEqual([
    expect.stringMatching('^these files are \\w{8}, which is open: '),
  ]);
  expect(await warningsOf('again', '--contacts', join(home, 'others.csv'))).toEqual([]);
  const guarded = await warningsOf('again', '--contacts', join(home, 'copy.csv'));
  expect(guarded).toEqual([
    expect.stringMatching(`^${NAMED}anyone who got this same text in the last 1d is skipped$`),
  ]);
  const { code, stderr } = await run('launch', 'bill', '--yes', '--rejects', join(home, 'r.csv'));
  expect(code).toBe(0);
  expect(stderr).toMatch(new RegExp(`! ${NAMED}nothing keeps the same text from them`));
});

it('who mends the text or the contacts of a campaign that was canceled half-way is told how many had it, and how to reach only the others', async () => {
  const hashes = { job: 'j', template: 't', contacts: 'c' };
  const states = { queued: 0, sending: 0, sent: 256, rejected: 0, uncertain: 1, skipped: 0 };
  const canceled = { n: 1, id: 'k7', name: 'carols', hashes, activatedAt: Date.parse('2026-12-01T06:00Z') };
  Object.assign(canceled, { settings: { header: ['phone', 'name'] } });
  const overview = {
    campaign: canceled,
    state: 'canceled',
    messages: { ...states, canceled: 515, written_off: 0 },
  } as unknown as CampaignOverview;
  const context = {
    clock: { now: () => Date.parse('2026-12-01T07:00Z') },
    settings: { zone: 'Africa/Nairobi' },
    reader: () =>
      Promise.resolve({
        overview: () => Promise.resolve(overview),
      }),
  } as unknown as LaunchEnv;
  const ledgerWhere = (latest: number) => ({
    latestAlike: () => Promise.resolve(canceled as Campaign),
    latestNamed: () => Promise.resolve({ campaign: { ...canceled, n: latest } as Campaign, settled: true }),
  });
  const draft = { name: 'carols', settings: { guard: { sameTextMs: 86_400_000, most: null } } } as Campaign;
  const capped = {
    ...draft,
    settings: { guard: { sameTextMs: null, most: 3, perMs: 86_400_000 } },
  } as Campaign;
  const warnings = (template: string, { of = draft, contacts = 'mended', latest = 1 } = {}) =>
    alikeWarnings(context, ledgerWhere(latest), { draft: of, hashes: { job: 'j', template, contacts } });
  const launched = (how: string) => `${how} (k7, 256 of 772 were sent, and 1 may have been): `;
  const head = launched('carols was launched Tue 1 Dec 2026, 09:00 with other contacts, and canceled');
  const command =
    'tuma export k7 --as contacts --state canceled --out rest-k7.csv, and launch with --contacts rest-k7.csv';
  const rest = `; to reach only those that it did not, unless these are they: ${command}`;
  expect(await warnings('t')).toEqual([
    `${head}anyone who got this same text in the last 1d is skipped${rest}`,
  ]);
  const another = 'that text was different, so those people get this one as well';
  expect(await warnings('mended')).toEqual([`${head}${another}${rest}`]);
  expect(await warnings('mended', { of: capped, contacts: 'c' })).toEqual([
    `${launched('the same contacts were launched Tue 1 Dec 2026, 09:00 as carols')}${another}, unless that is more than \`most\` allows; to reach only those that it did not: ${command}`,
  ]);
  // The rest may have been launched since.
  expect(await warnings('mended', { latest: 2 })).toEqual([`${head}${another}`]);
  const reminding = { ...draft, settings: { remind: {} } } as Campaign;
  expect(await warnings('mended', { of: reminding })).toEqual([]);
});
