import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { SETTING_NAMES } from '../../src/config/schema.ts';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { tuma } from '../cli/command-line.ts';
import { findPrograms } from '../support/postgres/programs.ts';
import { startPostgres } from '../support/postgres/server.ts';
import { startNode } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { copyProject } from './sample-project.ts';

/** A server that must never be asked anything. */
async function openTrap(): Promise<{ url: string; port: number; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  server.on('connection', () => requests.push('a connection'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, port, requests };
}

/** Each setting leads to the trap, or is of a kind that would show. */
function trapSettings(trap: { url: string; port: number }, home: string): Record<string, string> {
  const settings: Record<string, string> = {
    TUMA_HOME: home,
    TUMA_SHARED_FOLDER: '/nonexistent/shared',
    TUMA_MESSAGING_URL: trap.url,
    TUMA_BASE_URL: trap.url,
    TUMA_API_KEY: 'real-key',
    TUMA_API_SECRET: 'real-secret',
    TUMA_API_TOKEN: 'real-token',
    TUMA_V2_AUTH: 'query',
    TUMA_SENDER: 'REAL',
    TUMA_PROFILE: '/nonexistent/profile.yaml',
    TUMA_DATABASE_URL: `postgres://real@127.0.0.1:${trap.port}/real`,
    TUMA_DATABASE_PASSWORD_FILE: join(home, 'real-password'),
    TUMA_REDIS_URL: `rediss+sentinel://127.0.0.1:${trap.port}/real`,
    TUMA_REDIS_PASSWORD_FILE: '/nonexistent/password',
    TUMA_REDIS_CA_FILE: '/nonexistent/ca.pem',
    TUMA_REDIS_CERT_FILE: '/nonexistent/cert.pem',
    TUMA_REDIS_KEY_FILE: '/nonexistent/key.pem',
    TUMA_REDIS_SENTINEL_PASSWORD_FILE: '/nonexistent/sentinel-password',
    TUMA_HOST: '127.0.0.1',
    TUMA_PORT: String(trap.port),
    TUMA_DASHBOARD_HOST: '127.0.0.1',
    TUMA_DASHBOARD_PORT: String(trap.port),
    TUMA_DASHBOARD_TOKEN: 'real-dashboard-token-000',
    TUMA_DASHBOARD_USER_HEADER: 'x-real-user',
    TUMA_PUBLIC_DASHBOARD_URL: `https://127.0.0.1:${trap.port}`,
    TUMA_APPROVAL: 'on',
    TUMA_WEBHOOK_TOKEN: 'real-webhook-token-00000000',
    TUMA_WEBHOOK_TOKEN_OLD: 'real-webhook-token-11111111',
    TUMA_WEBHOOK_FROM: '203.0.113.9',
    TUMA_TRUSTED_PROXIES: '127.0.0.1',
    TUMA_PUBLIC_URL: trap.url,
    TUMA_COUNTRY: 'US',
    TUMA_COUNTRIES: 'GB',
    TUMA_ZONE: 'America/New_York',
    TUMA_CURRENCY: 'USD',
    TUMA_RATE: '1/min',
    TUMA_CONCURRENCY: '1',
    TUMA_CLAIM_LIMIT: '1',
    TUMA_PRICE: '9000.00',
    TUMA_OPT_OUT_TEXT: 'x'.repeat(500),
    TUMA_DEADLINE: '59s',
    TUMA_REPORT_WAIT: '60s',
    TUMA_RESOLVE_AFTER: '91s',
    TUMA_KEEP: '60s',
    TUMA_ALERT_URL: trap.url,
    TUMA_ALERT_SECRET: `whsec_${'A'.repeat(32)}`,
    TUMA_ALERT_MAIL: 'real@example.org',
    TUMA_SMTP_URL: `smtp://127.0.0.1:${trap.port}`,
    TUMA_ALERT_UNCERTAIN: '1',
    TUMA_LOW_CREDIT: '9000000',
    TUMA_MEDIA_LIMIT: '1MB',
  };
  expect(Object.keys(settings).toSorted(), 'a setting without a trap').toEqual(SETTING_NAMES.toSorted());
  return settings;
}

/** A ledger of the sample: what `npm start` is given for it, and how the commands of a person reach it afterwards. */
interface SampleLedger {
  home: string;
  args: string[];
  settings: Record<string, string>;
}

const inFile = async (): Promise<SampleLedger> => ({ home: 'sample', args: [], settings: {} });

async function onPostgres(skip: (why: string) => never): Promise<SampleLedger> {
  const programs = findPrograms();
  if (typeof programs === 'string') return skip(programs);
  const server = await startPostgres(programs);
  onTestFinished(() => server.end());
  const { url } = server;
  return {
    home: 'sample-postgres',
    args: ['--database-url', url],
    settings: { TUMA_DATABASE_URL: `${url}&schema=tuma_sample` },
  };
}

/** A copy of the project in which every setting leads to a trap, and its sample with this ledger. */
async function openSample({ home: name, args, settings: reached }: SampleLedger) {
  const trap = await openTrap();
  const root = copyProject();
  const trapHome = join(root, 'trap-home');
  const settings = trapSettings(trap, trapHome);
  const lines = Object.entries(settings);
  writeFileSync(join(root, '.env'), lines.map(([name, value]) => `${name}='${value}'\n`).join(''));
  const yaml = lines.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join('');
  writeFileSync(join(root, 'tuma.yaml'), yaml);
  const home = join(root, '.tuma', name);
  const truthFile = join(home, 'truth.ndjson');
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const there = { TUMA_HOME: home, XDG_STATE_HOME: join(home, 'state'), ...reached };
  return {
    truth: () => readTruth(truthFile),
    accepted: async () => (existsSync(truthFile) ? (await readTruth(truthFile)).acceptedCount : 0),
    start: () => startNode(join(root, 'src/sample/main.ts'), args, { cwd: root, env }),
    command: (...words: string[]) => tuma(words, { env: there }),
    trapped: () => [...trap.requests, ...(existsSync(trapHome) ? [trapHome] : [])],
  };
}

type Sample = Awaited<ReturnType<typeof openSample>>;

async function campaigns({ command }: Sample): Promise<unknown[]> {
  const { stdout } = await command('status', '--json');
  return (JSON.parse(stdout) as { campaigns: unknown[] }).campaigns;
}

async function goesOnAfterKill(sample: Sample): Promise<void> {
  const { start, accepted, truth } = sample;
  const killed = start();
  await waitFor(async () => (await accepted()) >= 60, { what: '60 messages' });
  await killed.stop('SIGKILL');
  const second = start();
  const { code } = await second.exited;
  expect([0, 3], second.stderr()).toContain(code);
  expect(second.stderr()).toContain('going on with it');
  expect(second.stderr()).toContain('The report says the same');
  expect(await campaigns(sample)).toHaveLength(1);
  expect(Math.max(...(await truth()).acceptedByMobile.values())).toBe(1);
}

async function launchesAnewAndStops(sample: Sample): Promise<void> {
  const { start, accepted } = sample;
  const third = start();
  await third.printed(/Launched as/);
  await waitFor(async () => (await accepted()) > 0, { what: 'the first message' });
  // It stands still meanwhile, because it must not come to its end.
  process.kill(third.pid, 'SIGSTOP');
  const beside = start();
  expect((await beside.exited).code).toBe(1);
  expect(beside.stderr()).toMatch(/^error: The sample runs already\.\n/);
  process.kill(third.pid, 'SIGCONT');
  // As npm does it, which hands on what the terminal sent already.
  process.kill(third.pid, 'SIGINT');
  await sleep(50);
  process.kill(third.pid, 'SIGINT');
  expect((await third.exited).code).toBe(130);
  expect(third.stderr()).toContain('Stopped by SIGINT; nothing is lost.');
  // What a newcomer reads first does not warn of what is not their business. On a slow machine the process was frozen for
  // so long that Postgres ended its connection, and it must say so.
  const isWarning = (line: string) => line.includes('"level":"warn"') && !line.includes('(connection lost)');
  expect(third.stderr().split('\n').filter(isWarning)).toEqual([]);
  expect(await campaigns(sample)).toHaveLength(2);
}

test.for([
  ['SQLite', inFile],
  ['Postgres', onPostgres],
] as const)(
  'npm start on %s reaches nothing but its sandbox, goes on after a kill, and launches anew after the end',
  async ([, makeLedger], { skip }) => {
    const sample = await openSample(await makeLedger(skip));
    await goesOnAfterKill(sample);
    await launchesAnewAndStops(sample);
    expect(await sample.command('verify')).toMatchObject({ code: 0, stderr: '' });
    expect(sample.trapped()).toEqual([]);
  },
);
