import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output.ts';
import { settleCredit, stillRefused } from '../../src/cli/settle-credit.ts';
import { resolveConfig } from '../../src/config.ts';
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

beforeAll(async () => {
  const truthFile = join(makeTempDir(), 'truth.ndjson');
  sandbox = await startSandbox({ ...KEY, clientId: ACCOUNT, truthFile, startBalance: '90.00' });
});
afterAll(async () => sandbox.stop());

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
  const job = join(place.story.directory, 'again.yaml');
  writeFileSync(job, JOB);
  writeFileSync(join(place.story.directory, 'contacts.csv'), 'phone\n254700000001\n');
  const launch = await tuma(['launch', job, '--yes', '--json'], { env: place.env });
  expect([launch.code, launch.stdout]).toEqual([1, '']);
  expect(launch.stderr).toContain('"code":"credit_unexplained"');
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

it('D9 beside a worker that is alive, and where the service does not answer, nothing is refused', async () => {
  const place = await told();
  const unreachable = { ...place, env: { ...place.env, TUMA_MESSAGING_URL: 'http://127.0.0.1:9' } };
  const away = await atTerminal(unreachable);
  expect(await settleCredit(away.context, { answerMs: null })).toBeNull();
  await away.context.dispose();
  const { context } = await atTerminal(place);
  const beside = { bootId: 'b', pidNamespace: 'p', pid: 2, startTicks: '1', roles: 'worker' };
  await place.story.ledger.registerWorker(beside, Date.now());
  expect(await settleCredit(context, { answerMs: null })).toBeNull();
  await context.dispose();
});
