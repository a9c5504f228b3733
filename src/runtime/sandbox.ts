import { join } from 'node:path';
import type { RunningSandbox } from './contracts.ts';
import type { Config } from '../config/config.ts';
import { webhookToken } from '../config/webhook-token.ts';
import { type ErrorCode, TumaError } from '../domain/errors.ts';
import { reachableOrigin } from '../domain/listen-error.ts';
import { SandboxError, type SandboxErrorCode } from '../sandbox/sandbox-error.ts';
import { startSandbox } from '../sandbox/sandbox.ts';
import { makeFolder } from '../system/folder.ts';

/** Where the sandbox listens if the port is free: the same each time, so that settings stay valid. */
const PORT = 8090;
/** They open nothing but the sandbox. */
const API_KEY = 'sandbox-key';
const API_SECRET = 'sandbox-secret';
const API_TOKEN = 'sandbox-token';
const RATE = /^(\d{1,3}(?:\.\d{1,4})?)\s*(%?)$/;

/** Its options come from settings, but for the script of its faults, which the command line names. */
const CODES: Record<SandboxErrorCode, ErrorCode> = {
  options_invalid: 'config_invalid',
  script_missing: 'not_found',
  script_invalid: 'usage',
  truth_invalid: 'truth_invalid',
  truth_in_use: 'truth_in_use',
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
  // Which port a collector took that could choose is known to nobody else.
  const collector = config.port === 0 ? null : reachableOrigin(config);
  const options = {
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    webhookUrl: collector === null ? null : `${collector}/webhooks/${token}`,
    faults: faultsOf(faults),
  };
  const sandbox = await startOnPort(options);
  return {
    url: sandbox.url,
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    collector,
    closed: sandbox.failed.then(sandboxFailure),
    close: () => sandbox.stop(),
  };
}

async function startOnPort(options: Parameters<typeof startSandbox>[0]) {
  try {
    return await startSandbox({ ...options, port: PORT }).catch((error: unknown) => {
      if (!(error instanceof SandboxError) || error.code !== 'port_in_use') throw error;
      return startSandbox({ ...options, port: 0 });
    });
  } catch (error) {
    throw error instanceof SandboxError ? sandboxFailure(error) : error;
  }
}

/** What the sandbox says of a failure, in the codes of docs/errors.md. */
export function sandboxFailure({
  code,
  message,
  hint,
  where,
}: Pick<SandboxError, 'code' | 'message' | 'hint' | 'where'>): TumaError {
  return new TumaError(CODES[code], {
    message,
    ...(hint === null ? {} : { hint }),
    ...(where === null ? {} : { where }),
  });
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
