import { z } from 'zod';
import { jobSchema } from '../../../campaign/jobs/job-schema.ts';
import type { JobKeys } from '../../../campaign/jobs/job-text.ts';

/** Keys of a job file that name files of the machine, which a program has not. */
const FILES = ['contacts', 'template'];

/**
 * The keys of a job file as a program writes them: described by the schema of job files, and checked by it as a whole
 * later, so that problems are the same as those of a file.
 */
export const JOB_KEYS: Record<string, z.ZodOptional<z.ZodUnknown>> = Object.fromEntries(
  Object.entries(z.toJSONSchema(jobSchema, { io: 'input' }).properties ?? {})
    .filter(([key]) => !FILES.includes(key))
    .map(([key, schema]) => [
      key,
      z
        .unknown()
        .optional()
        .meta(schema as Record<string, unknown>),
    ]),
);

/** Every scalar of a job file is read as text; a program may write numbers and booleans. */
function asText(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, asText(each)]));
}

/** The given keys, without those that are absent. */
export function jobKeysOf(body: Record<string, unknown>): Partial<JobKeys> {
  const given = Object.entries(body).filter(([key, value]) => key in JOB_KEYS && value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [key, asText(value)]));
}
