import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { startProxy } from '../faults/proxy.ts';
import { atFileEnd } from '../support/file-end.ts';
import { freePort } from '../support/free-port.ts';
import { inNewHome } from '../support/new-ledger.ts';
import { ROOT, type StartOptions, startProcess, type TestProcess } from '../support/processes.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { tuma } from '../cli/command-line.ts';

/* The program as a person or a script meets it: processes, files and exit codes, and a sandbox in place of the service. */

export const API_KEY = 'e2e-key';
export const API_SECRET = 'e2e-secret';
const WEBHOOK_TOKEN = 'abcdefghijklmnopqrstuvwx';
export const TUMA = join(ROOT, 'bin/tuma');

/** How a command ended. */
export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  /** More settings, or others; an empty one is "not set". */
  env?: Record<string, string>;
  /** The working directory; that of the files by default. */
  cwd?: string;
  /** A launch is not told that its ledger may be new. */
  asks?: boolean;
}

/** What a command prints with --json: the parts that tests look at. */
export interface Document {
  campaign: { id: string; name: string; state: string; reason: string | null };
  messages: Record<string, number>;
  delivery: Record<string, number>;
  cost: Record<string, string | null>;
  rows: Record<string, number>;
  [part: string]: unknown;
}

/** What stands on a terminal, where stdout and stderr are one. */
export interface Shown {
  code: number | null;
  screen: string;
}

interface Opened {
  sandbox: Sandbox;
  port: number;
  env: Record<string, string>;
  on: 'memory' | 'disk';
  now: number | null;
}

/** A directory with a job and its contacts, a home that nothing was launched in, and a sandbox. */
export class Place {
  readonly directory: string;
  readonly home: string;
  readonly env: Record<string, string>;
  readonly sandbox: Sandbox;
  readonly #now: { now?: number };
  #folders = 0;

  constructor({ sandbox, port, env, on, now }: Opened) {
    this.#now = now === null ? {} : { now };
    this.directory = makeTempDir(on);
    this.home = join(this.directory, 'home');
    this.sandbox = sandbox;
    this.env = {
      PATH: process.env['PATH'] ?? '',
      TUMA_HOME: this.home,
      XDG_STATE_HOME: join(this.directory, 'state'),
      TUMA_MESSAGING_URL: sandbox.url,
      TUMA_API_KEY: API_KEY,
      TUMA_API_SECRET: API_SECRET,
      TUMA_PORT: String(port),
      TUMA_DASHBOARD_PORT: '0',
      TUMA_WEBHOOK_TOKEN: WEBHOOK_TOKEN,
      TUMA_PRICE: '0.80',
      ...env,
    };
    this.write('job.yaml', jobFile());
    this.write('contacts.csv', contacts(3));
  }

  /** A folder with these files, to run commands in. */
  folder(files: Record<string, string | Uint8Array>): string {
    const name = `folder-${this.#folders++}`;
    mkdirSync(this.path(name));
    for (const [file, content] of Object.entries(files)) this.write(join(name, file), content);
    return this.path(name);
  }

  /** Writes a file and answers its path as the commands are given it. */
  write(name: string, content: string | Uint8Array): string {
    writeFileSync(join(this.directory, name), content);
    return name;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Starts the program in a process of its own. */
  start(args: string[], options: RunOptions & Pick<StartOptions, 'input'> = {}): TestProcess {
    const { env = {}, cwd = this.directory, input } = options;
    const all = { ...this.env, ...env };
    return startProcess(TUMA, wordsOf(args, options), {
      cwd,
      env: all,
      ...(input === undefined ? {} : { input }),
    });
  }

  /**
   * Runs a command to its end, without a terminal, in the process of the test: a process of its own starts for longer
   * than most commands take. Commands at the same time have one working directory.
   */
  async tuma(args: string[], options: RunOptions = {}): Promise<Ended> {
    const { env = {}, cwd = this.directory } = options;
    process.chdir(cwd);
    return tuma(wordsOf(args, options), { env: { ...this.env, ...env }, cwd, asks: true, ...this.#now });
  }

  /**
   * Until the test says so the service answers no message but the first `after` of them: for processes that are given
   * this environment.
   */
  async holdAnswers(
    after = 0,
  ): Promise<{ env: Record<string, string>; held: () => number; release: () => void }> {
    const { port, url } = this.sandbox;
    const proxy = await startProxy(port);
    const answers = proxy.holdAnswers('/api/services/sendsms', after);
    return {
      env: { TUMA_MESSAGING_URL: url.replace(String(port), String(proxy.port)) },
      held: () => answers.count(),
      release: () => answers.release(),
    };
  }

  /** Runs a command with --json that must succeed (or end with `code`), and answers its document. */
  async json(args: string[], options: RunOptions & { code?: number } = {}): Promise<Document> {
    const { code, stdout, stderr } = await this.tuma([...args, '--json'], options);
    if (code !== (options.code ?? 0)) throw new Error(`tuma ${args.join(' ')} ended with ${code}: ${stderr}`);
    if (stdout.trimEnd().split('\n').length !== 1) throw new Error(`not one line: ${stdout}`);
    return JSON.parse(stdout) as Document;
  }

  /** Campaigns in the ledger, drafts included; none where there is no ledger. */
  campaigns(home = this.home): { id: string; state: string; name: string }[] {
    const file = join(home, 'ledger.db');
    if (!existsSync(file)) return [];
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const rows = database.prepare('SELECT id, state, name FROM campaign ORDER BY n').all();
      return rows as { id: string; state: string; name: string }[];
    } finally {
      database.close();
    }
  }

  /**
   * Runs a command on a pseudo-terminal of `columns`, and types each answer when its prompt stands on the screen. What
   * is typed ends with \r for Enter; \u0003 is Ctrl-C.
   */
  async onTerminal(
    args: string[],
    { typed = [], columns = 100, ...options }: RunOptions & { typed?: Typed[]; columns?: number } = {},
  ): Promise<Shown> {
    const words = [TUMA, ...wordsOf(args, options)];
    const command = `stty cols ${columns} rows 40; exec ${words.map(quoted).join(' ')}`;
    const child = startProcess('script', ['-qefc', command, '/dev/null'], {
      cwd: this.directory,
      env: { ...this.env, TERM: 'xterm', SHELL: '/bin/sh', ...options.env },
      keepsInput: true,
    });
    for (const { after, when = () => true, type } of typed) {
      await child.printed(after);
      await waitFor(when, { what: 'the moment to type' });
      child.type(type);
    }
    const { code } = await child.exited;
    return { code, screen: child.stdout() };
  }
}

function wordsOf(args: string[], { asks }: RunOptions): string[] {
  return asks === true ? args : inNewHome(args);
}

/** What a person types when something stands on the screen. */
export interface Typed {
  after: RegExp;
  /** What must be true as well; asked again and again. */
  when?: () => boolean;
  type: string;
}

export interface PlaceOptions {
  sandbox?: Partial<SandboxOptions>;
  env?: Record<string, string>;
  /** The file system of the home; in memory by default, which processes warn of. */
  on?: 'memory' | 'disk';
  /** The time at which each command begins that runs in the process of the test; the machine's by default. */
  now?: number;
}

/** A place for the tests of a file, made before the first. */
export function openPlace(options: PlaceOptions = {}): () => Place {
  let place: Place | null = null;
  const before = process.cwd();
  beforeAll(async () => {
    const port = await freePort();
    const sandbox = await startSandbox({
      apiKey: API_KEY,
      apiSecret: API_SECRET,
      truthFile: join(makeTempDir(), 'truth.ndjson'),
      webhookUrl: `http://127.0.0.1:${port}/webhooks/${WEBHOOK_TOKEN}`,
      reportDelayMs: { min: 20, max: 200 },
      ...options.sandbox,
    });
    place = new Place({
      sandbox,
      port,
      env: options.env ?? {},
      on: options.on ?? 'memory',
      now: options.now ?? null,
    });
  });
  afterAll(async () => {
    process.chdir(before);
    await place?.sandbox.stop();
  });
  return () => {
    if (place === null) throw new Error('the place is not open yet');
    return place;
  };
}

const mounted: string[] = [];
atFileEnd(() => {
  for (const path of mounted.splice(0)) spawnSync('umount', ['-l', path]);
});

/** Why there can be no pseudo-terminal here; null: there can. */
export function noTerminal(): string | null {
  if (process.platform !== 'linux') return 'the `script` of util-linux is needed';
  const probe = spawnSync('script', ['-qefc', 'exit 7', '/dev/null'], { stdio: 'ignore' });
  return probe.status === 7 ? null : 'the `script` of util-linux is needed';
}

/** Mounts a small file system in memory until the file's tests are done; null where this user may not. */
export function smallDisk(megabytes: number): { path: string } | null {
  const path = makeTempDir();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return null;
  }
  mounted.push(path);
  return { path };
}

/** The error of a failed command, from the last line of stderr. */
export function errorOf(ended: Ended): {
  code: string;
  message: string;
  hint: string | null;
  where: string | null;
} {
  const last = ended.stderr.trimEnd().split('\n').at(-1) ?? '';
  return (JSON.parse(last) as { error: ReturnType<typeof errorOf> }).error;
}

/** A job file; later lines replace those of the same key, null leaves a key out. */
export function jobFile(changes: Record<string, string | null> = {}): string {
  const lines: Record<string, string | null> = {
    name: 'promo',
    kind: 'transactional',
    sender: 'DUKA',
    message: '"Hi <<name>>, come today."',
    contacts: './contacts.csv',
    window: 'always',
    ...changes,
  };
  return Object.entries(lines)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

/** A CSV of so many people. */
export function contacts(count: number, from = 0): string {
  const rows = Array.from(
    { length: count },
    (_, index) => `${mobile(from + index)},Person ${from + index}\n`,
  );
  return `phone,name\n${rows.join('')}`;
}

/** The number of a row, in international digits. */
export function mobile(index: number): string {
  return `254700${String(index).padStart(6, '0')}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
