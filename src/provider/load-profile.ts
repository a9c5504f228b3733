import { readFileSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';
import { profileSchema } from './profile.ts';
import type { Profile } from './profile.ts';
import { defaultProfile } from './profiles/default.ts';

const MOST_PROFILE_BYTES = 1_000_000;

/**
 * The default profile, with the rows of a JSON file laid over it: objects are merged key by key, lists and single values
 * are replaced, and `null` takes a key of a table out (a code of `refusal_codes`). Throws `config_invalid` naming the
 * place of every mistake.
 */
export function loadProfile(path: string | null): Profile {
  if (path === null) return defaultProfile;
  const merged = merge(defaultProfile, parseFile(path));
  const result = profileSchema.safeParse(merged);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    (issue) => `${issue.path.join('.') || 'profile'}: ${issue.message}`,
  );
  throw new TumaError('config_invalid', {
    message: `The provider profile is wrong: ${problems.join('; ')}.`,
    hint: 'docs/configuration.md lists every row of a profile.',
    where: path,
  });
}

function parseFile(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const { message } = cause as Error;
    throw new TumaError('config_invalid', {
      message: `The provider profile is not JSON: ${message}.`,
      hint: 'A profile holds only the rows that differ from the default, for example {"not_accepted": [503]}.',
      where: `${path}${placeOf(message, text)}`,
    });
  }
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length <= MOST_PROFILE_BYTES) return bytes.toString('utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new TumaError('config_invalid', {
      message: `The provider profile cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'unknown'}.`,
      hint: 'Check the path in TUMA_PROFILE.',
      where: path,
    });
  }
  throw new TumaError('config_invalid', {
    message: 'The provider profile is larger than 1 MB.',
    where: path,
  });
}

/** V8 names the position or the line of most syntax errors. */
function placeOf(message: string, text: string): string {
  const at = / at position (\d+)/.exec(message)?.[1];
  const before = text.slice(0, at === undefined ? text.length : Number(at));
  const lines = before.split('\n');
  return `:${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

function merge(base: unknown, over: unknown): unknown {
  if (!isTable(base) || !isTable(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === null) delete merged[key];
    else if (key === '__proto__')
      throw new TumaError('config_invalid', { message: 'A profile has no __proto__.' });
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
