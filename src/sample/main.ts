import { describeFailure } from '../cli/failure.ts';
import { endProcess, processHost } from '../cli/terminal/process-host.ts';
import { runSample } from './run-sample.ts';
import { samplePlace } from './sample-settings.ts';

/* `npm start`. */

/** Ctrl-C reaches this process twice: from the terminal and from npm. */
const NPM_ECHO_MS = 1_000;

try {
  const place = samplePlace(process.argv.slice(2));
  await endProcess(await runSample(processHost({ echoMs: NPM_ECHO_MS }), place));
} catch (error) {
  const { text, exitCode } = describeFailure(error);
  process.stderr.write(`${text}\n`);
  await endProcess(exitCode);
}
