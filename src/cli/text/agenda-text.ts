import { forecast } from '../../campaign/planning/estimate.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import type { Agenda } from '../../ledger/schedules.ts';
import { whole } from '../../reports/report-words.ts';
import { type Look, paceOf } from '../terminal/progress.ts';

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 24 * 60;
/** Firings of a recurring job that the screen lists. */
const MOST_LISTED = 5;

/** "in 3 h 12 m", "in 2 d 4 h", "in less than a minute"; of what is past "3 h 12 m ago". */
export function untilWords(at: number, now: number): string {
  const minutes = Math.floor(Math.abs(at - now) / MINUTE_MS);
  const [days, hours] = [Math.floor(minutes / MINUTES_A_DAY), Math.floor(minutes / 60) % 24];
  const short = hours > 0 ? `${hours} h ${minutes % 60} m` : `${minutes} m`;
  const span = minutes === 0 ? 'less than a minute' : days > 0 ? `${days} d ${hours} h` : short;
  return at >= now ? `in ${span}` : `${span} ago`;
}

/** "Fri 27 Nov 2026, 09:00 (06:00 UTC), in 3 h 12 m": the clock of the zone, that of the world, and how long. */
export function momentWords(at: number, { zone, now }: { zone: string; now: number }): string {
  const utc = localWords(at, 'UTC');
  const local = localWords(at, zone);
  const [utcDay, utcTime] = utc.split(', ');
  const world = local.split(', ')[0] === utcDay ? `${utcTime} UTC` : `${utc} UTC`;
  return `${local} (${world}), ${untilWords(at, now)}`;
}

/** What is to come for one campaign, as rows of a label and words: its start, its firings, its reminders, its end. */
export function agendaRows(overview: CampaignOverview, agenda: Agenda, look: Look): string[][] {
  const { campaign, state } = overview;
  const { zone, remind } = campaign.settings;
  const { now } = look;
  const when = (at: number) => momentWords(at, { zone, now });
  if (agenda.schedule !== null) return scheduleRows(agenda.schedule, when);
  if (state === 'scheduled' && campaign.startAt !== null) return [['starts', when(campaign.startAt)]];
  if (remind !== undefined && agenda.nextDueAt !== null && agenda.nextDueAt > now)
    return [['next due', when(agenda.nextDueAt)]];
  const hours = hoursWords(overview, look);
  return hours === null ? [] : [['hours', hours]];
}

function scheduleRows(schedule: NonNullable<Agenda['schedule']>, when: (at: number) => string): string[][] {
  const { nextAt, fired, missed, latest } = schedule;
  const rows = [
    ['next', nextAt === null ? 'it fires no more' : when(nextAt)],
    ['fired', `${whole(fired)}${missed > 0 ? `, ${whole(missed)} missed` : ''}`],
  ];
  for (const { at, campaign } of latest.slice(0, MOST_LISTED))
    rows.push(['', `${campaign ?? 'missed'}  ${when(at)}`]);
  return rows;
}

/** How the rest of a running campaign meets the end of its hours; null: it has none, or nobody can tell. */
function hoursWords(overview: CampaignOverview, look: Look): string | null {
  const { campaign, state, reason } = overview;
  const { window, zone, remind } = campaign.settings;
  if (window === null || remind !== undefined) return null;
  if (state === 'running') return endWords(overview, look);
  if (state !== 'paused' || reason !== 'window') return null;
  const { now } = look;
  const hours = sendingHours(window, zone, now);
  return hours.open ? 'go on now' : `it goes on ${momentWords(hours.opensAt, { zone, now })}`;
}

/** By the rate at which it sends now: "ends about …; the window closes …". */
function endWords(overview: CampaignOverview, look: Look): string | null {
  const { window, zone } = overview.campaign.settings;
  const { perSecond } = paceOf(overview, look);
  if (perSecond === null || perSecond === 0) return null;
  const messages = overview.messages.queued + overview.messages.sending;
  const course = { messages, account: perSecond, campaign: null, measured: true };
  const seen = forecast({ ...course, window, zone, startsAt: look.now });
  if (seen.finishesAt === null || seen.windowClosesAt === null) return null;
  const closes = `the window closes ${localWords(seen.windowClosesAt, zone)}`;
  const ends = `ends about ${localWords(seen.finishesAt, zone)}`;
  return seen.goesOnAt === null
    ? `${ends}; ${closes}`
    : `${closes}; goes on ${localWords(seen.goesOnAt, zone)}, ${ends}`;
}

/** "Fri 27 Nov 2026, 09:00" in the zone: a time that is to come. What has happened has its seconds (`clock`). */
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
