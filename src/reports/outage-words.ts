import type { Outage } from '../domain/pace/outage.ts';
import { localDay, localWords } from '../domain/time/time-words.ts';
import { duration } from './report-words.ts';

/** "the service does not answer since 10:02, next try in 24 s", by the clock of the zone. */
export function outageWords(
  { since, nextTryAt }: Outage,
  { now, zone }: { now: number; zone: string },
): string {
  const words = localWords(since, zone);
  const time = localDay(since, zone) === localDay(now, zone) ? words.replace(/^.*, /, '') : words;
  return `the service does not answer since ${time}, ${nextTry(nextTryAt - now)}`;
}

function nextTry(waitMs: number): string {
  if (waitMs <= 0) return 'next try now';
  return `next try in ${waitMs < 60_000 ? `${Math.ceil(waitMs / 1_000)} s` : duration(waitMs)}`;
}
