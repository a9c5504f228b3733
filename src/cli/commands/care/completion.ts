import { Command } from 'commander';
import { ledgerThere } from '../../../config/ledger-there.ts';
import { TumaError } from '../../../domain/errors.ts';
import { type CommandEntry, type CommandModule, nameOf } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';

/* The shell asks `tuma completion words -- WORDS…` for the words that may come next; no answer means: a file. */

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_tuma() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(tuma completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tuma tuma`,
  zsh: `#compdef tuma
_tuma() {
  local -a found
  found=("\${(@f)$(tuma completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _tuma tuma`,
  fish: `function __tuma
  set -l typed (commandline -opc) (commandline -ct)
  tuma completion words -- $typed[2..] 2>/dev/null
end
complete -c tuma -a '(__tuma)'`,
};

const HOW: Readonly<Record<string, string>> = {
  bash: '# Put this into ~/.bashrc:  eval "$(tuma completion bash)"',
  zsh: '# Put this into ~/.zshrc, after compinit:  eval "$(tuma completion zsh)"',
  fish: '# Run once:  tuma completion fish > ~/.config/fish/completions/tuma.fish',
};

/** `tuma completion bash|zsh|fish` prints a script for the shell. `commands`: all of the program, which hold this one, too. */
export const completionOf = (commands: () => readonly CommandEntry[]): CommandModule => ({
  declare: (command) =>
    void command.argument('<shell>', 'bash, zsh or fish').argument('[words...]', 'what was typed so far'),
  async run(context, { args }) {
    const [shell = '', words] = args as [string | undefined, readonly string[] | undefined];
    if (shell === 'words') {
      context.output.data(`${(await nextWords(context, commands(), words ?? [])).join('\n')}\n`);
      return EXIT.done;
    }
    const script = SCRIPTS[shell];
    if (script === undefined)
      throw new TumaError('usage', {
        message: `"${shell}" is no shell that Tuma knows; write bash, zsh or fish.`,
        where: 'shell',
      });
    context.output.data(`${HOW[shell]}\n${script}\n`);
    return EXIT.done;
  },
});

/** The words that may stand in place of the last one. */
async function nextWords(
  context: Context,
  commands: readonly CommandEntry[],
  typed: readonly string[],
): Promise<string[]> {
  const [name, ...rest] = typed;
  if (name === undefined || rest.length === 0) return commands.map(nameOf);
  const entry = commands.find((each) => nameOf(each) === name);
  if (entry === undefined) return [];
  const { command } = await entry.load();
  if (!('actions' in command))
    return wordsOf(context, { command, last: rest.at(-1) ?? '', position: rest.length - 1 });
  const action = command.actions[rest[0] ?? ''];
  if (action === undefined || rest.length === 1) return Object.keys(command.actions);
  return wordsOf(context, { command: action, last: rest.at(-1) ?? '', position: rest.length - 2 });
}

async function wordsOf(
  context: Context,
  { command, last, position }: { command: CommandModule; last: string; position: number },
): Promise<string[]> {
  const parser = new Command();
  command.declare(parser);
  if (last.startsWith('-')) return parser.options.map(({ long }) => long ?? '');
  if (parser.registeredArguments[position]?.name() !== 'campaign' || !ledgerThere(context.config)) return [];
  const campaigns = await (await context.reader()).campaigns();
  return [...new Set(campaigns.map(({ campaign }) => campaign.name))];
}
