import { COMMANDS } from './commands.ts';
import { nameOf } from './command.ts';
import { EXIT, exitCodeOfSignal } from './exit.ts';
import { describeFailure } from './failure.ts';
import { programHelp, topicText } from './help.ts';
import { showVersion } from './commands/care/version.ts';
import type { Host } from './terminal/process-host.ts';
import { createOutput } from './terminal/output.ts';

const HELP = ['--help'];
const FLAGS_OF_ALL = ['--json', '--show-numbers'];

/** Runs one command line: prints the result or the error, and resolves to the exit code. Never rejects. */
export async function run(host: Host): Promise<number> {
  const end = host.argv.indexOf('--');
  const flags = end === -1 ? host.argv : host.argv.slice(0, end);
  const output = createOutput(host.streams, {
    json: flags.includes('--json'),
    showNumbers: flags.includes('--show-numbers'),
  });
  const argv = helpFirst(host.argv);
  if (argv === HELP) {
    output.data(programHelp());
    return EXIT.done;
  }
  const topic = topicAsked(host.argv);
  if (topic !== null) {
    output.data(topic);
    return EXIT.done;
  }
  if (asksForVersion(argv)) return showVersion(output);
  try {
    const { dispatch } = await import('./dispatch.ts');
    return await dispatch({ ...host, argv }, output);
  } catch (error) {
    if (isHelpShown(error)) return EXIT.done;
    const failure = describeFailure(error, helpFor(argv));
    output.error(output.json ? failure.json : failure.text);
    return host.signal.aborted ? exitCodeOfSignal(host.signal.reason) : failure.exitCode;
  }
}

/** The flag of the program that prints its version. */
function asksForVersion(argv: readonly string[]): boolean {
  return argv.includes('--version') && argv.every((word) => ['--version', ...FLAGS_OF_ALL].includes(word));
}

function isCommand(word: string): boolean {
  return COMMANDS.some((each) => nameOf(each) === word);
}

/** The help that lists the arguments and flags of what was typed. */
function helpFor(argv: readonly string[]): string {
  const name = argv.find((word) => !word.startsWith('-'));
  return name !== undefined && isCommand(name) ? `tuma ${name} --help` : 'tuma --help';
}

/** Commander ends a command's `--help` by throwing. */
function isHelpShown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'commander.helpDisplayed';
}

/** The page that `tuma help money` asks for; null: it asks for none, or for the help of a command. */
function topicAsked(argv: readonly string[]): string | null {
  const [first, name] = argv.filter((word) => !FLAGS_OF_ALL.includes(word));
  return first !== 'help' || name === undefined || isCommand(name) ? null : topicText(name);
}

/** `tuma help report` is `tuma report --help`, and `tuma` alone is `tuma --help`, with any common flags. */
function helpFirst(argv: readonly string[]): readonly string[] {
  if (argv.length === 0) return HELP;
  const [first, ...rest] = argv.filter((word) => !FLAGS_OF_ALL.includes(word));
  if (first === undefined) return argv;
  const isHelp = first === 'help';
  const name = isHelp ? rest.find((word) => !word.startsWith('-')) : first;
  if (name === undefined || [...HELP, '-h', 'help'].includes(name)) return HELP;
  // A word that is no command is refused, also beside --help.
  if (!name.startsWith('-') && !isCommand(name)) return [name];
  return isHelp ? [name, ...HELP] : argv;
}
