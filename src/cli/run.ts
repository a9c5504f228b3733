import type { Config } from '../config.ts';
import { COMMANDS } from './commands.ts';
import type { OpenServices } from './context.ts';
import { EXIT, exitCodeOfSignal } from './exit.ts';
import { describeFailure } from './failure.ts';
import { programHelp } from './help.ts';
import { createOutput, type Streams } from './output.ts';

/** What the process gives to the command line; tests give their own. */
export interface Host {
  /** Without node and the script. */
  argv: readonly string[];
  streams: Streams;
  /** Aborted by the first signal that asks to stop; its name is the reason. */
  signal: AbortSignal;
  /** Told the longest wait for an answer: bounds how long this process may take to stop. */
  boundStop?: (deadlineMs: number) => void;
  /** Loads `openServices` of runtime.ts when a command needs it. */
  loadServices: () => Promise<OpenServices>;
  /** Reads the settings of this process. */
  loadConfig: () => Promise<(flags: Record<string, string>) => Config>;
}

/** Runs one command line to its end: prints the answer or the error, and resolves to the exit code. Never rejects. */
export async function run(host: Host): Promise<number> {
  const end = host.argv.indexOf('--');
  const flags = end === -1 ? host.argv : host.argv.slice(0, end);
  const output = createOutput(host.streams, {
    json: flags.includes('--json'),
    showNumbers: flags.includes('--show-numbers'),
  });
  const argv = helpFirst(host.argv);
  if (argv[0] === '--help' || argv[0] === '-h') {
    output.data(programHelp(COMMANDS));
    return EXIT.done;
  }
  try {
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch({ ...host, argv }, output);
  } catch (error) {
    if (isHelpShown(error)) return EXIT.done;
    const failure = describeFailure(error);
    output.error(output.json ? failure.json : failure.text);
    return host.signal.aborted ? exitCodeOfSignal(host.signal.reason) : failure.exitCode;
  }
}

/** Commander ends a command's `--help` by throwing. */
function isHelpShown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'commander.helpDisplayed';
}

/** `tuma help report` is `tuma report --help`, and `tuma` alone is `tuma --help`. */
function helpFirst(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return ['--help'];
  if (argv[0] !== 'help') return argv;
  return argv[1] === undefined ? ['--help'] : [argv[1], '--help'];
}
