import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TumaError } from '../domain/errors.ts';

/** They open nothing but the sandbox. */
export const SANDBOX_KEY = 'sandbox-key';
/** The secret of the sample's own sandbox; good for nothing else. */
export const SANDBOX_SECRET = 'sandbox-secret';

/** The sample's sandbox, running in a process of its own. */
export interface SampleSandbox {
  url: string;
  stop(): Promise<void>;
}

/** A killed sample's sandbox needs a moment to notice; its log is free after that. */
const TRIES = 20;
const RETRY_MS = 250;

/** Starts the sandbox as a process of its own, which ends with this one however this one ends. */
export async function startSampleSandbox(given: {
  home: string;
  truthFile: string;
  webhookUrl: string;
}): Promise<SampleSandbox> {
  const optionsFile = join(given.home, 'sandbox.json');
  const options = {
    apiKey: SANDBOX_KEY,
    apiSecret: SANDBOX_SECRET,
    truthFile: given.truthFile,
    webhookUrl: given.webhookUrl,
    startBalance: '1000.00',
    latencyMs: 40,
    reportDelayMs: { min: 500, max: 2_500 },
    oddReportRate: 0.05,
    seed: 7,
  };
  await writeFile(optionsFile, JSON.stringify(options), { mode: 0o600 });
  for (let attempt = 1; ; attempt += 1) {
    const started = await tryStart(optionsFile);
    if (started.ok) return started.sandbox;
    if (attempt === TRIES)
      throw new TumaError('internal', { message: `The sandbox did not start: ${started.words}` });
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

type Started = { ok: true; sandbox: SampleSandbox } | { ok: false; words: string };

async function tryStart(optionsFile: string): Promise<Started> {
  const script = fileURLToPath(new URL(`../sandbox/process${import.meta.url.slice(-3)}`, import.meta.url));
  const child = spawn(process.execPath, [script, optionsFile, '--until-stdin-ends'], {
    // A session of its own: Ctrl-C is for the campaign, which still wants its answers.
    detached: true,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    exited.then(() => null),
  ]);
  if (line === null) return { ok: false, words: words.trim() };
  const { url } = JSON.parse(line) as { url: string };
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  return { ok: true, sandbox: { url, stop } };
}
