import { configDefaults, defineConfig } from 'vitest/config';

/** Minutes of kills in real time: `npm run test:faults`. */
const SLOW = 'test/**/*.slow.test.ts';
/** Files that share a process: to start one for each takes longer than most of them. */
const SHARED = [
  'test/{bench,campaign,cli,collector,config,contacts,dashboard,domain,ledger,notify,provider,queue}/**/*.test.ts',
  'test/{e2e,reports,runtime,sample,sandbox,scenarios,system}/**/*.test.ts',
  'test/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARED,
          exclude: [...configDefaults.exclude, SLOW],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW, ...SHARED],
        },
      },
    ],
    setupFiles: ['test/support/file-end-setup.ts'],
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
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});
