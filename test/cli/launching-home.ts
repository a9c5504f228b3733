import { join } from 'node:path';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeTempDir } from '../support/temp-home.ts';

const KEY = { apiKey: 'launching-key', apiSecret: 'launching-secret' };

/** A home whose campaigns can be planned and launched: its account at a sandbox holds 10,000.00, and a price is known. */
export interface LaunchingHome {
  home: string;
  /** The settings, as the environment would have them. */
  env: Record<string, string>;
  /** Stops the sandbox. */
  close(): Promise<void>;
}

/** Opens a home with a sandbox of its own. */
export async function openLaunchingHome(): Promise<LaunchingHome> {
  const truthFile = join(makeTempDir(), 'truth.ndjson');
  const sandbox = await startSandbox({ ...KEY, clientId: 'acc', truthFile, startBalance: '10000.00' });
  const home = makeTempDir();
  const env = {
    TUMA_HOME: home,
    XDG_STATE_HOME: home,
    TUMA_MESSAGING_URL: sandbox.url,
    TUMA_API_KEY: KEY.apiKey,
    TUMA_API_SECRET: KEY.apiSecret,
    TUMA_PRICE: '0.80',
  };
  return { home, env, close: () => sandbox.stop() };
}
