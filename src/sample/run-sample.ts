import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../cli/exit.ts';
import type { Host } from '../cli/terminal/process-host.ts';
import { run } from '../cli/run.ts';
import { type Config, resolveConfig } from '../config/config.ts';
import { webhookToken } from '../config/webhook-token.ts';
import { createLog } from '../system/log.ts';
import { TumaError } from '../domain/errors.ts';
import { openServices } from '../runtime/services.ts';
import { sandboxFailure } from '../runtime/sandbox.ts';
import { SandboxError } from '../sandbox/sandbox-error.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { tryFileLock } from '../system/file-lock.ts';
import { openPages } from './sample-pages.ts';
import { compareWithTruth } from './sample-truth.ts';

/*
 * `npm start` runs the sample campaign against the sandbox, from the CSV to the report. It fixes every
 * setting and reads no environment, .env or tuma.yaml, so it cannot reach a real account.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOME = join(ROOT, '.tuma', 'sample');
const TRUTH_FILE = join(HOME, 'truth.ndjson');
/** These credentials open nothing but the sample's sandbox. */
const API_KEY = 'sandbox-key';
const API_SECRET = 'sandbox-secret';
/** Cost a segment by network, as the sandbox charges it: the estimate is a range. */
const SANDBOX_PRICES = '1=0.80, 2=0.90, 3=1.00';

type SampleHost = Pick<Host, 'streams' | 'signal' | 'boundStop'>;

/**
 * Runs the sample and returns the exit code of its campaign, or 1 when its report disagrees with the
 * sandbox's log. On a terminal it serves its pages, and stays up until Ctrl-C. Throws when the sandbox fails, or when the sample
 * runs already.
 */
export async function runSample(host: SampleHost): Promise<number> {
  await mkdir(HOME, { recursive: true, mode: 0o700 });
  // Two samples at once would share one truth log.
  const lock = tryFileLock(join(HOME, 'sample.lock'));
  if (lock === null) {
    throw new TumaError('truth_in_use', {
      message: 'The sample runs already.',
      hint: 'It stays up in another terminal until Ctrl-C ends it there.',
      where: shown(HOME),
    });
  }
  try {
    return await withSandbox(host);
  } finally {
    lock.release();
  }
}

async function withSandbox(host: SampleHost): Promise<number> {
  const ports = { collector: await freePort(), dashboard: await freePort() };
  const webhook = await webhookToken({ home: HOME, webhookToken: null });
  if (!(await isCampaignOpen())) await rm(TRUTH_FILE, { force: true });
  const sandbox = await startSampleSandbox(
    `http://127.0.0.1:${ports.collector}/webhooks/${webhook.reveal()}`,
  );
  try {
    return await launchAndStay(host, { sandbox, ports });
  } finally {
    await sandbox.stop();
  }
}

async function startSampleSandbox(webhookUrl: string): Promise<Sandbox> {
  try {
    return await startSandbox({
      apiKey: API_KEY,
      apiSecret: API_SECRET,
      truthFile: TRUTH_FILE,
      webhookUrl,
      startBalance: '1000.00',
      latencyMs: 40,
      reportDelayMs: { min: 500, max: 2_500 },
      oddReportRate: 0.05,
      seed: 7,
    });
  } catch (error) {
    throw error instanceof SandboxError ? sandboxFailure(error) : error;
  }
}

interface Started {
  sandbox: Sandbox;
  ports: { collector: number; dashboard: number };
}

type RunProgram = (argv: string[]) => Promise<number>;

async function launchAndStay(host: SampleHost, { sandbox, ports }: Started): Promise<number> {
  const config = sampleConfig({ url: sandbox.url, ...ports });
  const alone = new AbortController();
  void sandbox.failed.then(() => alone.abort('the end of the sandbox'));
  const program: RunProgram = async (argv) => {
    const signal = AbortSignal.any([host.signal, alone.signal]);
    const loadConfig = async () => () => config;
    const exitCode = await run({ argv, ...host, signal, loadServices: async () => openServices, loadConfig });
    if (alone.signal.aborted && !host.signal.aborted) throw sandboxFailure(await sandbox.failed);
    return exitCode;
  };
  const { stdin, stdout, stderr } = host.streams;
  stderr.write(`Tuma's sample campaign, against a sandbox on this machine: nothing leaves it.\n\n`);
  if (stdin.isTTY !== true || stdout.isTTY !== true) return launch(host, config, program);
  const pages = await openPages(config);
  try {
    stderr.write(`Watch it in a browser:\n${pages.link}\n\n`);
    const exitCode = await launch(host, config, program);
    if (!host.signal.aborted) await stay(host, program);
    return exitCode;
  } finally {
    await pages.close();
  }
}

/** Launches, and compares the report with the sandbox's own log. */
async function launch({ streams, signal }: SampleHost, config: Config, program: RunProgram): Promise<number> {
  const launched = await program(launchArguments());
  if (signal.aborted) return launched;
  const { words, agrees } = await compareWithTruth({ config, truthFile: TRUTH_FILE });
  streams.stderr.write(`\n${words}\n`);
  const settled = launched === EXIT.done || launched === EXIT.settledWithFailures;
  return settled && !agrees ? EXIT.error : launched;
}

async function stay({ streams: { stderr } }: SampleHost, program: RunProgram): Promise<void> {
  stderr.write(
    `\nStaying up for late reports; Ctrl-C ends it. Everything of this sample is in ${shown(HOME)}.\n`,
  );
  await program(['serve', '--role', 'worker,collector']);
}

function launchArguments(): string[] {
  const job = join(ROOT, 'jobs', 'promo.yaml');
  const rejects = shown(join(HOME, 'rejects.csv'));
  return ['launch', job, '--yes', '--new-ledger', '--again', '--wait', '--rejects', rejects, '--force'];
}

/** A path relative to the current directory, if it lies below it. */
function shown(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}

/** Fixes every setting, so that no environment can change one. */
function sampleConfig(at: { url: string; collector: number; dashboard: number }): Config {
  return resolveConfig({
    cwd: HOME,
    env: {
      TUMA_HOME: HOME,
      // The sample needs no protection against old backups, so its claim counter stays inside its home.
      XDG_STATE_HOME: join(HOME, 'state'),
      TUMA_MESSAGING_URL: at.url,
      TUMA_API_KEY: API_KEY,
      TUMA_API_SECRET: API_SECRET,
      TUMA_HOST: '127.0.0.1',
      TUMA_PORT: String(at.collector),
      TUMA_DASHBOARD_HOST: '127.0.0.1',
      TUMA_DASHBOARD_PORT: String(at.dashboard),
      TUMA_PRICE: SANDBOX_PRICES,
    },
  });
}

/** An unfinished campaign keeps its truth log; a new campaign starts with a new one. */
async function isCampaignOpen(): Promise<boolean> {
  const config = sampleConfig({ url: 'http://127.0.0.1:9', collector: 0, dashboard: 0 });
  const services = await openServices(config, createLog({ level: 'error' }));
  try {
    const [latest] = await (await services.reader()).campaigns();
    return latest !== undefined && latest.state !== 'finished' && latest.state !== 'canceled';
  } catch {
    return false; // No ledger yet.
  } finally {
    await services.dispose();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
