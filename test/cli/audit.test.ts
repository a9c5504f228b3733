import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';

let story: LedgerStory;
let env: Record<string, string>;
beforeEach(async () => {
  story = await LedgerStory.begin();
  env = { TUMA_HOME: story.directory };
});

it('audit shows who did what and when, of one campaign or of all, with masked numbers', async () => {
  await story.launch({ id: 'bf-1', name: 'promo' });
  await story.launch({ id: 'other', name: 'rent' });
  for (const order of [
    ['pause', 'promo'],
    ['resume', 'promo'],
    ['rate', 'promo', '20/s'],
    ['optouts', 'add', '0712345678'],
  ])
    expect(await tuma(order, { env }), order.join(' ')).toMatchObject({ code: 0 });
  const { stdout } = await tuma(['audit', 'promo'], { env });
  const [head, ...rows] = stdout.trimEnd().split('\n');
  expect(head).toBe('when\twho\twhat\tcampaign\tdetail');
  expect(rows.map((row) => row.split('\t').slice(2))).toEqual([
    ['launch', 'promo (bf-1)', expect.any(String) as string],
    ['pause', 'promo (bf-1)', 'reason operator'],
    ['resume', 'promo (bf-1)', 'reason operator'],
    ['rate', 'promo (bf-1)', expect.stringContaining('is 20') as string],
  ]);
  expect(rows[1]).toMatch(/^\d+ \w+ \d{4} \d\d:\d\d:\d\d\toperator/);
  const all = await tuma(['audit'], { env });
  expect(all.stdout).toContain('add opt-outs\t\tnumbers 1, mobile 2547****5678, source operator');
  expect(all.stdout).toContain('rent (other)');
  const { total, entries } = JSON.parse((await tuma(['audit', '--json'], { env })).stdout) as {
    total: number;
    entries: { verb: string; by: string; detail: object }[];
  };
  expect(entries).toHaveLength(total);
  expect(entries.at(-1)).toMatchObject({ verb: 'add opt-outs', detail: { mobile: '2547****5678' } });
});

it('audit says from which address somebody asked by a page', async () => {
  const n = await story.launch({ id: 'bf-1', name: 'promo' });
  await askedFrom.run({ from: '10.0.0.7' }, () =>
    story.ledger.pause(n, { now: story.now, by: 'mary', reason: 'operator' }),
  );
  const { stdout } = await tuma(['audit', 'promo'], { env });
  expect(stdout).toContain('\tmary at 10.0.0.7\tpause\t');
  const { entries } = JSON.parse((await tuma(['audit', '--json'], { env })).stdout) as {
    entries: { by: string; from: string | null }[];
  };
  expect(entries.map(({ from }) => from)).toEqual([null, '10.0.0.7']);
});

it('webhooks url prints the whole address, and says when it can be read on its way or only from here', async () => {
  const token = 'abcdefghijklmnopqrstuvwx';
  const url = (publicUrl: string) =>
    tuma(['webhooks', 'url'], { env: { ...env, TUMA_WEBHOOK_TOKEN: token, TUMA_PUBLIC_URL: publicUrl } });
  expect(await url('https://sms.example.org/tuma/')).toEqual({
    code: 0,
    stdout: `https://sms.example.org/tuma/webhooks/${token}\n`,
    stderr: '',
  });
  expect((await url('http://sms.example.org')).stderr).toContain('Without TLS others can read');
  const here = await tuma(['webhooks', 'url'], { env });
  expect(here.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8080\/webhooks\/[\w-]{32}\n$/);
  expect(here.stderr).toContain('TUMA_PUBLIC_URL');
});

it.each([
  [0o600, 'ok'],
  [0o644, 'warn'],
])('doctor looks at who may read .env: mode %o is %s', async (mode, state) => {
  const directory = makeTempDir();
  const file = join(directory, '.env');
  writeFileSync(file, 'TUMA_API_KEY=k\nTUMA_API_SECRET=s\n');
  chmodSync(file, mode);
  const { stdout } = await tuma(['doctor', '--json'], { env, cwd: directory });
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  expect(checks).toContainEqual(
    expect.objectContaining({ name: 'secrets', state, hint: state === 'ok' ? null : `chmod 600 ${file}` }),
  );
});

it.each([
  ['TUMA_DATABASE_PASSWORD_FILE', (file: string) => file],
  ['TUMA_DATABASE_URL', (file: string) => `postgres://u@127.0.0.1:1/sms?sslmode=verify-full&sslkey=${file}`],
  ['TUMA_REDIS_PASSWORD_FILE', (file: string) => file],
])('and at who may read the file of a secret that %s names', async (name, valueOf) => {
  const file = join(makeTempDir(), 'secret');
  writeFileSync(file, 'secret\n');
  const settings = {
    ...env,
    TUMA_DATABASE_URL: 'postgres://u@127.0.0.1:1/sms',
    TUMA_REDIS_URL: 'redis://127.0.0.1:1',
    [name]: valueOf(file),
  };
  const said = async (mode: number) => {
    chmodSync(file, mode);
    const { stdout } = await tuma(['doctor', '--json'], { env: settings });
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; state: string; hint: string | null }[];
    };
    return checks.flatMap(({ name: check, state, hint }) => (check === 'secrets' ? [state, hint] : []));
  };
  expect(await said(0o644)).toEqual(['warn', `chmod 600 ${file}`]);
  expect(await said(0o600)).toEqual(['ok', null]);
});
