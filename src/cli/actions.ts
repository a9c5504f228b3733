import { maskText } from '../domain/text/mask.ts';
import { printable } from '../domain/text/printable.ts';
import { TumaError } from '../domain/errors.ts';
import type { CommandModule } from './command.ts';
import { camelCase } from './arguments/setting-flags.ts';

/** One thing that a command with several (`tuma optouts add`) can do. */
export interface Action {
  /**
   * The ways to call it, as a person types them after the command: `void --shape N [--yes]`. Nothing that is not in one of them
   * is taken: a person who writes `remove NUMBER --sender X` must not read "done" when --sender was never looked at.
   */
  ways: readonly string[];
  /** Said with the right way, where a flag is easily taken for what it is not. */
  beside?: string;
  run: CommandModule['run'];
}

/** Runs the action that the first argument names. Throws `usage` for a flag or an argument that it has no use for. */
export function oneOf(command: string, actions: Readonly<Record<string, Action>>): CommandModule['run'] {
  const flags = new Set(Object.values(actions).flatMap(({ ways }) => ways.flatMap(flagsOf)));
  return async (context, call) => {
    const name = call.args[0] ?? '';
    const action = actions[name] as Action;
    const given = {
      words: call.args.slice(1).filter((word) => word !== undefined),
      flags: [...flags].filter((flag) => call.flags[camelCase(flag.slice(2))] !== undefined),
    };
    refuseUnused({ ...action, called: `${command} ${name}`, command }, given);
    return action.run(context, call);
  };
}

interface Given {
  words: readonly string[];
  flags: readonly string[];
}

function refuseUnused(action: Action & { called: string; command: string }, given: Given): void {
  const { ways, called } = action;
  if (ways.some((way) => takes(way, given))) return;
  const flag = given.flags.find((each) => !ways.some((way) => flagsOf(way).includes(each)));
  if (flag !== undefined) throw unused(action, { message: `tuma ${called} takes no ${flag}.`, where: flag });
  const most = Math.max(...ways.map(wordsOf));
  const shown = given.words.map((word) => `"${maskText(printable(word))}"`);
  if (given.words.length > most)
    throw unused(action, { message: `tuma ${called} has no use for ${shown.slice(most).join(' ')}.` });
  const all = [...shown, ...given.flags];
  throw unused(action, { message: `tuma ${called} does not take these together: ${all.join(', ')}.` });
}

function unused(
  { ways, beside, command }: Action & { command: string },
  about: { message: string; where?: string },
): TumaError {
  const right = `It is: ${ways.map((way) => `tuma ${command} ${way}`).join(', or: ')}`;
  return new TumaError('usage', { ...about, hint: beside === undefined ? right : `${right}. ${beside}` });
}

function takes(way: string, { words, flags }: Given): boolean {
  return words.length <= wordsOf(way) && flags.every((flag) => flagsOf(way).includes(flag));
}

function flagsOf(way: string): string[] {
  return way.match(/--[a-z-]+/g) ?? [];
}

/** The arguments stand before the flags. */
function wordsOf(way: string): number {
  const [before = ''] = way.split('--');
  return (before.match(/[A-Z]+/g) ?? []).length;
}
