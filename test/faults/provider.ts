import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import type { SandboxStats } from '../../src/sandbox/sandbox.ts';
import { type Truth, readTruth } from '../../src/sandbox/truth/truth.ts';
import { startNode, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';

/** Much longer than it takes, for the machine may be busy. */
export const PATIENCE_MS = 40_000;
export const API_KEY = 'faults-key';
export const API_SECRET = 'faults-secret';

/** The sandbox as a process that survives every kill but its own. */
export interface ProviderProcess {
  url: string;
  truthFile: string;
  /** Starts it (again), at the same port, on the same truth. */
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  stats(): Promise<SandboxStats>;
  /** Resolves when it has accepted so many messages in all. */
  accepted(count: number, timeoutMs?: number): Promise<SandboxStats>;
  topUp(amount: string): Promise<void>;
  truth(): Promise<Truth>;
}

/** Starts a sandbox on that port, with its files in `directory`. */
export async function startProvider(setup: {
  directory: string;
  port: number;
  webhookUrl: string;
  options: Partial<SandboxOptions>;
}): Promise<ProviderProcess> {
  const { directory, port, webhookUrl, options } = setup;
  const url = `http://127.0.0.1:${port}`;
  const [optionsFile, truthFile] = [join(directory, 'sandbox.json'), join(directory, 'truth.ndjson')];
  const all = {
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    port,
    webhookUrl,
    truthFile,
    seed: 5,
    startBalance: '10000000.00',
    latencyMs: 50,
    reportDelayMs: { min: 20, max: 200 },
    reportRetryMs: 100,
    ...options,
  };
  writeFileSync(optionsFile, JSON.stringify(all), { mode: 0o600 });
  let child: TestProcess | null = null;
  const stats = async () => (await (await fetch(`${url}/sandbox/state`)).json()) as SandboxStats;
  const provider: ProviderProcess = {
    url,
    truthFile,
    async start() {
      child = startNode('test/sandbox/sandbox-process.ts', [optionsFile], { env: {} });
      await child.printed(/"url"/, PATIENCE_MS);
    },
    kill: async () => child?.stop('SIGKILL'),
    signal: (signal) => void process.kill(child?.pid ?? 0, signal),
    stats,
    accepted: (count, timeoutMs = PATIENCE_MS) =>
      waitFor(
        async () => {
          const now = await stats();
          return now.accepted >= count ? now : null;
        },
        { timeoutMs, what: `${count} accepted messages` },
      ),
    async topUp(amount) {
      await fetch(`${url}/sandbox/topup`, { method: 'POST', body: JSON.stringify({ amount }) });
    },
    truth: () => readTruth(truthFile),
  };
  await provider.start();
  return provider;
}
