import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { KEY, SECRET } from './wire.ts';

const running: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()));
});

export type Started = Sandbox & { truthFile: string };

export function newTruthFile(): string {
  return join(makeTempDir(), 'truth.ndjson');
}

/** Starts a sandbox in this process; it is stopped after the test. */
export async function start(options: Partial<SandboxOptions> = {}): Promise<Started> {
  const truthFile = options.truthFile ?? newTruthFile();
  const sandbox = await startSandbox({ apiKey: KEY, apiSecret: SECRET, truthFile, ...options });
  running.push(sandbox);
  return Object.assign(sandbox, { truthFile });
}

/** Writes a fault script; returns its path. */
export function script(text: string): string {
  const file = join(makeTempDir(), 'faults.yaml');
  writeFileSync(file, text);
  return file;
}
