import { readFileSync } from 'node:fs';
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { SandboxError } from '../../src/sandbox/sandbox-error.ts';

/*
 * The sandbox as its own process: `node test/sandbox/sandbox-process.ts OPTIONS.json`. The options stand in a file (mode 0600)
 * because they hold credentials. A ready sandbox prints {"url","port"} on one line. A failure prints one line of JSON on
 * stderr and exits with 1. SIGTERM and SIGINT stop it in order; SIGKILL loses no answered message.
 */

try {
  await run(process.argv[2]);
} catch (failure) {
  fail(failure);
}

async function run(file: string | undefined): Promise<void> {
  if (file === undefined)
    throw new SandboxError('options_invalid', { message: 'Name a file with the options.' });
  const sandbox = await startSandbox(JSON.parse(readFileSync(file, 'utf8')) as SandboxOptions);
  void sandbox.failed.then(fail);
  stopOnSignals(sandbox);
  process.stdout.write(`${JSON.stringify({ url: sandbox.url, port: sandbox.port })}\n`);
}

function stopOnSignals(sandbox: Sandbox): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      void sandbox.stop().then(() => process.exit(0));
    });
  }
}

function fail(failure: unknown): never {
  const message = failure instanceof Error ? failure.message : String(failure);
  const { code, where, hint } =
    failure instanceof SandboxError ? failure : { code: 'internal', where: null, hint: null };
  process.stderr.write(`${JSON.stringify({ error: { code, message, where, hint } })}\n`);
  process.exit(1);
}
