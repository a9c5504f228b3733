import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes of kills in real time: `npm run test:faults`.
    exclude: [...configDefaults.exclude, 'test/**/*.slow.test.ts'],
    // Two cores, and tests that wait for clocks and processes a third of their time: more would fight their own servers for nothing.
    maxWorkers: 4,
    // The Node that strips types in many short-lived threads frees a wrapper that another thread is replacing, and dies of
    // it, about once in two hundred ledgers. Tests open hundreds; without the replacing there is nothing to free.
    execArgv: ['--wasm-wrapper-tiering-budget=2147483647'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
});
