import { parse, stringify } from 'yaml';
import type { z } from 'zod';
import { jobSchema } from './job-schema.ts';

/** The keys of a job file as they are written: `start`, `remind`, `window` … (docs/jobs.md), without its files. */
export type JobKeys = Omit<z.input<typeof jobSchema>, 'contacts' | 'template'>;

/** A key that is wrong: its path, and the problem in words that follow the key. */
export interface KeyProblem {
  path: string[];
  message: string;
}

/** The order of the documentation, so that the same keys always give the same text. */
const ORDER = Object.keys(jobSchema.shape);

/** The text of a job file with these keys and this file of contacts beside it. Every scalar is written as text. */
export function jobText(keys: Partial<JobKeys>, contacts: string): string {
  const all: Record<string, unknown> = { ...keys, contacts };
  const known = Object.keys(all).filter((key) => all[key] !== undefined && all[key] !== null);
  const ordered = known.toSorted((left, right) => ORDER.indexOf(left) - ORDER.indexOf(right));
  const written = Object.fromEntries(ordered.map((key) => [key, all[key]]));
  return stringify(written, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
}

/** The problems of keys, as a job file with them would have. A key that is missing is none. */
export function keyProblems(keys: Partial<JobKeys>): KeyProblem[] {
  const written = parse(jobText(keys, 'contacts'), { schema: 'failsafe' }) as Record<string, unknown>;
  const { success, error } = jobSchema.safeParse({
    name: 'x',
    kind: 'promotional',
    message: 'x',
    ...written,
  });
  if (success) return [];
  return error.issues.map(({ path, message }) => ({ path: path.map(String), message }));
}

/** The keys of a job file's text, without its files. */
export function keysOf(source: string): Partial<JobKeys> {
  const {
    contacts: _contacts,
    template: _template,
    ...keys
  } = parse(source, { schema: 'failsafe' }) as Partial<z.input<typeof jobSchema>>;
  return keys;
}
