import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { nameOf } from '../../src/cli/command.ts';
import { ROOT } from '../support/processes.ts';
import { errorOf, openPlace } from './harness.ts';

/* What a new user does first: files that run at once, one message to their own phone, help with examples, completion. */

const place = openPlace({ env: { TUMA_RATE: 'unlimited', TUMA_SENDER: '' } });
const PHONE = '0712345678';

test('init writes files that run at once: a test to the own phone, a plan, and a launch', async () => {
  const made = await place().json(['init', 'first', '--phone', PHONE], { env: { TUMA_HOME: '' } });
  expect(made['files']).toEqual(['tuma.yaml', '.env', 'first.yaml', 'first.txt', 'contacts.csv']);
  const cwd = place().path('first');
  expect(statSync(join(cwd, '.env')).mode & 0o777).toBe(0o600);
  const options = { cwd, env: { TUMA_HOME: '' } };

  const tried = await place().json(['test', 'first.yaml', '--to', PHONE, '--wait-reports', '20s'], options);
  expect(tried.messages).toMatchObject({ sent: 1 });
  expect(tried.campaign.name).toMatch(/^first test /);
  expect(Number(tried.cost['charged'])).toBeGreaterThan(0);
  const plan = await place().json(['plan', 'first.yaml'], options);
  expect(plan.rows).toMatchObject({ read: 3, planned: 3, invalid: 0 });
  // init has begun the ledger, so nobody is asked.
  const launched = await place().json(['launch', 'first.yaml', '--yes', '--wait'], {
    ...options,
    asks: true,
  });
  expect(launched.messages).toMatchObject({ sent: 3 });
  // The test is a campaign of its own, with a cost of its own.
  const { campaigns } = (await place().json(['status'], options)) as unknown as { campaigns: unknown[] };
  expect(campaigns).toHaveLength(2);
});

test('a test to the own phone begins no ledger: the first launch after it still asks', async () => {
  place().write('own.csv', `phone,name\n${PHONE},Al\n`);
  place().write('own.yaml', 'name: own\nkind: transactional\nsender: DUKA\nmessage: Hi\ncontacts: own.csv\n');
  const options = { env: { TUMA_HOME: place().path('home-own') }, asks: true };
  await place().json(['test', 'own.yaml', '--to', PHONE, '--wait-reports', '0s'], options);
  const refused = await place().tuma(['launch', 'own.yaml', '--yes', '--json'], options);
  expect([refused.code, errorOf(refused).code]).toEqual([2, 'new_ledger']);
});

test('init writes over nothing, and for a live account needs the own phone', async () => {
  const again = await place().tuma(['init', 'first', '--phone', PHONE, '--json']);
  expect([again.code, errorOf(again).message]).toEqual([2, expect.stringContaining('tuma.yaml, .env')]);
  const live = await place().tuma(['init', 'live', '--live', '--json']);
  expect([live.code, errorOf(live).where]).toEqual([2, '--phone']);
  expect(existsSync(place().path('live'))).toBe(false);
  await place().json(['init', 'live', '--live', '--sender', 'DUKA', '--phone', PHONE]);
  expect(readFileSync(place().path('live/contacts.csv'), 'utf8')).toBe(
    `name,phone,balance\nAmina,${PHONE},1200\n`,
  );
});

test('test takes the longest text, or the row of a line, and refuses what is none', async () => {
  writeFileSync(place().path('long.csv'), 'phone,name\n0712000001,Al\n0712000002,Bartholomew\n07,Zed\n');
  place().write(
    'hi.yaml',
    'name: hi\nkind: promotional\nsender: DUKA\nmessage: Hi <<name>>\ncontacts: long.csv\n',
  );
  const noteOf = async (...flags: string[]) =>
    (await place().tuma(['test', 'hi.yaml', '--to', PHONE, '--wait-reports', '0s', ...flags])).stderr;
  expect(await noteOf()).toContain('The text of line 3 (1 segment): Hi Bartholomew');
  expect(await noteOf('--line', '2')).toContain('The text of line 2 (1 segment): Hi Al');
  for (const [flags, where] of [
    [['--to', PHONE, '--line', '9'], 'long.csv:9'],
    [['--to', '12'], '--to'],
    [['--to', `${PHONE},${PHONE},${PHONE},${PHONE}`], '--to'],
    [['--to', PHONE, '--line', 'x'], '--line'],
    [['--to', PHONE, '--line', '2', '--longest'], '--longest'],
  ] as const) {
    const ended = await place().tuma(['test', 'hi.yaml', ...flags, '--json']);
    expect(ended.code).not.toBe(0);
    expect(errorOf(ended).where).toContain(where);
  }
});

test('the help of each command ends with examples that begin with it', async () => {
  for (const entry of COMMANDS) {
    const { stdout } = await place().tuma([nameOf(entry), '--help']);
    const [, examples = ''] = stdout.split('\nExamples:\n');
    const lines = examples.trimEnd().split('\n');
    expect(lines.length, nameOf(entry)).toBeGreaterThan(0);
    for (const line of lines) expect(line, nameOf(entry)).toContain(`tuma ${nameOf(entry)}`);
  }
});

test('help prints a page, and says when there is none', async () => {
  expect((await place().tuma(['help', 'money'])).stdout).toMatch(/^# Money\n/);
  expect((await place().tuma(['help', 'exit-codes'])).stdout).toContain('not enough credit');
  expect((await place().tuma(['help', '../README'])).code).toBe(2);
});

test('completion knows commands, actions, flags and campaigns', async () => {
  const words = async (...typed: string[]) =>
    (await place().tuma(['completion', 'words', '--', ...typed])).stdout.trim().split('\n');
  expect(await words('la')).toContain('launch');
  expect(await words('optouts', '')).toEqual(['list', 'add', 'remove', 'import', 'export']);
  expect(await words('launch', '--m')).toContain('--max-cost');
  expect((await words('report', '')).some((name) => name.startsWith('hi test'))).toBe(true);
  expect(await words('backup', '')).toEqual(['']);
  expect((await place().tuma(['completion', 'csh'])).code).toBe(2);
});

test('bash completes by the script that completion prints', () => {
  const complete = [
    'eval "$(tuma completion bash)"',
    'COMP_WORDS=(tuma sta); COMP_CWORD=1; _tuma; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const env = { ...place().env, PATH: `${join(ROOT, 'bin')}:${process.env['PATH']}` };
  const shown = execFileSync('bash', ['-c', complete], { cwd: place().directory, env, encoding: 'utf8' });
  expect(shown.trim().split('\n')).toEqual(['status', 'statement']);
});

test('init begins no new ledger in a home from which another one sent', async () => {
  const options = { cwd: place().path('first'), env: { TUMA_HOME: '' } };
  for (const name of ['tuma.yaml', '.env', 'first.yaml', 'first.txt', 'contacts.csv'])
    rmSync(join(options.cwd, name));
  for (const name of readdirSync(join(options.cwd, '.tuma')).filter((each) => each.startsWith('ledger.db')))
    rmSync(join(options.cwd, '.tuma', name));
  const again = await place().tuma(['init', '.', '--phone', PHONE, '--json'], options);
  expect([again.code, errorOf(again).code]).toEqual([1, 'ledger_behind']);
  expect(existsSync(join(options.cwd, 'first.yaml'))).toBe(false);
});
