import { localDate } from '../../domain/time/local-time.ts';
import type { Frame } from '../frame.ts';
import type { Language } from '../words/words.ts';
import { html, type Html } from './html.ts';

const DAY_MS = 86_400_000;

/** An instant in the zone of the campaign (milliseconds), with UTC in its title: `today 14:00`, `Thu 26 Nov 10:42`. */
export function timeOf({ language, words, now }: Frame, at: number, zone: string): Html {
  const iso = new Date(at).toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
  return html`<time datetime="${iso}" title="${utc}">${timeWords({ language, words, now }, at, zone)}</time>`;
}

/** The same with seconds, where the order of things matters. */
export function exactTimeOf(frame: Frame, at: number, zone: string): Html {
  const seconds = String(Math.floor(at / 1_000) % 60).padStart(2, '0');
  const iso = new Date(at).toISOString();
  const utc = `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`;
  return html`<time datetime="${iso}" title="${utc}">${timeWords(frame, at, zone)}:${seconds}</time>`;
}

/** The same as text. */
export function timeWords(
  { language, words: { common }, now }: Pick<Frame, 'language' | 'words' | 'now'>,
  at: number,
  zone: string,
): string {
  const clock = format(at, { language, zone, hour: '2-digit', minute: '2-digit' });
  const day = localDate(at, zone);
  if (day === localDate(now, zone)) return `${common.today} ${clock}`;
  if (day === localDate(now + DAY_MS, zone)) return `${common.tomorrow} ${clock}`;
  const isThisYear = day.slice(0, 4) === localDate(now, zone).slice(0, 4);
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return `${format(at, { language, zone, weekday: 'short', day: 'numeric', month: 'short', ...year })} ${clock}`;
}

/** How a language writes days and months: as in Kenya. */
export function localeOf(language: Language): string {
  return language === 'sw' ? 'sw-KE' : 'en-GB';
}

function format(
  at: number,
  { language, zone, ...parts }: Intl.DateTimeFormatOptions & { language: Language; zone: string },
): string {
  return new Intl.DateTimeFormat(localeOf(language), { ...parts, timeZone: zone, hourCycle: 'h23' })
    .format(at)
    .replaceAll(',', '');
}
