import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import { type ServerOfRun, SERVER_OF_RUN, endServerOfRun, serverOfRun } from './run.ts';

/**
 * Runs in the process that runs all tests: the first test that asks has the server started, and all get the same. It ends with
 * the run.
 */
export default function setup(): (() => Promise<void>) | undefined {
  // Each project of vitest.config.ts sets up; one of them is enough.
  if (process.env[SERVER_OF_RUN] !== undefined) return undefined;
  const folder = mkdtempSync('/tmp/tuma-run-');
  const path = join(folder, 'postgres');
  process.env[SERVER_OF_RUN] = path;
  let asked: Promise<ServerOfRun> | undefined;
  const door = createServer((socket) => {
    asked ??= serverOfRun().catch((error): ServerOfRun => ({ url: null, reason: String(error) }));
    void asked.then((server) => socket.end(JSON.stringify(server)));
  });
  door.listen(path);
  return async () => {
    door.close();
    await asked;
    await endServerOfRun();
    rmSync(folder, { recursive: true, force: true });
  };
}
