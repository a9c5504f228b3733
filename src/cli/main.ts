import { boundStop, endProcess, processHost } from './process-host.ts';
import { run } from './run.ts';

/* The process of `tuma`. Everything else is in run.ts, which knows no process. */

const host = processHost();
const exitCode = await run({
  argv: process.argv.slice(2),
  ...host,
  loadServices: async () => (await import('../runtime.ts')).openServices,
  loadConfig: async () => {
    const { readConfig } = await import('../config.ts');
    return (flags) => {
      const config = readConfig(flags);
      boundStop(host.signal, config.deadlineMs);
      return config;
    };
  },
});
await endProcess(exitCode);
