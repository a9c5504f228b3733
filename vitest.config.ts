import { configDefaults, defineConfig } from 'vitest/config';

/** Minutes of kills in real time: `npm run test:faults`. */
const SLOW = 'test/**/*.slow.test.ts';
/** Nothing is left behind in a process by these: to start one for each file takes longer than most of them. */
const PURE = [
  'test/{bench,contacts,domain,provider,reports}/**/*.test.ts',
  'test/campaign/{jobs,planning,launch,sending,operator,inbound,maintenance}/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: PURE,
          exclude: [...configDefaults.exclude, SLOW],
          isolate: false,
          setupFiles: ['test/support/temp-home-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW, ...PURE],
        },
      },
    ],
    // Two cores, and tests that wait for clocks and processes a third of their time: more would fight their own servers for nothing.
    maxWorkers: 4,
    // The Node that strips types in many short-lived threads frees a wrapper that another thread is replacing, and dies of
    // it, about once in two hundred ledgers. Tests open hundreds; without the replacing there is nothing to free. The other two:
    // a heap that need not grow first collects less garbage, which is a tenth of the processor's time of a test file.
    execArgv: [
      '--wasm-wrapper-tiering-budget=2147483647',
      '--min-semi-space-size=16',
      '--initial-heap-size=256',
    ],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
});
