import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TumaError } from '../domain/errors.ts';
import { sandboxFailure } from '../runtime/sandbox.ts';
import type { SandboxError } from '../sandbox/sandbox-error.ts';

/** The key of the sample's own sandbox, without any other use. */
export const SANDBOX_KEY = 'sandbox-key';
/** The secret of the sample's own sandbox, without any other use. */
export const SANDBOX_SECRET = 'sandbox-secret';

/** The sample's sandbox, running in a process of its own. */
export interface SampleSandbox {
  url: string;
  /** Resolves (never rejects) with the reason of an unexpected end. */
  closed: Promise<TumaError>;
  stop(): Promise<void>;
}

/** The sandbox of a killed sample needs a moment to end and release its log. */
const TRIES = 20;
const RETRY_MS = 250;

/** Starts the sandbox as its own process, which always ends with this one. Throws the reason of a failed start. */
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
    if (attempt === TRIES || started.failure.code !== 'truth_in_use') throw started.failure;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

type Started = { ok: true; sandbox: SampleSandbox } | { ok: false; failure: TumaError };

async function tryStart(optionsFile: string): Promise<Started> {
  const script = fileURLToPath(new URL(`../sandbox/process${import.meta.url.slice(-3)}`, import.meta.url));
  const child = spawn(process.execPath, [script, optionsFile, '--until-stdin-ends'], {
    // Ctrl-C must not reach the sandbox, because the stopping campaign still needs its answers.
    detached: true,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  // The `exit` event is too early, because output may still arrive after it.
  const ended = once(child, 'close');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => String(text)),
    ended.then(() => null),
  ]);
  if (line === null) return { ok: false, failure: failureOf(words) };
  const { url } = JSON.parse(line) as { url: string };
  const closed = Promise.withResolvers<TumaError>();
  const tell = () => closed.resolve(failureOf(words));
  child.once('close', tell);
  const stop = async () => {
    child.off('close', tell);
    child.stdin.end();
    await ended;
  };
  return { ok: true, sandbox: { url, closed: closed.promise, stop } };
}

/** The failure in the last line of its output; a killed sandbox writes none. */
function failureOf(words: string): TumaError {
  const last = words.trim().split('\n').at(-1) ?? '';
  if (last.startsWith('{"error":')) {
    const { error } = JSON.parse(last) as { error: SandboxError | { code: 'internal' } };
    if (error.code !== 'internal') return sandboxFailure(error);
  }
  return new TumaError('internal', { message: `The sandbox ended: ${words.trim() || 'it was killed'}` });
}
