const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 24 * 60;

/** "in 3 h 12 m", "in 2 d 4 h", "in less than a minute"; for the past "3 h 12 m ago". */
export function untilWords(at: number, now: number): string {
  const minutes = Math.floor(Math.abs(at - now) / MINUTE_MS);
  const [days, hours] = [Math.floor(minutes / MINUTES_A_DAY), Math.floor(minutes / 60) % 24];
  const short = hours > 0 ? `${hours} h ${minutes % 60} m` : `${minutes} m`;
  const span = minutes === 0 ? 'less than a minute' : days > 0 ? `${days} d ${hours} h` : short;
  return at >= now ? `in ${span}` : `${span} ago`;
}

/** "Fri 27 Nov 2026, 09:00 (06:00 UTC), in 3 h 12 m": the zone's clock, UTC, and the wait. */
export function momentWords(at: number, { zone, now }: { zone: string; now: number }): string {
  const utc = localWords(at, 'UTC');
  const local = localWords(at, zone);
  const [utcDay, utcTime] = utc.split(', ');
  const world = local.split(', ')[0] === utcDay ? `${utcTime} UTC` : `${utc} UTC`;
  return `${local} (${world}), ${untilWords(at, now)}`;
}

/** "Fri 27 Nov 2026, 09:00" in the zone, for future times. Past times have seconds (`clock`). */
export function localWords(at: number, zone: string): string {
  const time = new Date(at).toLocaleTimeString('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
  });
  return `${localDay(at, zone)}, ${time}`;
}

/** "Fri 27 Nov 2026" in the zone. */
export function localDay(at: number, zone: string): string {
  const options = {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  } as const;
  return new Date(at).toLocaleDateString('en-GB', options).replace(',', '');
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)\s*(ms|s|m|h|d)$/;

/** Ten years; a longer time is a typing error. */
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
