import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Minutes of kills in real time: `npm run test:faults`.
    exclude: [...configDefaults.exclude, 'test/**/*.slow.test.ts'],
    // Two cores: more workers would only fight the servers that the tests start.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: ['default'],
  },
});
