import { momentWords, localWords } from '../../domain/time/time-words.ts';
import { forecast } from '../../campaign/planning/estimate.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import type { Agenda } from '../../ledger/contracts/schedules.ts';
import { counted, whole } from '../../domain/money.ts';
import { type Look, paceOf } from '../../reports/campaign-pace.ts';

/** Firings of a recurring job that the screen lists. */
const MOST_LISTED = 5;

/** A campaign's future as rows of a label and words: its start, firings, reminders and end. */
export function agendaRows(overview: CampaignOverview, agenda: Agenda, look: Look): string[][] {
  const { campaign, state } = overview;
  const { zone, remind } = campaign.settings;
  const { now } = look;
  const when = (at: number) => momentWords(at, { zone, now });
  if (agenda.schedule !== null) return scheduleRows(agenda.schedule, { when, state });
  const start = startWords(overview, when, now);
  if (start !== null) return [['starts', start]];
  if (remind !== undefined && agenda.nextDueAt !== null && agenda.nextDueAt > now)
    return dueRows(agenda, { zone, now });
  const hours = hoursWords(overview, look);
  return hours === null ? [] : [['hours', hours]];
}

/** The start of a campaign that waits for it, also while a person has paused it; null: it does not. */
function startWords(
  { campaign: { startAt }, state, reason }: CampaignOverview,
  when: (at: number) => string,
  now: number,
): string | null {
  if (startAt === null) return null;
  if (state === 'scheduled') return when(startAt);
  return reason === 'operator' && startAt > now ? `${when(startAt)}, if it is resumed` : null;
}

/** The next moment of reminders in full, and nine more behind it. */
function dueRows({ nextDueAt, due }: Agenda, { zone, now }: { zone: string; now: number }): string[][] {
  const waiting = due.filter(({ at, messages }) => at > now && messages > 0);
  if (waiting.length === 0 && nextDueAt !== null)
    return [['next due', momentWords(nextDueAt, { zone, now })]];
  return waiting.map(({ at, messages }, index) => {
    const when = index === 0 ? momentWords(at, { zone, now }) : localWords(at, zone);
    return [index === 0 ? 'next due' : '', `${when}: ${counted(messages, 'reminder')}`];
  });
}

function scheduleRows(
  { nextAt, fired, missed, latest }: NonNullable<Agenda['schedule']>,
  { when, state }: Pick<CampaignOverview, 'state'> & { when: (at: number) => string },
): string[][] {
  const none = state === 'paused' ? 'none until it is resumed' : 'it fires no more';
  const rows = [
    ['next', nextAt === null ? none : when(nextAt)],
    ['fired', `${whole(fired)}${missed > 0 ? `, ${whole(missed)} missed` : ''}`],
  ];
  for (const { at, campaign, leftOut } of latest.slice(0, MOST_LISTED))
    rows.push(['', `${campaign ?? (leftOut ? 'left out' : 'missed')}  ${when(at)}`]);
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
