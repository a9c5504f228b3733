import { defineConfig } from 'vitest/config';

/* `npm run soak`, which starts one of these files: test/faults/soak-process.ts. */

export default defineConfig({
  test: {
    include: ['test/faults/soak-run.ts', 'test/faults/soak-move-run.ts'],
    setupFiles: ['test/support/file-end-setup.ts'],
    hookTimeout: 120_000,
    maxWorkers: 1,
    maxConcurrency: 5,
    reporters: ['default'],
  },
});
