import { join } from 'node:path';
import type { RunningSandbox } from './cli/context.ts';
import type { Config } from './config.ts';
import { webhookToken } from './config-token.ts';
import { TumaError } from './domain/errors.ts';
import { SandboxError } from './sandbox/sandbox-error.ts';
import { startSandbox } from './sandbox/sandbox.ts';
import { makeFolder } from './system-folder.ts';

/** Where the sandbox listens if the port is free: the same each time, so that settings stay valid. */
const PORT = 8090;
/** They open nothing but the sandbox. */
const API_KEY = 'sandbox-key';
const API_SECRET = 'sandbox-secret';
const API_TOKEN = 'sandbox-token';
const RATE = /^(\d{1,3}(?:\.\d{1,4})?)\s*(%?)$/;

/** Starts the provider's stand-in in this process, posting its reports to this home's collector. */
export async function openSandbox(
  config: Config,
  { faults }: { faults: string | null },
): Promise<RunningSandbox> {
  const folder = join(config.home, 'sandbox');
  await makeFolder(folder);
  const truthFile = join(folder, 'truth.ndjson');
  const token = (await webhookToken(config)).reveal();
  const options = {
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    webhookUrl: `http://${config.host}:${config.port}/webhooks/${token}`,
    faults: faultsOf(faults),
  };
  const sandbox = await startOnPort(options);
  return {
    url: sandbox.url,
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    apiToken: API_TOKEN,
    truthFile,
    close: () => sandbox.stop(),
  };
}

async function startOnPort(options: Parameters<typeof startSandbox>[0]) {
  try {
    return await startSandbox({ ...options, port: PORT });
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    if (error.code === 'port_in_use') return startSandbox({ ...options, port: 0 });
    throw new TumaError('usage', {
      message: error.message,
      ...(error.hint === null ? {} : { hint: error.hint }),
      ...(error.where === null ? {} : { where: error.where }),
    });
  }
}

/** `2%` is a rate, anything else the path of a fault script. */
function faultsOf(text: string | null) {
  if (text === null) return null;
  const [, number, sign] = RATE.exec(text.trim()) ?? [];
  if (number === undefined) return { script: text };
  if (sign === '%' && Number(number) <= 100) return { rate: Number(number) / 100 };
  throw new TumaError('usage', {
    message: `"${text}" is no rate of faults.`,
    hint: 'Write a share up to 100%, such as 2%, or the path of a fault script.',
    where: '--faults',
  });
}
