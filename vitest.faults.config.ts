import { defineConfig } from 'vitest/config';

/* `npm run test:faults`: the slow half of the fault suite, minutes of kills and outages in real time. */

export default defineConfig({
  test: {
    include: ['test/**/*.slow.test.ts'],
    setupFiles: ['test/support/file-end-setup.ts'],
    // Two cores, and tests that wait for leases and outages a quarter of their time.
    maxWorkers: 3,
    globalSetup: ['test/faults/summary-setup.ts'],
    // As in vitest.config.ts, which says why.
    execArgv: ['--wasm-wrapper-tiering-budget=2147483647'],
    // Against tests that hang; the longest take some minutes.
    testTimeout: 900_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
