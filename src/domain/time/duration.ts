const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/;

/** Ten years; what is longer is a slip of the pen. */
export const MAX_DURATION_MS = 3650 * UNIT_MS.d;

/** Reads "500ms", "30s", "15m", "2h" or "180d" as milliseconds; null for anything else, a bare number too. */
export function parseDuration(text: string): number | null {
  const match = DURATION.exec(text.trim());
  if (match === null) return null;
  const ms = Math.round(Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]);
  return ms > MAX_DURATION_MS ? null : ms;
}

/** Writes milliseconds in the largest unit that holds them exactly: "2h", "90s", "1500ms". */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (ms >= UNIT_MS[unit] && ms % UNIT_MS[unit] === 0) return `${ms / UNIT_MS[unit]}${unit}`;
  }
  return `${ms}ms`;
}
