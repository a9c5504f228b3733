import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { Output } from './terminal/output.ts';

/** A command's call: its arguments in order, and its flags with commander's names (camelCase). */
export interface Call {
  args: readonly (string | undefined)[];
  flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** A command, or one action of a group. */
export interface CommandModule {
  /** Declares the arguments and flags. */
  declare(command: Command): void;
  /** Does it, and resolves to the exit code. Throws TumaError for what a person must act on. */
  run(context: Context, call: Call): Promise<number>;
  /** The part that works without readable settings; left out: the settings' error ends the command. */
  withoutSettings?(output: Output, error: unknown): number;
  /** Long-running commands stop themselves when `context.signal` is aborted; others are left at once. */
  stopsItself?: true;
  /** The log level: `warn` unless the command runs the engine. */
  logLevel?: 'info' | 'warn';
}

/** A command with several actions, such as `tuma optouts add`, each with its own arguments and flags. */
export interface CommandGroup {
  /** Flags of settings that no action takes, because a person would mean something else by them. */
  refuses?: readonly string[];
  actions: Readonly<Record<string, CommandModule & { summary: string }>>;
}

/** A command's line in the help, and where its file is. */
export interface CommandEntry {
  /** Its name and its arguments, as the help of the program shows them. */
  usage: string;
  /** A few words about the command, in the help. */
  summary: string;
  /** Command lines that a person may copy. */
  examples: readonly string[];
  /** Loaded only when it is called, so that `tuma --help` starts fast. */
  load(): Promise<{ command: CommandModule | CommandGroup }>;
}

/** The name of a command, which its usage begins with. */
export function nameOf({ usage }: Pick<CommandEntry, 'usage'>): string {
  return usage.split(' ', 1)[0] ?? '';
}
