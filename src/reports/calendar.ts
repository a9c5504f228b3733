import type { Campaign } from '../domain/campaign.ts';
import { nextFiring, parseCron } from '../domain/time/cron.ts';
import { addDays } from '../domain/time/dates.ts';
import { localDate, minuteOf } from '../domain/time/local-time.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';

/** What comes on one day, in order of time. */
export interface CalendarDay {
  /** As 2026-12-01, of the zone of the calendar. */
  day: string;
  items: CalendarItem[];
}

/** Reminders of one campaign and one moment, the start of a campaign, or a firing of a recurring job. */
export interface CalendarItem {
  what: 'reminders' | 'start' | 'firing';
  campaign: Campaign;
  /** Milliseconds. */
  at: number;
  /** Waiting reminders, or the rows that are planned. */
  messages: number;
  /** True: the campaign is paused, so it comes only if somebody resumes it. */
  waits: boolean;
}

/** A month that comes, or is. */
export interface Calendar {
  /** As 2026-12. */
  month: string;
  /** Only days on which something comes. */
  days: CalendarDay[];
  /** True: there is more than can be listed. */
  isCut: boolean;
}

/** Moments and firings of one month that are read at most. */
const MOST_MOMENTS = 5_000;
const MOST_FIRINGS = 300;
const OPEN_STATES = ['scheduled', 'running', 'paused'];

/** Reads what comes in a month of a zone: reminders, starts, and firings of recurring jobs. Nothing of it is over. */
export async function calendarOf(
  reader: LedgerReader,
  { month, zone, now }: { month: string; zone: string; now: number },
): Promise<Calendar> {
  const first = `${month}-01`;
  const span = { from: Math.max(now, minuteOf(first, 0, zone)), to: minuteOf(firstOfNext(first), 0, zone) };
  const all = (await reader.find('')).filter(({ state }) => OPEN_STATES.includes(state));
  const campaigns = new Map(all.map((campaign) => [campaign.n, campaign]));
  const due = await reader.remindersDue({ ...span, limit: MOST_MOMENTS });
  const items: CalendarItem[] = due.flatMap(({ campaign: n, at, messages }) => {
    const campaign = campaigns.get(n);
    if (campaign === undefined || messages === 0) return [];
    return [{ what: 'reminders', campaign, at, messages, waits: campaign.state === 'paused' }];
  });
  let isCut = due.length === MOST_MOMENTS;
  for (const campaign of all) {
    const coming = await comingOf(reader, campaign, span);
    isCut ||= coming.length === MOST_FIRINGS;
    items.push(...coming);
  }
  return { month, days: byDay(items, zone), isCut };
}

/** The first day of the month after that of a day. */
function firstOfNext(first: string): string {
  return `${addDays(first, 31).slice(0, 8)}01`;
}

interface Span {
  from: number;
  to: number;
}

/** The start of a campaign, or its next firings. */
async function comingOf(
  reader: LedgerReader,
  campaign: Campaign,
  { from, to }: Span,
): Promise<CalendarItem[]> {
  const { settings, startAt, state } = campaign;
  const moments =
    settings.every === undefined
      ? startAt !== null && startAt >= from && startAt < to && waitsForStart(campaign)
        ? [startAt]
        : []
      : await firingsOf(reader, campaign, { from, to });
  if (moments.length === 0) return [];
  const { planned } = await reader.uploads(campaign.n);
  const what = settings.every === undefined ? 'start' : 'firing';
  return moments.map((at) => ({ what, campaign, at, messages: planned, waits: state === 'paused' }));
}

function waitsForStart({ state, reason }: Campaign): boolean {
  return state === 'scheduled' || (state === 'paused' && reason === 'operator');
}

/** A person may have left out the next one, so the ledger names the first. */
async function firingsOf(reader: LedgerReader, campaign: Campaign, { from, to }: Span): Promise<number[]> {
  const { every, zone } = campaign.settings;
  const cron = every === undefined ? null : parseCron(every.cron);
  const { schedule } = await reader.agenda(campaign.n);
  const next = schedule?.nextAt ?? null;
  if (cron === null || next === null) return [];
  const firings: number[] = [];
  const first = next >= from ? next : nextFiring(cron, zone, from - 1);
  for (
    let at = first;
    at !== null && at < to && firings.length < MOST_FIRINGS;
    at = nextFiring(cron, zone, at)
  )
    firings.push(at);
  return firings;
}

function byDay(items: CalendarItem[], zone: string): CalendarDay[] {
  const ordered = items.sort((a, b) => a.at - b.at);
  return [...Map.groupBy(ordered, ({ at }) => localDate(at, zone))].map(([day, of]) => ({ day, items: of }));
}
