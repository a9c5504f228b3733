import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TumaError } from '../domain/errors.ts';
import { sandboxFailure } from '../runtime/sandbox.ts';
import type { SandboxError } from '../sandbox/sandbox-error.ts';

/** They open nothing but the sandbox. */
export const SANDBOX_KEY = 'sandbox-key';
/** The secret of the sample's own sandbox; good for nothing else. */
export const SANDBOX_SECRET = 'sandbox-secret';

/** The sample's sandbox, running in a process of its own. */
export interface SampleSandbox {
  url: string;
  /** Resolves (never rejects) with why when it ended before it was asked to. */
  closed: Promise<TumaError>;
  stop(): Promise<void>;
}

/** A killed sample's sandbox needs a moment to notice; its log is free after that. */
const TRIES = 20;
const RETRY_MS = 250;

/**
 * Starts the sandbox as a process of its own, which ends with this one however this one ends. Throws what keeps it from
 * starting (`truth_invalid`, `file_unwritable` …).
 */
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
    // A session of its own: Ctrl-C is for the campaign, which still wants its answers.
    detached: true,
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  // Not at its exit: its last words may still be on their way then.
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

/** What it said in its last line; one that was killed says nothing. */
function failureOf(words: string): TumaError {
  const last = words.trim().split('\n').at(-1) ?? '';
  if (last.startsWith('{"error":')) {
    const { error } = JSON.parse(last) as { error: SandboxError | { code: 'internal' } };
    if (error.code !== 'internal') return sandboxFailure(error);
  }
  return new TumaError('internal', { message: `The sandbox ended: ${words.trim() || 'it was killed'}` });
}
