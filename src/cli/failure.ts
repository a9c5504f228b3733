import { TumaError } from '../domain/errors.ts';
import { maskText } from '../domain/text/mask.ts';
import { hintOf } from './text/advice-text.ts';

/** An error as the caller sees it: docs/errors.md. */
export interface Failure {
  exitCode: number;
  /** One line: `{"error":{"code","message","hint","where"}}`. */
  json: string;
  /** A few lines for people; the advice comes last. */
  text: string;
}

/** Turns an error into words and an exit code. Other errors than TumaError are bugs. `help`: the command. */
export function describeFailure(thrown: unknown, help = 'tuma --help'): Failure {
  const error = asTumaError(thrown, help);
  const { code, message, where } = error;
  const hint = hintOf(error);
  const at = where === null || message.includes(where) ? [] : [`  at ${where}`];
  const advice = hint === null ? [] : [`  ${hint}`];
  const trace = code === 'internal' ? [traceOf(thrown)] : [];
  return {
    exitCode: error.exitCode,
    json: JSON.stringify({ error: { code, message, hint, where } }),
    text: [...trace, `error: ${message}`, ...at, ...advice].join('\n'),
  };
}

function asTumaError(thrown: unknown, help: string): TumaError {
  if (thrown instanceof TumaError) return thrown;
  if (isParseError(thrown)) return usageError(thrown, help);
  const words = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new TumaError('internal', {
    message: `Tuma failed: ${maskText(words)}`,
    hint: 'This is a bug. Nothing that was recorded is lost; the same command goes on where it stopped.',
    cause: thrown,
  });
}

/** Known by its code, because many commands fail before commander is loaded. */
function isParseError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('commander.');
}

/** Commander's "error: unknown option '--jsno'\n(Did you mean --json?)" in our shape. */
function usageError({ message }: Error, help: string): TumaError {
  if (message === '(outputHelp)')
    return new TumaError('usage', { message: 'Which command?', hint: `See ${help}.` });
  // It repeats what was typed: a number among the arguments, too.
  const [first = '', second = ''] = maskText(message)
    .replace(/^error: /, '')
    .split('\n');
  const guess = /^\((.*)\)$/.exec(second)?.[1];
  return new TumaError('usage', {
    message: `${first.charAt(0).toUpperCase()}${first.slice(1)}${first.endsWith('.') ? '' : '.'}`,
    hint: guess ?? `See ${help}.`,
  });
}

function traceOf(thrown: unknown): string {
  return maskText(thrown instanceof Error ? (thrown.stack ?? '') : '');
}
