import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import { TumaError } from '../../domain/errors.ts';
import { profileSchema, type Profile } from './profile.ts';
import { defaultProfile } from './default.ts';

/**
 * The default profile with the rows of a JSON file laid over it. Objects are merged key by key; lists and
 * single values are replaced; `null` removes a key of a table (a code of `refusal_codes`). Throws
 * `config_invalid` with the place of every mistake.
 */
export function loadProfile(path: string | null): Profile {
  if (path === null) return defaultProfile;
  const merged = merge(defaultProfile, parseFile(path));
  const result = profileSchema.safeParse(merged);
  if (result.success) return result.data;
  const problems = result.error.issues.map(describe);
  throw new TumaError('config_invalid', {
    message: `The provider profile is wrong: ${problems.join('; ')}.`,
    hint: 'docs/profile.md says what a profile holds.',
    where: path,
  });
}

function describe(issue: z.core.$ZodIssue): string {
  const place = issue.path.join('.') || 'profile';
  if (issue.code !== 'unrecognized_keys') return `${place}: ${issue.message}`;
  const known = Object.keys(rowsAt(issue.path));
  const names = issue.keys.map((key) => {
    const meant = didYouMean(key, known);
    return meant === null ? `"${key}"` : `"${key}" (did you mean "${meant}"?)`;
  });
  return `${place}: there is no row ${names.join(', ')}`;
}

function rowsAt(path: PropertyKey[]): object {
  let rows: unknown = defaultProfile;
  for (const key of path) rows = (rows as Record<PropertyKey, unknown> | undefined)?.[key];
  return isTable(rows) ? rows : {};
}

function parseFile(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The words of the error repeat the file, which may be another one, with a secret in it.
    throw new TumaError('config_invalid', {
      message: 'The provider profile is not JSON.',
      hint: 'A profile holds only the rows that differ from the default, for example {"not_accepted": [503]}.',
      where: path,
    });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (cause) {
    throw new TumaError('config_invalid', {
      message: `The provider profile cannot be read: ${(cause as NodeJS.ErrnoException).code ?? 'unknown'}.`,
      hint: 'Check the path in TUMA_PROFILE.',
      where: path,
    });
  }
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
