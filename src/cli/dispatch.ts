import { userInfo } from 'node:os';
import { Command } from 'commander';
import type { Config } from '../config/config.ts';
import type { Secret } from '../config/secret.ts';
import { TumaError } from '../domain/errors.ts';
import { addSettingFlags, settingsFrom } from './arguments/setting-flags.ts';
import type { Call, CommandModule } from './command.ts';
import { COMMANDS } from './commands.ts';
import { nameOf } from './command.ts';
import type { Context } from './context.ts';
import type { Host } from './terminal/process-host.ts';
import type { Output } from './terminal/output.ts';

/** How long a command that was interrupted may take to put its things away. */
const TIDY_MS = 1_000;

/** Parses the command line, loads the command that it names, runs it and resolves to its exit code. */
export async function dispatch(host: Host, output: Output): Promise<number> {
  const result = { exitCode: 0 };
  const program = createProgram(output);
  program.hook('preSubcommand', async (_program, subcommand) => {
    const entry = COMMANDS.find((each) => nameOf(each) === subcommand.name());
    if (entry === undefined) return;
    const { command } = await entry.load();
    const prepared = { host, output, result };
    if (!('actions' in command)) return prepare(subcommand, command, { ...prepared, refuses: [] });
    subcommand.helpCommand(false);
    for (const [name, action] of Object.entries(command.actions))
      prepare(subcommand.command(name).description(action.summary), action, {
        ...prepared,
        refuses: command.refuses ?? [],
      });
  });
  await program.parseAsync(host.argv, { from: 'user' });
  return result.exitCode;
}

function createProgram(output: Output): Command {
  const program = new Command('tuma')
    .description(
      'Bulk SMS campaigns from a CSV: loses nothing, sends nothing twice, tells the truth about the cost.',
    )
    .option('--json', 'one JSON document on stdout; errors as JSON on stderr')
    .option('--show-numbers', 'show phone numbers in full instead of 2547****5678')
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => output.data(text), writeErr: () => {} });
  for (const entry of COMMANDS) {
    const { summary, examples } = entry;
    program
      .command(nameOf(entry))
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  }
  return program;
}

interface Prepared {
  host: Host;
  output: Output;
  result: { exitCode: number };
  /** Flags of settings that the command does not take. */
  refuses: readonly string[];
}

function prepare(parser: Command, command: CommandModule, { host, output, result, refuses }: Prepared): void {
  command.declare(parser);
  const own = new Set(parser.options.map(({ long }) => long ?? ''));
  addSettingFlags(parser, refuses);
  parser.action(async () => {
    const call: Call = { args: parser.processedArgs as string[], flags: parser.opts() };
    const settings = settingsFrom(parser, own);
    result.exitCode = await runCommand({ command, host, output, call, settings });
  });
}

interface Running {
  command: CommandModule;
  host: Host;
  output: Output;
  call: Call;
  settings: Record<string, string>;
}

async function runCommand(running: Running): Promise<number> {
  const { command, host, output, settings } = running;
  const readConfig = await host.loadConfig();
  let config: Config;
  try {
    config = readConfig(settings);
  } catch (error) {
    if (command.withoutSettings === undefined) throw error;
    return command.withoutSettings(output, error);
  }
  return runWith(config, running);
}

async function runWith(config: Config, { command, host, output, call }: Running): Promise<number> {
  host.boundStop?.(config.deadlineMs);
  const { createLog } = await import('../system/log.ts');
  const ownStderr = host.streams.stderr === process.stderr && !output.liveProgress;
  const log = createLog({
    level: command.logLevel ?? 'warn',
    pretty: output.liveProgress,
    ...(ownStderr ? {} : { write: (line: string) => output.logLine(line) }),
    secrets: secretsOf(config),
  });
  const services = await (await host.loadServices())(config, log);
  try {
    const { stdin } = host.streams;
    const context: Context = { ...services, output, stdin, actor: actor(), signal: host.signal };
    const work = command.run(context, call);
    return await (command.stopsItself === true ? work : unlessInterrupted(work, host.signal));
  } finally {
    // A request that is still out must not hold up somebody who pressed Ctrl-C.
    if (host.signal.aborted) await within(TIDY_MS, services.dispose());
    else await services.dispose();
    log.flush();
  }
}

function actor(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    // A container that runs under a bare number has no name for its user.
    return 'operator';
  }
}

/** The ledger is never half-written, so a short command may be cut; it gets only a moment to clean up. */
async function unlessInterrupted(work: Promise<number>, signal: AbortSignal): Promise<number> {
  const { promise: left, resolve: leave } = Promise.withResolvers<null>();
  const stop = () => void within(TIDY_MS, work).then(() => leave(null));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await Promise.race([work, left]);
    if (exitCode !== null) return exitCode;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  throw new TumaError('interrupted', {
    message: `Stopped by ${String(signal.reason)}.`,
    hint: 'The state is kept; run the same command again.',
  });
}

/** Resolves when `work` has settled, either way, or when the time is up. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work.catch(() => {}), timeUp]);
  clearTimeout(timer);
}

/** The secrets that no line of the log may hold. */
function secretsOf(config: Config): (Secret | null)[] {
  const { apiKey, apiSecret, apiToken, redisUrl, dashboardToken, webhookToken, webhookTokenOld } = config;
  const { alertUrl, alertSecret, smtpUrl } = config;
  const ofPages = [dashboardToken, webhookToken, webhookTokenOld];
  return [apiKey, apiSecret, apiToken, redisUrl, ...ofPages, alertUrl, alertSecret, smtpUrl];
}
