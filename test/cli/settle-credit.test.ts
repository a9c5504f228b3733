import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output.ts';
import { settleCredit, stillRefused } from '../../src/cli/settle-credit.ts';
import { untilSettled } from '../../src/cli/until-settled.ts';
import { resolveConfig } from '../../src/config.ts';
import { TumaError } from '../../src/domain/errors.ts';
import { openServices } from '../../src/runtime.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import { LedgerStory } from '../support/ledger-story.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { tuma } from './command-line.ts';

/* A campaign waits, the last reading was 100.00, and the account holds 90.00. */

const KEY = { apiKey: 'settle-key', apiSecret: 'settle-secret' };
const ACCOUNT = 'acc';
const JOB =
  'name: again\nkind: transactional\nsender: DUKA\nmessage: Hi\ncontacts: ./contacts.csv\nwindow: always\n';
let sandbox: Sandbox;
const services: Sandbox[] = [];

/** Other roles run, and a look costs nothing. */
const EAGER = { alone: false, lookMs: 2 };

beforeAll(async () => {
  const truthFile = join(makeTempDir(), 'truth.ndjson');
  sandbox = await startSandbox({ ...KEY, clientId: ACCOUNT, truthFile, startBalance: '90.00' });
});
afterAll(async () => {
  for (const service of [sandbox, ...services]) await service.stop();
});

interface Told {
  story: LedgerStory;
  env: Record<string, string>;
}

async function told(): Promise<Told> {
  const story = await LedgerStory.begin();
  story.now = Date.now() - 60_000;
  await story.ledger.retireWorker(story.worker, story.now);
  await story.launch({ account: ACCOUNT });
  await story.readBalance(100_000_000, ACCOUNT);
  const env = {
    TUMA_HOME: story.directory,
    XDG_STATE_HOME: story.directory,
    TUMA_MESSAGING_URL: sandbox.url,
    TUMA_API_KEY: KEY.apiKey,
    TUMA_API_SECRET: KEY.apiSecret,
    TUMA_REDIS_URL: 'redis://127.0.0.1:1',
  };
  return { story, env };
}

function jobIn({ story }: Told): string {
  const job = join(story.directory, 'again.yaml');
  writeFileSync(job, JOB);
  writeFileSync(join(story.directory, 'contacts.csv'), 'phone\n254700000001\n');
  return job;
}

/** A service for one test. */
async function own(more: { port?: number } = {}): Promise<Sandbox> {
  const truthFile = join(makeTempDir(), 'truth.ndjson');
  const service = await startSandbox({
    ...KEY,
    clientId: ACCOUNT,
    truthFile,
    startBalance: '90.00',
    ...more,
  });
  services.push(service);
  return service;
}

function readings({ story }: Told): number {
  const database = new DatabaseSync(story.file, { readOnly: true });
  try {
    return Number(database.prepare('SELECT count(*) AS n FROM reading').get()?.['n']);
  } finally {
    database.close();
  }
}

function audited({ story }: Told): { verb: string; detail: string }[] {
  const database = new DatabaseSync(story.file, { readOnly: true });
  try {
    const rows = database.prepare("SELECT verb, detail FROM audit WHERE verb LIKE 'accept%'").all();
    return rows as { verb: string; detail: string }[];
  } finally {
    database.close();
  }
}

/** What a command at a terminal of 100 columns runs with, and what stands there. */
async function atTerminal({ env }: Told) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const screen: string[] = [];
  stderr.on('data', (chunk: Buffer) => screen.push(chunk.toString()));
  const tty = { isTTY: true, columns: 100 };
  const streams = {
    stdin: Object.assign(stdin, tty),
    stdout: Object.assign(stdout, tty),
    stderr: Object.assign(stderr, tty),
  };
  const services = await openServices(resolveConfig({ cwd: '/', env }), new MemoryLog());
  const output = createOutput(streams, { json: false, showNumbers: false });
  const context = { ...services, output, signal: new AbortController().signal };
  const type = async (answer: string) => {
    await waitFor(() => screen.join('').includes('[y/N]'), { what: 'the question' });
    stdin.write(answer);
  };
  return { context, type, screen: () => screen.join('') };
}

it('D9 without a terminal a worker and a launch refuse a credit that the ledger does not explain, and say how to go on', async () => {
  const place = await told();
  const worker = await tuma(['serve', '--role', 'worker'], { env: place.env });
  expect(worker).toMatchObject({ code: 1, stdout: '' });
  expect(worker.stderr).toMatch(
    /error: The credit is KES 10\.00 lower than this ledger explains: KES 100\.00 at /,
  );
  expect(worker.stderr).toContain(
    '  bf-1 (black-friday)\n  If others spent it: `tuma balance --accept`, once.',
  );
  const launch = await tuma(['launch', jobIn(place), '--yes', '--json'], { env: place.env });
  expect([launch.code, launch.stdout]).toEqual([1, '']);
  expect(launch.stderr).toContain('"code":"credit_unexplained"');
  expect(audited(place)).toEqual([]);
});

it('D9 whoever only looks at the balance accepts nothing', async () => {
  const place = await told();
  expect((await tuma(['balance', '--json'], { env: place.env })).code).toBe(0);
  expect(audited(place)).toEqual([]);
});

it('D9 `balance --accept` is remembered with the credit that was read, and up to it nobody asks again', async () => {
  const place = await told();
  const { context } = await atTerminal(place);
  expect((await tuma(['balance', '--accept', '--json'], { env: place.env })).code).toBe(0);
  expect(audited(place).map(({ detail }) => JSON.parse(detail))).toMatchObject([{ credit: 90_000_000 }]);
  expect(await settleCredit(context, { answerMs: null })).toBeNull();
  await context.dispose();
});

it('D9 `--accept-credit` begins whatever the credit is, and touches nothing when it is explained', async () => {
  const place = await told();
  const { context } = await atTerminal(place);
  expect(await settleCredit(context, { accepted: true })).toBeNull();
  expect(await settleCredit(context, { accepted: true })).toBeNull();
  expect(audited(place)).toHaveLength(1);
  await context.dispose();
});

it('D9 at a terminal yes goes on and is audited, no refuses', async () => {
  const place = await told();
  const no = await atTerminal(place);
  const refusing = settleCredit(no.context);
  await no.type('n\n');
  const refused = await refusing;
  expect(refused?.refusal).toMatchObject({ code: 'credit_unexplained', exitCode: 1 });
  expect(refused !== null && (await stillRefused(no.context, refused))).toBe(true);
  expect(no.screen()).toContain('Did others spend it? (If an older ledger was put back: no.) [y/N]');

  const yes = await atTerminal(place);
  const accepting = settleCredit(yes.context);
  await yes.type('y\n');
  expect(await accepting).toBeNull();
  expect(audited(place)).toHaveLength(1);
  expect(refused !== null && (await stillRefused(no.context, refused))).toBe(false);
  await no.context.dispose();
  await yes.context.dispose();
});

it('D9 a terminal at which nobody answers is none, and one that nothing waits for is not refused any longer', async () => {
  const place = await told();
  const { context, screen } = await atTerminal(place);
  const refused = await settleCredit(context, { answerMs: 50 });
  expect(screen()).toContain('[y/N]');
  expect(refused?.refusal.code).toBe('credit_unexplained');
  await place.story.ledger.cancel(1, { now: Date.now(), by: 'operator' });
  expect(refused !== null && (await stillRefused(context, refused))).toBe(false);
  await context.dispose();
});

it('D9 beside a worker that is alive nothing is refused', async () => {
  const place = await told();
  const { context } = await atTerminal(place);
  const beside = { bootId: 'b', pidNamespace: 'p', pid: 2, startTicks: '1', roles: 'worker' };
  await place.story.ledger.registerWorker(beside, Date.now());
  expect(await settleCredit(context, { answerMs: null })).toBeNull();
  await context.dispose();
});

it.concurrent('D9 a credit that cannot be read is not explained: a launch says so and keeps no reading, and status what may wait', async () => {
  const place = await told();
  const env = { ...place.env, TUMA_MESSAGING_URL: 'http://127.0.0.1:9' };
  const { context } = await atTerminal({ ...place, env });
  expect(await settleCredit(context, { answerMs: null })).toMatchObject({
    found: null,
    refusal: { code: 'provider_unreachable' },
  });
  expect(await settleCredit(context, { accepted: true })).toBeNull();
  const launch = await tuma(['launch', jobIn(place), '--yes', '--json'], { env });
  expect([launch.code, launch.stderr]).toEqual([1, expect.stringContaining('"code":"provider_unreachable"')]);
  expect(readings(place)).toBe(1);
  expect((await tuma(['status'], { env })).stderr).toBe(
    'No worker is alive. Start one: tuma serve (where it runs already, its worker waits, and its log says for what: the credit, or `tuma balance --accept`)\n',
  );
  await context.dispose();
});

it.concurrent('D9 a worker waits for a network that comes late, or for its end, and is refused by what it reads then', async () => {
  const place = await told();
  let asked = 0;
  const away = createServer((socket) => {
    asked += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(away, 'listening');
  const { port } = away.address() as AddressInfo;
  const env = { ...place.env, TUMA_MESSAGING_URL: `http://127.0.0.1:${port}` };
  const stopping = new AbortController();
  const worker = ['serve', '--role', 'worker', '--json'];
  const [serving, stopped] = [tuma(worker, { env }), tuma(worker, { env, signal: stopping.signal })];
  await waitFor(() => asked > 1, { what: 'the first questions' });
  stopping.abort('SIGTERM');
  expect((await stopped).code).toBe(0);
  away.close();
  await once(away, 'close');
  await own({ port });
  const { code, stderr } = await serving;
  expect([code, stderr]).toEqual([1, expect.stringContaining('"code":"credit_unexplained"')]);
  expect(readings(place)).toBe(1);
});

it.concurrent('D9 what was refused goes on by itself after a top-up, through failures that are told once', async () => {
  const place = await told();
  const service = await own();
  const env = { ...place.env, TUMA_MESSAGING_URL: service.url };
  const { context: real } = await atTerminal({ ...place, env });
  const log = new MemoryLog();
  let failing = 3;
  const reader = () => ((failing -= 1) >= 0 ? Promise.reject(new Error('no such disk')) : real.reader());
  const refused = await settleCredit(real, { answerMs: null });
  if (refused === null) throw new Error('it was not refused');
  const alone = untilSettled({ ...real, log }, refused, { alone: true, lookMs: 1, againMs: 1 });
  expect(await alone).toBe(refused);

  const ended = new AbortController();
  const waiting = { ...real, log, reader };
  const stopped = untilSettled({ ...waiting, signal: ended.signal }, refused, { ...EAGER, againMs: 30 });
  await waitFor(() => failing < -60, { what: 'it to be compared again' });
  ended.abort();
  expect((await stopped)?.refusal.code).toBe('credit_unexplained');
  expect(log.lines).toEqual([expect.stringContaining('no such disk')]);

  const going = untilSettled(waiting, refused, { ...EAGER, againMs: 30 });
  await service.topUp('10.00');
  expect(await going).toBeNull();
  expect([readings(place), audited(place)]).toEqual([1, []]);
  await real.dispose();
});

it.concurrent('D9 one that was unread and is refused then says so, and goes on when it is accepted though the clock was set back', async () => {
  const place = await told();
  // Taken by a clock that was ahead: it is the latest, and not the one that is compared with.
  place.story.now += 3_600_000;
  await place.story.readBalance(100_000_000, ACCOUNT);
  const { context } = await atTerminal(place);
  const refused = await settleCredit(context, { answerMs: null });
  expect(refused !== null && (await stillRefused(context, refused))).toBe(true);

  const log = new MemoryLog();
  const unread = { found: null, refusal: new TumaError('provider_unreachable', { message: 'away' }) };
  const going = untilSettled({ ...context, log }, unread, { ...EAGER, againMs: 60_000 });
  await waitFor(() => log.lines.length > 0, { what: 'the refusal' });
  expect((await tuma(['balance', '--accept', '--json'], { env: place.env })).code).toBe(0);
  expect(await going).toBeNull();
  expect(log.lines).toEqual([expect.stringContaining('the role worker waits: The credit is')]);
  await context.dispose();
});
