const RATE = /^(\d{1,9}(?:\.\d{1,3})?)(?:\s*\/\s*(s|sec|m|min|h|hour))?$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600, hour: 3600 };

/** Faster than any account; who wants more writes `unlimited`. */
const MAX_PER_SECOND = 1_000_000;

/** Messages a second; null: no limit. */
export type Rate = { perSecond: number | null };

/** Reads "50/s", "600/min", "3000/h", plain "50" (a second) or "unlimited"; null for anything else, 0 too. */
export function parseRate(text: string): Rate | null {
  const trimmed = text.trim();
  if (trimmed === 'unlimited') return { perSecond: null };
  const match = RATE.exec(trimmed);
  if (match === null) return null;
  const perSecond = Number(match[1]) / (UNIT_SECONDS[match[2] ?? 's'] ?? 1);
  return perSecond > 0 && perSecond <= MAX_PER_SECOND ? { perSecond } : null;
}
