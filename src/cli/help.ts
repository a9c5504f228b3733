import { existsSync, readFileSync } from 'node:fs';
import { COMMAND_GROUPS, COMMANDS } from './commands.ts';
import { EXIT_CODES_HELP } from './exit.ts';

const INDENT = '  ';

/** The text of `tuma --help`, written here because the parser takes as long to load as Node to start. */
export function programHelp(): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length)) + 2;
  const sections = COMMAND_GROUPS.map(({ heading, commands }) =>
    [heading, ...commands.map(({ usage, summary }) => INDENT + usage.padEnd(width) + summary)].join('\n'),
  );
  return `${[TITLE, ...sections, FLAGS, EXIT_CODES_HELP, MORE].join('\n\n')}\n`;
}

const TITLE = `Tuma sends bulk SMS campaigns from a CSV: it loses nothing, sends nothing twice, and tells the truth about the cost.

Usage: tuma COMMAND [--json] [--show-numbers]`;

const FLAGS = `Flags of every command:
  --json          one JSON document on stdout; errors as one line of JSON on stderr
  --show-numbers  phone numbers in full instead of 2547****5678
  --help          what the command takes; without a command: this page
  --version       which Tuma this is (without a command)

CAMPAIGN is an id, a unique prefix of one, or a name (then its latest).`;

const MORE = `Settings come from flags (--home DIR), the environment (TUMA_HOME), .env and tuma.yaml: docs/configuration.md
Pages: tuma help daily-work, install, jobs, reminders, money, pauses, exit-codes …`;

/** A page of docs/ by its name, such as `money`, or the exit codes; null: there is no such page. */
export function topicText(name: string): string | null {
  if (name === 'exit-codes') return `${EXIT_CODES_HELP}\n`;
  const page = new URL(`../../docs/${name}.md`, import.meta.url);
  return /^[a-z-]+$/.test(name) && existsSync(page) ? readFileSync(page, 'utf8') : null;
}
