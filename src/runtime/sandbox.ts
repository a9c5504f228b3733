import { join } from 'node:path';
import type { RunningSandbox } from './contracts.ts';
import type { Config } from '../config/config.ts';
import { webhookToken } from '../config/webhook-token.ts';
import { type ErrorCode, TumaError } from '../domain/errors.ts';
import { reachableOrigin } from '../domain/listen-error.ts';
import { SandboxError, type SandboxErrorCode } from '../sandbox/sandbox-error.ts';
import type { SandboxOptions } from '../sandbox/options.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { tryFileLock } from '../system/file-lock.ts';
import { makeFolder } from '../system/folder.ts';

/** The preferred port: the same each time, so that settings stay valid. */
const PORT = 8090;
/** These credentials open nothing but the sandbox. */
const API_KEY = 'sandbox-key';
const API_SECRET = 'sandbox-secret';
const API_TOKEN = 'sandbox-token';
const RATE = /^(\d{1,3}(?:\.\d{1,4})?)\s*(%?)$/;

/** The sandbox's codes in those of docs/errors.md. */
const CODES: Record<SandboxErrorCode, ErrorCode> = {
  options_invalid: 'config_invalid',
  script_missing: 'not_found',
  script_invalid: 'usage',
  truth_invalid: 'truth_invalid',
  truth_unwritable: 'file_unwritable',
  port_in_use: 'port_in_use',
};

/** Starts the provider's stand-in in this process, posting its reports to this home's collector. */
export async function openSandbox(
  config: Config,
  { faults }: { faults: string | null },
): Promise<RunningSandbox> {
  const folder = join(config.home, 'sandbox');
  await makeFolder(folder);
  const truthFile = join(folder, 'truth.ndjson');
  const token = (await webhookToken(config)).reveal();
  // Port 0 lets the collector choose its port, so the sandbox cannot know it.
  const collector = config.port === 0 ? null : reachableOrigin(config);
  const options = {
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    webhookUrl: collector === null ? null : `${collector}/webhooks/${token}`,
    faults: faultsOf(faults),
  };
  const unlock = lockTruth(truthFile);
  const sandbox = await startOnPort(options).catch((error: unknown) => {
    unlock();
    throw error instanceof SandboxError ? sandboxFailure(error) : error;
  });
  return {
    url: sandbox.url,
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    collector,
    closed: sandbox.failed.then(sandboxFailure),
    close: async () => {
      await sandbox.stop();
      unlock();
    },
  };
}

/** Locks a truth log, because two writers would repeat ids. Returns the release. Throws `truth_in_use`. */
function lockTruth(truthFile: string): () => void {
  const lock = tryFileLock(`${truthFile}.lock`);
  if (lock !== null) return () => lock.release();
  throw new TumaError('truth_in_use', {
    message: 'Another sandbox is writing this truth log.',
    where: truthFile,
    hint: 'Stop it first.',
  });
}

async function startOnPort(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox({ ...options, port: PORT });
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== 'port_in_use') throw error;
    return startSandbox({ ...options, port: 0 });
  }
}

/** A failure of the sandbox as one of ours. */
export function sandboxFailure({ code, message, hint, where }: SandboxError): TumaError {
  return new TumaError(CODES[code], { message, hint, where });
}

/** `2%` is a rate, anything else the path of a fault script. */
function faultsOf(text: string | null) {
  if (text === null) return null;
  const [, number, sign] = RATE.exec(text.trim()) ?? [];
  if (number === undefined && text.trim() !== '') return { script: text };
  if (sign === '%' && Number(number) <= 100) return { rate: Number(number) / 100 };
  throw new TumaError('usage', {
    message: `"${text}" is no rate of faults.`,
    hint: 'Write a share up to 100%, such as 2%, or the path of a fault script.',
    where: '--faults',
  });
}
