/** No provider may make a campaign wait longer than this on its word alone. */
const MOST_WAIT_MS = 10 * 60_000;

/**
 * Reads a Retry-After header (seconds, or an HTTP date) into milliseconds from `now`, at most ten minutes. Answers null
 * when there is none or it cannot be read.
 */
export function parseRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, MOST_WAIT_MS);
  // Only the shape of an HTTP date: Date.parse alone would take "-5" for a year.
  if (!/^[A-Za-z]{3,9},? .*\d\d:\d\d:\d\d/.test(text)) return null;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return null;
  return Math.min(Math.max(until - now, 0), MOST_WAIT_MS);
}
