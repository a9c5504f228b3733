import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { EXIT } from '../cli/exit.ts';
import type { Host } from '../cli/terminal/process-host.ts';
import { run } from '../cli/run.ts';
import type { Config } from '../config/config.ts';
import { webhookToken } from '../config/webhook-token.ts';
import { createLog } from '../system/log.ts';
import { TumaError } from '../domain/errors.ts';
import { openServices } from '../runtime/services.ts';
import { sandboxFailure } from '../runtime/sandbox.ts';
import { SandboxError } from '../sandbox/sandbox-error.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { tryFileLock } from '../system/file-lock.ts';
import { openPages } from './sample-pages.ts';
import { ACCOUNT, ROOT, type SamplePlace, sampleConfig } from './sample-settings.ts';
import { compareWithTruth } from './sample-truth.ts';

/* `npm start` runs the sample campaign against the sandbox, from the CSV to the report. */

type SampleHost = Pick<Host, 'streams' | 'signal' | 'boundStop'>;

/**
 * Runs the sample and returns the exit code of its campaign, or 1 when its report disagrees with the
 * sandbox's log. On a terminal it serves its pages, and stays up until Ctrl-C. Throws when the sandbox fails, or when the sample
 * runs already.
 */
export async function runSample(host: SampleHost, place: SamplePlace): Promise<number> {
  const { home } = place;
  await mkdir(home, { recursive: true, mode: 0o700 });
  // Two samples at once would share one truth log.
  const lock = tryFileLock(join(home, 'sample.lock'));
  if (lock === null) {
    throw new TumaError('truth_in_use', {
      message: 'The sample runs already.',
      hint: 'It stays up in another terminal until Ctrl-C ends it there.',
      where: shown(home),
    });
  }
  try {
    return await withSandbox(host, place);
  } finally {
    lock.release();
  }
}

async function withSandbox(host: SampleHost, place: SamplePlace): Promise<number> {
  const { home } = place;
  const ports = { collector: await freePort(), dashboard: await freePort() };
  const webhook = await webhookToken({ home, webhookToken: null });
  const truthFile = join(home, 'truth.ndjson');
  if (!(await isCampaignOpen(place))) await rm(truthFile, { force: true });
  const webhookUrl = `http://127.0.0.1:${ports.collector}/webhooks/${webhook.reveal()}`;
  const sandbox = await startSampleSandbox({ truthFile, webhookUrl });
  try {
    const config = sampleConfig(place, { url: sandbox.url, ...ports });
    return await launchAndStay(host, { sandbox, config, truthFile });
  } finally {
    await sandbox.stop();
  }
}

async function startSampleSandbox(where: { truthFile: string; webhookUrl: string }): Promise<Sandbox> {
  try {
    return await startSandbox({
      ...ACCOUNT,
      ...where,
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
  config: Config;
  truthFile: string;
}

type RunProgram = (argv: string[]) => Promise<number>;

async function launchAndStay(host: SampleHost, { sandbox, ...ledger }: Started): Promise<number> {
  const { config } = ledger;
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
  if (stdin.isTTY !== true || stdout.isTTY !== true) return launch(host, ledger, program);
  const pages = await openPages(config);
  try {
    stderr.write(`Watch it in a browser:\n${pages.link}\n\n`);
    const exitCode = await launch(host, ledger, program);
    if (!host.signal.aborted) await stay(host, config, program);
    return exitCode;
  } finally {
    await pages.close();
  }
}

/** Launches, and compares the report with the sandbox's own log. */
async function launch(
  { streams, signal }: SampleHost,
  ledger: Omit<Started, 'sandbox'>,
  program: RunProgram,
): Promise<number> {
  const launched = await program(launchArguments(ledger.config));
  if (signal.aborted) return launched;
  const { words, agrees } = await compareWithTruth(ledger);
  streams.stderr.write(`\n${words}\n`);
  const settled = launched === EXIT.done || launched === EXIT.settledWithFailures;
  return settled && !agrees ? EXIT.error : launched;
}

async function stay(
  { streams: { stderr } }: SampleHost,
  { home, postgres }: Config,
  program: RunProgram,
): Promise<void> {
  const places = [shown(home), ...(postgres === null ? [] : [postgres.url])].join(', and its ledger in ');
  stderr.write(`\nStaying up for late reports; Ctrl-C ends it. Everything of this sample is in ${places}.\n`);
  await program(['serve', '--role', 'worker,collector']);
}

function launchArguments({ home }: Config): string[] {
  const job = join(ROOT, 'jobs', 'promo.yaml');
  const rejects = shown(join(home, 'rejects.csv'));
  return ['launch', job, '--yes', '--new-ledger', '--again', '--wait', '--rejects', rejects, '--force'];
}

/** A path relative to the current directory, if it lies below it. */
function shown(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}

/** An unfinished campaign keeps its truth log; a new campaign starts with a new one. */
async function isCampaignOpen(place: SamplePlace): Promise<boolean> {
  const config = sampleConfig(place, { url: 'http://127.0.0.1:9', collector: 0, dashboard: 0 });
  const services = await openServices(config, createLog({ level: 'error' }));
  try {
    const [latest] = await (await services.reader()).campaigns();
    return latest !== undefined && latest.state !== 'finished' && latest.state !== 'canceled';
  } catch (error) {
    if (error instanceof TumaError && error.code === 'not_found') return false; // No ledger yet.
    throw error;
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
