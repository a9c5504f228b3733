import { stringify } from 'yaml';
import type { z } from 'zod';
import type { jobSchema } from './job-schema.ts';

/** The keys of a job file as they are written: `start`, `remind`, `window` … (docs/jobs.md), without its files. */
export type JobKeys = Omit<z.input<typeof jobSchema>, 'contacts' | 'template'>;

/** The text of a job file with these keys and this file of contacts beside it. Every scalar is written as text. */
export function jobText(keys: Partial<JobKeys>, contacts: string): string {
  return stringify({ ...keys, contacts }, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}
