import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemProcesses } from '../../src/system/processes.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { type Ran, tuma } from './command-line.ts';

let story: LedgerStory;
let n: number;
let env: Record<string, string>;

beforeEach(async () => {
  story = await LedgerStory.begin();
  story.now = Date.now() - 60_000;
  env = { TUMA_HOME: story.directory };
  n = await story.launch({ messages: 6, counts: { read: 7, invalid: 1 } });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'sent', costMicro: null },
    3: { to: 'rejected' },
    4: { to: 'rejected', reason: 'gave up after 5', retryHelps: true },
    5: { to: 'uncertain' },
    6: { to: 'queued' },
  });
});

function answer<Shape = Record<string, unknown>>({ code, stdout, stderr }: Ran): Shape {
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout) as Shape;
}

function failure({ code, stdout, stderr }: Ran): Record<string, unknown> {
  expect(stdout).toBe('');
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
    error: Record<string, unknown>;
  };
  return { exit: code, ...error };
}

describe('which campaign is meant', () => {
  it('is said by id, a unique prefix of one, or a name', async () => {
    for (const reference of ['bf-1', 'bf', 'black-friday']) {
      const { campaign } = answer<{ campaign: { id: string } }>(
        await tuma(['report', reference, '--json'], { env }),
      );
      expect(campaign.id).toBe('bf-1');
    }
  });

  it('is asked back with what there is to choose from', async () => {
    await story.launch({ id: 'bf-2', name: 'other' });
    expect(failure(await tuma(['report', 'bf-', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'ambiguous',
      message: '"bf-" fits 2 campaigns: bf-2 (other), bf-1 (black-friday).',
    });
    expect(failure(await tuma(['report', 'black-friady', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'not_found',
      hint: 'Did you mean black-friday?',
    });
    expect(failure(await tuma(['report', 'xyz', '--json'], { env }))).toMatchObject({
      hint: 'There are: bf-2 (other), bf-1 (black-friday).',
    });
  });
});

describe('status', () => {
  it('names each network whose messages wait: why, since when, and when it is tried again; resume lets it go on', async () => {
    const since = Date.now() - 130_000;
    const until = since + 300_000;
    const why = '64 of 64 were not delivered, most of them AbsentSubscriber; at the others 2 %';
    const database = new DatabaseSync(join(story.directory, 'ledger.db'));
    database
      .prepare(
        `INSERT INTO network_hold (campaign, network, state, why, since, until, wait_ms, counted_from)
         VALUES (?, '2', 'held', ?, ?, ?, 300000, ?)`,
      )
      .run(n, why, since, until, since);
    database.close();
    const held = answer<{ networks_held: unknown[] }>(await tuma(['status', 'bf', '--json'], { env }));
    const time = (at: number) => new Date(at).toISOString();
    expect(held.networks_held).toEqual([
      { network: '2', cause: 'delivery', state: 'held', why, since: time(since), again_at: time(until) },
    ]);
    const { stdout } = await tuma(['status', 'bf'], { env });
    expect(stdout).toMatch(
      /^network 2\theld: 64 of 64 .* at the others 2 %; since .* 2 m ago; tried again .* in 2 m$/m,
    );
    expect((await tuma(['status'], { env })).stdout).toContain('\nblack-friday: network 2 held: 64 of 64');

    expect(answer(await tuma(['resume', 'bf', '--json'], { env }))).toMatchObject({ changed: true });
    expect(answer(await tuma(['resume', 'bf', '--json'], { env }))).toMatchObject({ changed: false });
    expect(answer(await tuma(['status', 'bf', '--json'], { env }))).toMatchObject({ networks_held: [] });
  });

  it('lists campaigns, padded for a terminal and tab-separated for a program', async () => {
    const plain = await tuma(['status'], { env });
    expect(plain.stdout.split('\n')[0]).toBe(
      'id\tname\tstate\tsent\tof\trejected\tskipped\tuncertain\tspent\tstarted',
    );
    expect(plain.stdout.split('\n')[1]).toMatch(/^bf-1\tblack-friday\trunning\t2\t6\t2\t0\t1\t2\.40\t/);
    const terminal = await tuma(['status'], { env, columns: 120 });
    expect(terminal.stdout).toMatch(/^id {4}name {10}state {4}sent {2}of/);
  });

  it('tells one campaign, and that nobody is there to send', async () => {
    await story.ledger.retireWorker(story.worker, story.now);
    const ran = await tuma(['status', 'bf', '--json'], { env });
    expect(answer(ran)).toMatchObject({
      id: 'bf-1',
      state: 'running',
      messages: { sent: 2, queued: 1 },
      spent: '2.40',
      budget: null,
      workers: 0,
    });
    const { stdout, stderr } = await tuma(['status', 'bf'], { env });
    expect(stdout).toContain('messages\t2 of 6 sent, 1 queued');
    expect(stderr).toBe('No worker is alive. Start one: tuma serve\n');
  });

  it('is content with a home in which nothing was launched', async () => {
    const ran = await tuma(['status', '--json'], { env: { TUMA_HOME: makeTempDir() } });
    expect(answer(ran)).toEqual({ campaigns: [], workers: 0 });
  });

  it('watches until the campaign is settled, an event a look', async () => {
    const watching = tuma(['status', 'bf', '--watch', '--json'], { env });
    story.now = Date.now();
    await story.claim();
    await story.record(n, { 6: { to: 'sent' } });
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { state: string });
    expect(events.at(-1)).toMatchObject({ id: 'bf-1', state: 'finished', messages: { sent: 3 } });
  });
});

describe('workers', () => {
  it('that were killed are not counted, though their last sign of life is young; others whose fate is unknown are', async () => {
    const self = systemProcesses('worker').self();
    const workers = async () =>
      answer<{ workers: number }>(await tuma(['status', '--json'], { env })).workers;
    const before = await workers();
    await story.ledger.registerWorker({ ...self, startTicks: '1' }, Date.now());
    expect(await workers()).toBe(before);
    await story.ledger.registerWorker(self, Date.now());
    await story.ledger.registerWorker({ ...self, bootId: 'elsewhere', pid: 1 }, Date.now());
    expect(await workers()).toBe(before + 2);
  });
});

describe('plan', () => {
  it('says what a profile takes for "not accepted", and nothing without such a row', async () => {
    const folder = makeTempDir();
    const profile = join(folder, 'profile.json');
    writeFileSync(profile, '{"not_accepted":[503,504]}');
    writeFileSync(join(folder, 'c.csv'), 'phone\n0712345678\n');
    const job = join(folder, 'job.yaml');
    writeFileSync(job, 'name: odd\nkind: transactional\nsender: DUKA\ncontacts: ./c.csv\nmessage: Hi\n');
    const warnings = async (...flags: string[]) =>
      answerOf(await tuma(['plan', job, '--json', ...flags], { env }))
        .warnings.map(({ text }) => text)
        .join();
    expect(await warnings('--profile', profile)).toContain('HTTP 503, 504 for "not accepted"');
    expect(await warnings()).not.toContain('not accepted');
  });
});

function answerOf({ stdout }: Ran): { warnings: { text: string }[] } {
  return JSON.parse(stdout) as { warnings: { text: string }[] };
}

describe('report', () => {
  it('prints the page, the document and the CSV, or writes them to a file of one’s own', async () => {
    expect((await tuma(['report', 'bf'], { env })).stdout).toMatch(/^black-friday {2}running\n/);
    expect(answer(await tuma(['report', 'bf', '--json'], { env }))).toMatchObject({
      rows: { read: 7, planned: 6, invalid: 1 },
    });
    expect(JSON.parse((await tuma(['report', 'bf', '--format', 'json'], { env })).stdout)).toMatchObject({
      rows: { read: 7 },
    });
    expect((await tuma(['report', 'bf', '--format', 'csv'], { env })).stdout).toMatch(
      /^campaign,id,first_sent,.*,currency\nblack-friday,bf-1,/,
    );
    const file = join(makeTempDir(), 'report.csv');
    expect((await tuma(['report', 'bf', '--out', file], { env })).stdout).toBe(`The report is in ${file}.\n`);
    expect(readFileSync(file, 'utf8')).toMatch(
      /^campaign,id,.*\nblack-friday,bf-1,.*,6,2,0,0,0,2,1,.*,KES\n$/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('export', () => {
  it('writes full numbers to a file that only this user can read', async () => {
    const file = join(makeTempDir(), 'all.csv');
    expect(answer(await tuma(['export', 'bf', '--out', file, '--json'], { env }))).toMatchObject({
      file,
      rows: 6,
    });
    expect(readFileSync(file, 'utf8')).toContain(',"=""254700000001""",');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives back contacts to upload again', async () => {
    const file = join(makeTempDir(), 'again.csv');
    await tuma(['export', 'bf', '--out', file, '--as', 'contacts', '--state', 'rejected'], { env });
    expect(readFileSync(file, 'utf8')).toBe('Phone,First name\n254700000003,Name 3\n254700000004,Name 4\n');
  });

  it('leaves what was there when it cannot finish, and nothing half-written', async () => {
    const directory = makeTempDir();
    const file = join(directory, 'all.csv');
    writeFileSync(file, 'old');
    const stopping = new AbortController();
    stopping.abort('SIGINT');
    const ran = await tuma(['export', 'bf', '--out', file, '--json'], { env, signal: stopping.signal });
    expect(failure(ran)).toMatchObject({ exit: 130, code: 'interrupted' });
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(
      failure(await tuma(['export', 'bf', '--out', join(directory, 'no', 'x.csv'), '--json'], { env })),
    ).toMatchObject({ exit: 1, code: 'file_unwritable' });
  });

  it('needs to know which contacts are wanted', async () => {
    const ran = await tuma(['export', 'bf', '--out', 'x', '--as', 'contacts', '--json'], { env });
    expect(failure(ran)).toMatchObject({ exit: 2, code: 'usage' });
    expect(existsSync('x')).toBe(false);
  });
});

describe('the verbs', () => {
  it('answer what they changed, and are content when it was so already', async () => {
    const campaign = { id: 'bf-1', name: 'black-friday' };
    const campaignPart = { ...campaign, state: 'paused', reason: 'operator' };
    const paused = { campaign: campaignPart, changed: true, sending: 0 };
    expect(answer(await tuma(['pause', 'bf', '--json'], { env }))).toEqual(paused);
    expect(answer(await tuma(['pause', 'bf', '--json'], { env }))).toEqual({ ...paused, changed: false });
    expect(answer(await tuma(['resume', 'bf', '--sender', 'NEW', '--json'], { env }))).toMatchObject({
      changed: true,
    });
    expect(answer(await tuma(['rate', 'bf', '80/s', '--json'], { env }))).toMatchObject({
      changed: true,
      rate_per_second: 80,
    });
    expect(answer(await tuma(['retry', 'bf', '--json'], { env }))).toMatchObject({ retried: 1 });
    expect(answer(await tuma(['cancel', 'bf', '--yes', '--json'], { env }))).toMatchObject({
      changed: true,
      canceled: 2,
    });
    expect(failure(await tuma(['resume', 'bf', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'state_forbids',
    });
  });

  it('raise a budget as a person writes it, and refuse what is no amount in the campaign’s currency', async () => {
    await story.launch({ id: 'rent-1', name: 'rent', budgetMicro: 2_000_000 });
    const raised = await tuma(['resume', 'rent', '--budget', 'KES 5,000', '--json'], { env });
    expect(answer(raised)).toMatchObject({
      campaign: { id: 'rent-1', state: 'running' },
      changed: true,
      budget: '5000.00',
    });
    expect((await tuma(['resume', 'rent', '--budget', '5000'], { env })).stdout).toBe(
      'rent is running already; it may cost KES 5,000.00 in all.\n',
    );
    const status = answer<{ budget: string }>(await tuma(['status', 'rent', '--json'], { env }));
    expect(status).toMatchObject({ budget: '5000.00' });
    expect(failure(await tuma(['resume', 'rent', '--budget', 'UGX 9000', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'usage',
      where: '--budget',
    });
    expect(failure(await tuma(['resume', 'rent', '--budget', '4999', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'state_forbids',
      message: 'The budget of rent (rent-1) is 5000.00, and it is never lowered.',
    });
  });

  it('resolve only what is uncertain, after its time, and say what is known of it', async () => {
    expect(failure(await tuma(['resolve', 'bf', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'usage',
    });
    expect(failure(await tuma(['resolve', 'bf', '--sent', '--not-sent', '--json'], { env }))).toMatchObject({
      code: 'usage',
    });
    const { uncertain } = answer<{ uncertain: object[] }>(
      await tuma(['resolve', 'bf', '--evidence', '--json'], { env }),
    );
    expect(uncertain).toMatchObject([
      { line: 6, mobile: '2547****0005', reason: 'no answer', old_enough: false },
    ]);
    const shown = await tuma(['resolve', 'bf', '--evidence', '--show-numbers'], { env });
    expect(shown.stdout).toContain('254700000005');
    expect(failure(await tuma(['resolve', 'bf', '--not-sent', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'too_early',
    });
    const early = await tuma(['resolve', 'bf', '--not-sent', '--resolve-after', '100s', '--json'], { env });
    expect(failure(early)).toMatchObject({ code: 'too_early' });
    expect(
      answer(await tuma(['resolve', 'bf', '--sent', '--mobile', '0700000005', '--json'], { env })),
    ).toMatchObject({ resolved: 1 });
  });

  it('refuse a rate that would send nothing', async () => {
    expect(failure(await tuma(['rate', 'bf', '0/s', '--json'], { env }))).toMatchObject({
      exit: 2,
      code: 'usage',
    });
  });
});

describe('verify and backup', () => {
  it('finds a sound ledger sound, and a backup of it too', async () => {
    expect(answer(await tuma(['verify', '--json'], { env }))).toEqual({ violations: [], campaigns: 1 });
    const home = makeTempDir();
    const file = join(home, 'ledger.db');
    expect(answer(await tuma(['backup', file, '--json'], { env }))).toMatchObject({ file });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(answer(await tuma(['verify', 'bf', '--json'], { env: { TUMA_HOME: home } }))).toEqual({
      violations: [],
      campaigns: 1,
    });
    expect(failure(await tuma(['backup', file, '--json'], { env }))).toMatchObject({
      exit: 1,
      code: 'file_unwritable',
    });
    for (const none of ['-', ''])
      expect(failure(await tuma(['backup', none, '--json'], { env }))).toMatchObject({
        exit: 2,
        code: 'usage',
      });
  });

  it('names the rows that break an invariant, with exit code 1', async () => {
    const database = new DatabaseSync(story.file);
    database.exec('UPDATE account SET spent = spent + 1');
    database.close();
    const { exit, code, message } = failure(await tuma(['verify', '--json'], { env }));
    expect({ exit, code }).toEqual({ exit: 1, code: 'invariant_broken' });
    expect(message).toContain('account_spent: account acc keeps 0.800001');
  });
});

/** A server that answers everything alike, and remembers what it was asked. */
async function answering(
  status: number,
  body: object | string,
): Promise<{ port: number; asked: { url: string; body: string }[] }> {
  const asked: { url: string; body: string }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      asked.push({ url: request.url ?? '', body: text });
      const answered = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(answered);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

describe('balance', () => {
  it('tells a credit below zero as it is, and a launch is refused as one without enough credit', async () => {
    const { port } = await answering(200, { 'response-code': 200, credit: '-12.40', clientId: 'C-8' });
    const folder = makeTempDir();
    const account = {
      TUMA_HOME: folder,
      XDG_STATE_HOME: folder,
      TUMA_MESSAGING_URL: `http://127.0.0.1:${port}`,
      TUMA_API_KEY: 'k',
      TUMA_API_SECRET: 's',
      TUMA_PRICE: '0.80',
    };
    expect((await tuma(['balance'], { env: account })).stdout).toBe('KES -12.40  (account C-8)\n');
    writeFileSync(join(folder, 'c.csv'), 'phone\n0712345678\n');
    writeFileSync(
      join(folder, 'job.yaml'),
      'name: owed\nkind: transactional\nsender: DUKA\nmessage: Hello\ncontacts: c.csv\nwindow: always\n',
    );
    const launched = await tuma(['launch', join(folder, 'job.yaml'), '--yes', '--json'], { env: account });
    expect(failure(launched)).toMatchObject({
      exit: 5,
      code: 'insufficient_credit',
      message: expect.stringContaining(
        'The balance is KES -12.40 and the campaign may cost KES 0.80: KES 13.20 short',
      ),
    });
  });

  it('tells the credit, or whose fault it is that it is not known', async () => {
    const { port } = await answering(200, { 'response-code': 200, credit: '1545.00', clientId: 'C-7' });
    const account = {
      ...env,
      TUMA_MESSAGING_URL: `http://127.0.0.1:${port}`,
      TUMA_API_KEY: 'k',
      TUMA_API_SECRET: 'CANARY_secret',
    };
    expect(answer(await tuma(['balance', '--json'], { env: account }))).toEqual({
      credit: '1545.00',
      currency: 'KES',
      account: 'C-7',
    });
    expect((await tuma(['balance'], { env: account })).stdout).toBe('KES 1,545.00  (account C-7)\n');
    expect(failure(await tuma(['balance', '--json'], { env }))).toMatchObject({
      exit: 4,
      code: 'credentials',
    });
    const refusing = await answering(401, { status: 'error', message: 'Invalid API key or secret' });
    const refused = await tuma(['balance', '--json'], {
      env: { ...account, TUMA_MESSAGING_URL: `http://127.0.0.1:${refusing.port}` },
    });
    expect(failure(refused)).toMatchObject({ exit: 4, code: 'credentials' });
    expect(refused.stderr).not.toContain('CANARY');
    const nobody = await tuma(['balance', '--json'], {
      env: { ...account, TUMA_MESSAGING_URL: 'http://127.0.0.1:9' },
    });
    expect(failure(nobody)).toMatchObject({
      exit: 1,
      code: 'provider_unreachable',
      where: 'TUMA_MESSAGING_URL',
    });
  });
});

describe('trigger', () => {
  const token = 'a_token_of_thirty_two_characters';

  it('posts what the provider would post, to the address with the token', async () => {
    const { port, asked } = await answering(200, 'OK');
    const collector = { ...env, TUMA_PORT: String(port), TUMA_WEBHOOK_TOKEN: token };
    const ran = await tuma(['trigger', 'report', 'm-1', 'AbsentSubscriber', '--json'], { env: collector });
    expect(answer(ran)).toEqual({ messageid: 'm-1', description: 'AbsentSubscriber', status: 200 });
    expect(asked).toEqual([
      { url: `/webhooks/${token}`, body: '{"messageid":"m-1","description":"AbsentSubscriber"}' },
    ]);
  });

  it('says so when no collector answers, and never tells the token', async () => {
    const ran = await tuma(['trigger', 'report', '--json'], {
      env: { ...env, TUMA_PORT: '9', TUMA_WEBHOOK_TOKEN: token },
    });
    expect(failure(ran)).toMatchObject({ exit: 1, code: 'collector_failed', hint: 'Start one: tuma serve' });
    const { port } = await answering(404, {});
    const other = await tuma(['trigger', 'report', '--json'], {
      env: { ...env, TUMA_PORT: String(port), TUMA_WEBHOOK_TOKEN: token },
    });
    expect(failure(other)).toMatchObject({
      message: `What listens at http://127.0.0.1:${port} answered 404.`,
    });
    expect(ran.stderr + other.stderr).not.toContain(token);
  });
});

describe('doctor', () => {
  it('looks at everything, fails by exit code, and shows no secret', async () => {
    const { port } = await answering(200, {
      'response-code': 200,
      credit: '12345.50',
      clientId: 'C-7',
      // The collector's too.
      status: 'ok',
    });
    const url = `http://127.0.0.1:${port}`;
    const all = {
      ...env,
      TUMA_MESSAGING_URL: url,
      TUMA_PUBLIC_URL: url,
      TUMA_API_KEY: 'CANARY_key',
      TUMA_API_SECRET: 'CANARY_secret',
    };
    const ran = await tuma(['doctor', '--json'], { env: all });
    const { checks, settings } = JSON.parse(ran.stdout) as {
      checks: { name: string; state: string }[];
      settings: object[];
    };
    const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({
      node: 'ok',
      sqlite: 'ok',
      ledger: 'ok',
      credentials: 'ok',
      webhook: 'ok',
      clock: 'ok',
      worker: 'ok',
    });
    expect(ran.stdout).toContain('"account C-7, credit KES 12,345.50"');
    expect(settings).toContainEqual({ name: 'TUMA_API_SECRET', value: '[secret]', from: 'environment' });
    expect(ran.stdout + ran.stderr).not.toContain('CANARY');
    expect(states['guard']).toBe('warn');
    const broken = await tuma(['doctor'], { env });
    expect(broken.stdout).toMatch(
      /! guard +off, an older ledger would not be noticed: there is neither HOME/,
    );
    const state = makeTempDir();
    const noting = await tuma(['doctor'], { env: { ...env, XDG_STATE_HOME: state } });
    expect(noting.stdout).toContain(`an older ledger is noticed; claims are noted in ${join(state, 'tuma')}`);
    const [note = ''] = readdirSync(join(state, 'tuma'));
    rmSync(join(state, 'tuma', note));
    symlinkSync('/dev/full', join(state, 'tuma', note));
    const reading = await tuma(['doctor'], { env: { ...env, XDG_STATE_HOME: state } });
    expect(reading.stdout).toMatch(/✗ guard +What is sent cannot be noted outside of TUMA_HOME\./);
    writeFileSync(join(state, 'file'), '');
    const off = await tuma(['doctor'], { env: { ...env, XDG_STATE_HOME: join(state, 'file') } });
    expect(off.stdout).toMatch(/! guard +off, .* is no folder/);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(
      /✗ credentials +Not set: TUMA_MESSAGING_URL, TUMA_API_KEY, TUMA_API_SECRET\./,
    );
  });
});
