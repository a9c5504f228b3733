import { configDefaults, defineConfig } from 'vitest/config';

/** `npm run test:e2e`: whatever starts the program in a process of its own. */
const E2E = 'test/{e2e,faults}/**/*.test.ts';
/** Minutes of kills in real time: `npm run test:faults`. */
const SLOW = 'test/**/*.slow.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, E2E, SLOW],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: [E2E], exclude: [...configDefaults.exclude, SLOW] },
      },
    ],
    setupFiles: ['test/support/file-end-setup.ts'],
    globalSetup: ['test/support/postgres/run-setup.ts'],
    // Files share a process: to start one for each takes longer than most of them.
    isolate: false,
    // Two cores, and tests that wait for clocks and processes a third of their time: with a fourth they take longer.
    maxWorkers: 3,
    // The Node that strips types in many short-lived threads frees a wrapper that another thread is replacing, and dies of
    // it, about once in two hundred ledgers. Tests open hundreds; without the replacing there is nothing to free. The other two:
    // a heap that need not grow first collects less garbage, which is a tenth of the processor's time of a test file.
    execArgv: [
      '--wasm-wrapper-tiering-budget=2147483647',
      '--min-semi-space-size=16',
      '--initial-heap-size=256',
    ],
    // Against tests that hang: a busy machine takes several times longer than a quiet one.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
