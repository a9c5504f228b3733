import { describeFailure } from '../cli/failure.ts';
import { endProcess, processHost } from '../cli/process-host.ts';
import { runSample } from './run-sample.ts';

/* `npm start`. */

try {
  await endProcess(await runSample(processHost()));
} catch (error) {
  const { text, exitCode } = describeFailure(error);
  process.stderr.write(`${text}\n`);
  await endProcess(exitCode);
}
