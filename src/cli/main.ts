import { endProcess, processHost } from './terminal/process-host.ts';
import { run } from './run.ts';

/* The process of `tuma`. Everything else is in run.ts, which knows no process. */

const exitCode = await run({
  argv: process.argv.slice(2),
  ...processHost(),
  loadServices: async () => (await import('../runtime/services.ts')).openServices,
  loadConfig: async () => (await import('../config/config.ts')).readConfig,
});
await endProcess(exitCode);
