import { printableLine } from '../domain/text/printable.ts';
import type { CampaignReport } from './campaign-report.ts';

/** How the report is drawn. */
export interface TableOptions {
  /** Zone of the times shown. */
  zone: string;
  /** Columns there are. */
  width: number;
  /** Colours a text, or leaves it as it is where colours are not wanted. */
  paint: (style: 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', text: string) => string;
}

/** A line of an amount: what it is, how many, what share, and whether that is good. */
export interface Outcome {
  label: string;
  count: number;
  style: 'green' | 'yellow' | 'red' | 'dim' | 'cyan';
  note?: string;
}

const PAUSES: Readonly<Record<string, string>> = {
  operator: 'paused by an operator',
  balance: 'paused: not enough credit',
  budget: 'paused: the budget is used up',
  window: 'paused: outside the hours for sending',
  errors: 'paused: the messaging service keeps failing',
  canary: 'paused for the canary, its first messages',
  credentials: 'paused: the credentials were refused',
  sender: 'paused: the sender name was refused',
  start: 'paused: its start was missed',
};

/** Why a campaign is paused, in words. `isCutOff` tells the two reasons `start` apart. */
export function pauseWords(reason: string | null, isCutOff = false): string {
  if (isCutOff) return 'paused: it was cut off while it was sending';
  return PAUSES[reason ?? ''] ?? 'paused';
}

/** Name and state, then when it ran. */
export function title({ campaign }: CampaignReport, { paint, zone }: TableOptions): string[] {
  const { name, id, kind, state, reason, started_at, finished_at, created_at, cut_off_at } = campaign;
  const words = state === 'paused' ? pauseWords(reason, cut_off_at !== undefined) : state;
  const style =
    state === 'finished' ? 'green' : state === 'paused' || state === 'canceled' ? 'yellow' : 'cyan';
  return [
    `${paint('bold', printableLine(name))}  ${paint(style, words)}`,
    paint('dim', `${id} · ${kind} · ${zone}`),
    paint('dim', whenWords({ created_at, started_at, finished_at }, zone)),
  ];
}

type Times = Pick<CampaignReport['campaign'], 'created_at' | 'started_at' | 'finished_at'>;

function whenWords({ created_at, started_at, finished_at }: Times, zone: string): string {
  if (started_at === null) return `launched ${clock(created_at, zone)}`;
  const from = clock(started_at, zone);
  if (finished_at === null) return `sending since ${from}`;
  const [fromDay, toDay] = [from.slice(0, -9), clock(finished_at, zone).slice(0, -9)];
  const to = clock(finished_at, zone);
  const span = duration(Date.parse(finished_at) - Date.parse(started_at));
  return `sent ${from} – ${fromDay === toDay ? to.slice(-8) : to} (${span})`;
}

/** What came of the planned messages: these counts add up to all of them. */
export function whatHappened({ messages, delivery }: CampaignReport): Outcome[] {
  const open = messages.uncertain - messages.written_off;
  return [
    { label: 'Delivered', count: delivery.delivered, style: 'green' },
    { label: 'Not delivered', count: delivery.undelivered, style: 'red' },
    { label: 'Report to come', count: delivery.pending, style: 'cyan' },
    { label: 'No report came', count: delivery.unreported, style: 'yellow' },
    { label: 'Rejected', count: messages.rejected, style: 'red', note: 'refused; not sent' },
    { label: 'Uncertain', count: open, style: 'yellow', note: 'sent or not: nobody knows' },
    { label: 'Written off', count: messages.written_off, style: 'dim' },
    { label: 'Skipped', count: messages.skipped, style: 'dim' },
    { label: 'Canceled', count: messages.canceled, style: 'dim' },
    { label: 'On the wire', count: messages.sending, style: 'cyan' },
    { label: 'Still to send', count: messages.queued, style: 'cyan' },
  ];
}

/** The commands that help with what is left over. */
export function nextSteps({ campaign, messages, reasons }: CampaignReport): string[] {
  const steps = [];
  const retried = reasons.filter(({ state, retry_helps }) => state === 'rejected' && retry_helps);
  if (retried.length > 0 && campaign.state !== 'canceled')
    steps.push(`Try the rejected again:   tuma retry ${campaign.id}`);
  if (messages.uncertain > messages.written_off) {
    steps.push(`Decide the uncertain:     tuma resolve ${campaign.id} --evidence`);
  }
  if (campaign.state === 'paused') steps.push(`Go on:                    ${resumeCommand(campaign)}`);
  return steps;
}

/** The command that lets a paused campaign go on: with the same budget it would pause again at once. */
export function resumeCommand({ id, reason }: { id: string; reason: string | null }): string {
  return `tuma resume ${id}${reason === 'budget' ? ' --budget AMOUNT' : ''}`;
}

/** 27 Nov 2026 09:00:05 in the zone. */
export function clock(iso: string, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium', timeStyle: 'medium' })
    .format(new Date(iso))
    .replace(', ', ' ');
}

/** A time span in two units at most: 850 ms, 4.2 s, 3 min 20 s, 5 h 2 min, 2 d 3 h. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return `${minutes} min ${whole % 60} s`;
}

/** What a negative amount without an explanation says. */
const LESS_TAKEN = 'less was taken than was charged, as by a top-up smaller than the charges';
/** Why nobody knows what no charge explains: a top-up is told by the rise. */
export const HIDDEN_BY_TOP_UP = 'a top-up hides what messages of unknown cost may have taken';
/** The last digit of a credit: two readings may each be short of less than that. */
const LAST_DIGIT = 0.01;

/** What an amount that no charge explains says; `otherwise`: of one that went. */
export function unexplainedWords(unexplained: string, otherwise: string): string {
  if (Math.abs(Number(unexplained)) < LAST_DIGIT)
    return 'less than 0.01: the balance is told with two decimals';
  return unexplained.startsWith('-') ? LESS_TAKEN : otherwise;
}

/** Of how many messages an amount is the most that they may have cost, where that many of the campaign have no price. */
export function priced(most: string, unpriced: number): 'all' | 'some' | 'none' {
  if (unpriced === 0) return 'all';
  return isZero(most) ? 'none' : 'some';
}

/** Whether an amount is nothing. */
export function isZero(amount: string): boolean {
  return /^-?[0.]+$/.test(amount);
}

/** Never "100.0 %" for less than all, nor "0.0 %" for more than nothing. */
export function percent(share: number): string {
  const rounded = Math.round(share * 1000) / 10;
  if (share < 1 && rounded === 100) return '> 99.9 %';
  if (share > 0 && rounded === 0) return '< 0.1 %';
  return `${rounded.toFixed(1)} %`;
}

const SETTLED_WITH_FAILURES = 3;

/** What the exit code is read from. */
interface ReportedState {
  campaign: Pick<CampaignReport['campaign'], 'state'>;
  messages: CampaignReport['messages'];
}

/**
 * The exit code that the state of a campaign stands for: 3 when it is settled with rejected or open uncertain messages,
 * else 0. What a pause means is for the caller to say, who knows how long it may last.
 */
export function exitCodeOf({ campaign, messages }: ReportedState): number {
  // Of one that is neither, corrected contacts wait to be laid over it.
  const ended = campaign.state === 'finished' || campaign.state === 'canceled';
  const settled = ended && messages.queued + messages.sending === 0;
  const failed = messages.rejected + messages.uncertain - messages.written_off > 0;
  return settled && failed ? SETTLED_WITH_FAILURES : 0;
}
