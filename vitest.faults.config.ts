import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

/* `npm run test:faults`: minutes of kills and outages in real time, and every random case of the fuzz tests. */

const FUZZ = globSync('test/**/*.test.ts').filter((file) => readFileSync(file, 'utf8').includes('fuzzRuns('));

export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts', ...FUZZ],
    env: { FUZZ_RUNS: 'whole' },
    setupFiles: ['test/support/file-end-setup.ts'],
    // Two cores, and tests that wait for leases and outages a quarter of their time.
    maxWorkers: 3,
    globalSetup: ['test/faults/summary-setup.ts', 'test/support/postgres/run-setup.ts'],
    // As in vitest.config.ts, which says why.
    execArgv: ['--wasm-wrapper-tiering-budget=2147483647'],
    // Against tests that hang; the longest take some minutes.
    testTimeout: 900_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
