import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tuma } from '../cli/command-line.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { freePort } from '../support/free-port.ts';
import { inNewHome } from '../support/new-ledger.ts';
import { COMPILE_CACHE, ROOT, startProcess, type TestProcess } from '../support/processes.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { waitFor } from '../support/wait-for.ts';
import { type HomeRedis, homeRedis } from './home-redis.ts';
import type { FastTime, Hook } from './hooks.ts';
import { API_KEY, API_SECRET, type Provider, startProvider } from './provider.ts';
import { type Held, type Proxy, startProxy } from './proxy.ts';
import { type SharedClock, sharedClock } from './shifted-clock.ts';

/* A campaign in real processes: the command line, its private Redis, and the sandbox, which survives their kills. */

/** TUMA_CLAIM_LIMIT here: W of the matrix. */
export const CLAIM_LIMIT = 256;
/** The default of TUMA_CONCURRENCY: what a killed worker may leave uncertain. */
export const IN_FLIGHT = 32;
export const WEBHOOK_TOKEN = 'abcdefghijklmnopqrstuvwx';
/** Answers that a gate holds are not given up while it does. */
const LONG_DEADLINE = '50s';
/** Four networks with three prices. */
const PREFIXES = ['254700', '254733', '254771', '254763'];
/** Those of bin/tuma that decide about speed and about life and death; it says why. */
const NODE_FLAGS = ['--wasm-wrapper-tiering-budget=2147483647'];
const MAIN = join(ROOT, 'src/cli/main.ts');
const HOOKED = join(ROOT, 'test/faults/hooked-process.ts');

export interface StageOptions {
  /** The test's own, where several go on at a time: else the stage would end with whichever began last. */
  onTestFinished?: typeof onTestFinished;
  /** Rows of the CSV; 400 by default. */
  contacts?: number;
  sandbox?: Partial<SandboxOptions>;
  /**
   * The sandbox runs in the test's process, which is faster. It cannot be killed or stopped there, and it answers late
   * when the test itself works or measures.
   */
  sandboxHere?: true;
  /** More settings, or others. */
  env?: Record<string, string>;
  /** Puts a gate between its processes and the sandbox. */
  gated?: true;
  /** The wall-clock millisecond at which the time of all its processes begins; without it they have the machine's. */
  from?: number;
}

export interface StartOptions {
  flags?: string[];
  /** Runs the command line with something that happens at a named point. */
  hook?: Hook | FastTime;
  env?: Record<string, string>;
  /** For node itself. */
  nodeFlags?: string[];
  /** Runs it under this command, such as strace with its flags. */
  under?: string[];
}

/** How a command ended. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** The one document on stdout; null when there is none. */
  document: CampaignDocument | null;
  stderr: string;
}

/** The parts of a report that tests look at; other commands print other documents. */
export interface CampaignDocument {
  campaign: { id: string; state: string; reason: string | null };
  messages: Record<string, number>;
  delivery: Record<string, number>;
  cost: { charged: string };
  [part: string]: unknown;
}

/** Holds the answers of the service, so that a test decides how far a campaign has come, and not the clock. */
export interface Gate extends Proxy {
  /** Lets so many answers through; the others wait. */
  holdAfter(count: number): void;
  /** Resolves when so many workers have as many messages on the wire as they may, and all of their answers wait. */
  full(workers?: number): Promise<void>;
  release(): void;
}

export interface Stage {
  /** Of a stage that is `gated`. */
  gate: Gate;
  directory: string;
  home: string;
  ledgerFile: string;
  /** The whole environment of its processes. */
  env: Record<string, string>;
  /** Rows of the CSV. */
  contacts: number;
  collectorPort: number;
  provider: Provider;
  redis: HomeRedis;
  /** Of all its processes, where `from` was given; to jump with. */
  clock: SharedClock;
  /** `tuma launch JOB --yes --json --wait`. */
  launch(options?: StartOptions): TestProcess;
  /** SIGKILL of that process and of the private Redis, in one breath. */
  killWithRedis(child: TestProcess): Promise<void>;
  /** `tuma serve --role …`; all roles by default. */
  serve(roles?: string, options?: StartOptions): TestProcess;
  /** Starts a command, and leaves it to itself. */
  start(args: string[], options?: StartOptions): TestProcess;
  /**
   * Runs a command to its end: in the test's process, which is several times faster, unless something is to happen in it
   * or the stage has a time of its own.
   */
  tuma(args: string[], options?: Pick<StartOptions, 'hook' | 'env'>): Promise<Ended>;
}

/** Makes a home, a job, a CSV and a running sandbox, with nothing else to reach. All of it ends with the test. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const directory = makeTempDir();
  const home = join(directory, 'home');
  mkdirSync(home, { mode: 0o700 });
  const collectorPort = await freePort();
  const provider = await startProvider({
    directory,
    port: await freePort(),
    webhookUrl: `http://127.0.0.1:${collectorPort}/webhooks/${WEBHOOK_TOKEN}`,
    options: options.sandbox ?? {},
    here: options.sandboxHere === true,
  });
  const whenFinished = options.onTestFinished ?? onTestFinished;
  const gate = options.gated === true ? await openGate(provider.url, whenFinished) : null;
  const gated = gate === null ? {} : { TUMA_MESSAGING_URL: gate.url, TUMA_DEADLINE: LONG_DEADLINE };
  const env = { ...closedEnvironment({ home, collectorPort, url: provider.url }), ...gated, ...options.env };
  const clock = sharedClock(join(directory, 'clock'), options.from ?? Date.now());
  const shifted = options.from === undefined ? null : { clockFile: clock.file };
  const started: TestProcess[] = [];
  const start = (argv: string[], { hook, env: more, nodeFlags = [], under = [] }: StartOptions) => {
    const given = hook === undefined ? shifted : { ...shifted, ...hook };
    const file = given === null ? [MAIN] : [HOOKED, JSON.stringify(given)];
    const words = [...under, process.execPath, ...NODE_FLAGS, ...nodeFlags, ...file, ...inNewHome(argv)];
    const [command = '', ...args] = words;
    const child = startProcess(command, args, { cwd: directory, env: { ...env, ...more } });
    started.push(child);
    return child;
  };
  // A process that outlived its home would start the private Redis again.
  const before = process.cwd();
  whenFinished(async () => {
    process.chdir(before);
    await Promise.all(started.map((child) => child.stop('SIGKILL')));
    await provider.kill();
  });
  const contacts = writeJob(directory, options.contacts ?? 400);
  const stage: Stage = {
    get gate() {
      if (gate === null) throw new Error('this stage is not gated');
      return gate;
    },
    directory,
    home,
    ledgerFile: join(home, 'ledger.db'),
    env,
    contacts,
    collectorPort,
    provider,
    redis: homeRedis(home),
    clock,
    launch: (more = {}) =>
      start(['launch', 'job.yaml', '--yes', '--json', '--wait', ...(more.flags ?? [])], more),
    async killWithRedis(child) {
      stage.redis.kill();
      await child.stop('SIGKILL');
    },
    serve: (roles = 'worker,collector,web', more = {}) =>
      start(['serve', '--role', roles, ...(more.flags ?? [])], more),
    start: (args, more = {}) => start(args, more),
    async tuma(args, more = {}) {
      const words = [...args, '--json'];
      if (shifted !== null || more.hook !== undefined) return ended(start(words, more));
      process.chdir(directory);
      return endedOf({
        signal: null,
        ...(await tuma(words, { env: { ...env, ...more.env }, cwd: directory })),
      });
    },
  };
  return stage;
}

async function openGate(url: string, whenFinished: typeof onTestFinished): Promise<Gate & { url: string }> {
  const proxy = await startProxy(Number(new URL(url).port), whenFinished);
  let held: Held | null = null;
  return {
    ...proxy,
    url: `http://127.0.0.1:${proxy.port}`,
    holdAfter: (count) => void (held = proxy.holdAnswers('/api/services/sendsms', count)),
    full: async (workers = 1) => {
      await waitFor(() => held?.count() === workers * IN_FLIGHT, {
        what: 'the answers of all that is on the wire',
      });
    },
    release: () => held?.release(),
  };
}

/** SIGKILL inside the nth transaction that holds a claim, or outcomes: SQLite has all of it, and no COMMIT. */
export function killInside(what: 'claim' | 'outcomes', nth: number): StartOptions {
  const preloaded = join(ROOT, 'test/faults/kill-inside-process.ts');
  return { nodeFlags: ['--import', preloaded], env: { KILL_INSIDE: `${what} ${nth}` } };
}

/** Waits for the end of a process, and reads what it printed. */
export async function ended(child: TestProcess): Promise<Ended> {
  const how = await child.exited;
  return endedOf({ ...how, stdout: child.stdout(), stderr: child.stderr() });
}

function endedOf({ stdout, ...how }: Omit<Ended, 'document'> & { stdout: string }): Ended {
  return { ...how, document: stdout === '' ? null : (JSON.parse(stdout) as CampaignDocument) };
}

/** Every address and credential is the stage's own; nothing of the machine's environment is passed on but PATH. */
function closedEnvironment(at: { home: string; collectorPort: number; url: string }): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    TUMA_HOME: at.home,
    TUMA_CLAIM_LIMIT: String(CLAIM_LIMIT),
    TUMA_MESSAGING_URL: at.url,
    TUMA_API_KEY: API_KEY,
    TUMA_API_SECRET: API_SECRET,
    TUMA_PORT: String(at.collectorPort),
    TUMA_DASHBOARD_PORT: '0',
    TUMA_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
    TUMA_RATE: 'unlimited',
    TUMA_PRICE: '1=0.80, 2=0.90, 3=1.00, 4=0.80',
    TUMA_DEADLINE: '6s',
  };
}

function writeJob(directory: string, contacts: number): number {
  const job = [
    'name: faults',
    'kind: promotional',
    'sender: DUKA',
    'message: "Hi <<name>>, this weekend 20% off everything."',
    'contacts: ./contacts.csv',
    'columns: { mobile: Phone }',
    'window: always',
    'batch: 50',
    'retry: { attempts: 5, first: 1s, most: 2s }',
    '',
  ];
  writeFileSync(join(directory, 'job.yaml'), job.join('\n'));
  writeContacts(directory, { contacts, name: 'Person' });
  return contacts;
}

/** Writes the CSV: another name makes other contents, and so another campaign of the same numbers. */
export function writeContacts(
  directory: string,
  { contacts, name }: { contacts: number; name: string },
): void {
  const rows = Array.from({ length: contacts }, (_, index) => `${mobileOf(index)},${name} ${index}`);
  writeFileSync(join(directory, 'contacts.csv'), `${['Phone,name', ...rows].join('\n')}\n`);
}

/** The number of a row. */
export function mobileOf(index: number): string {
  return `${PREFIXES[index % PREFIXES.length]}${String(index).padStart(6, '0')}`;
}
