import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];

// Registered when the file is imported, so it runs after every other afterAll of the test file.
afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** Makes an empty directory of its own, mode 0700; it is removed when the test file is done. Returns its path. */
export function makeTempDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'tuma-test-'));
  made.push(path);
  return path;
}
