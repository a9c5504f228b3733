import { localClock, localDate } from '../../../domain/time/local-time.ts';
import type { Frame } from '../../frame.ts';
import { localeOf } from '../../views/time.ts';

/** A day as people say it, such as `3 December`. `at` in milliseconds. */
export function dayOf({ language, zone, now }: Pick<Frame, 'language' | 'zone' | 'now'>, at: number): string {
  const isThisYear = localDate(at, zone).slice(0, 4) === localDate(now, zone).slice(0, 4);
  return new Intl.DateTimeFormat(localeOf(language), {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
    timeZone: zone,
  }).format(at);
}

/** A date of the calendar as people say it. `date`: "2026-12-03". */
export function dateOf(frame: Pick<Frame, 'language' | 'now'>, date: string): string {
  return dayOf({ ...frame, zone: 'UTC' }, Date.parse(`${date}T00:00:00Z`));
}

/** The name of a country by its code, such as `Kenya` of KE. */
export function countryName(language: Frame['language'], code: string): string {
  return new Intl.DisplayNames(localeOf(language), { type: 'region', fallback: 'code' }).of(code) ?? code;
}

/** The place of a zone: `Nairobi` of `Africa/Nairobi`. */
export function placeOf(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/** The hours by which a zone is ahead of UTC at an instant, such as 3 or -4.5. */
export function hoursAhead(zone: string, at: number): number {
  const wall = Date.parse(`${localClock(at, zone).replace(' ', 'T')}:00Z`);
  return Math.round((wall - Math.floor(at / 60_000) * 60_000) / 900_000) / 4;
}
