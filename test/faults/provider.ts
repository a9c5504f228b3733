import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type Sandbox, type SandboxStats, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Truth, readTruth } from '../../src/sandbox/truth/truth.ts';
import { COMPILE_CACHE, startNode, type TestProcess } from '../support/processes.ts';
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts';

export const API_KEY = 'faults-key';
export const API_SECRET = 'faults-secret';

/** The sandbox, which survives the kills of the stage's processes. */
export interface Provider {
  url: string;
  truthFile: string;
  /** Starts it (again), at the same port, on the same truth. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Only of a process of its own. */
  signal(signal: NodeJS.Signals): void;
  stats(): Promise<SandboxStats>;
  /** Resolves when it has accepted so many messages in all. */
  accepted(count: number, timeoutMs?: number): Promise<SandboxStats>;
  topUp(amount: string): Promise<void>;
  truth(): Promise<Truth>;
}

/** Starts a sandbox on that port, with its files in `directory`; in the test's process (`here`), or in one of its own. */
export async function startProvider(setup: {
  directory: string;
  port: number;
  webhookUrl: string;
  options: Partial<SandboxOptions>;
  here: boolean;
}): Promise<Provider> {
  const { directory, port, webhookUrl } = setup;
  const url = `http://127.0.0.1:${port}`;
  const truthFile = join(directory, 'truth.ndjson');
  const options = {
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
    ...setup.options,
  };
  const running = setup.here ? inThisProcess(options) : inOwnProcess(directory, options);
  const stats = async () => (await (await fetch(`${url}/sandbox/state`)).json()) as SandboxStats;
  await running.start();
  return {
    url,
    truthFile,
    ...running,
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
}

type Running = Pick<Provider, 'start' | 'kill' | 'signal'>;

function inThisProcess(options: SandboxOptions): Running {
  let sandbox: Sandbox | null = null;
  return {
    async start() {
      sandbox = await startSandbox(options);
    },
    kill: async () => sandbox?.stop(),
    signal: () => {
      throw new Error('a sandbox in this process takes no signal');
    },
  };
}

function inOwnProcess(directory: string, options: SandboxOptions): Running {
  const file = join(directory, 'sandbox.json');
  writeFileSync(file, JSON.stringify(options), { mode: 0o600 });
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE };
  let child: TestProcess | null = null;
  return {
    async start() {
      child = startNode('test/sandbox/sandbox-process.ts', [file], { env });
      await child.printed(/"url"/);
    },
    kill: async () => child?.stop('SIGKILL'),
    signal: (signal) => void process.kill(child?.pid ?? 0, signal),
  };
}
