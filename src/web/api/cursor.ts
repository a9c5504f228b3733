import type { z } from 'zod';
import { ApiError } from './problem.ts';

/** The place in a list after which the next page begins. Callers must not read it. */
export function cursorOf(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Reads a cursor of ours; null: the first page. Throws ApiError `request_invalid` for any other text. */
export function placeOf<Place>(cursor: string | undefined, schema: z.ZodType<Place>): Place | null {
  if (cursor === undefined) return null;
  const read = schema.safeParse(parsed(cursor));
  if (read.success) return read.data;
  throw new ApiError('request_invalid', 'The cursor is wrong.', {
    errors: [{ path: ['cursor'], message: 'must be `next` of the page before' }],
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}
