import type { PauseReason } from '../domain/campaign.ts';
import { letters } from '../domain/text/printable.ts';
import type { CampaignReport } from './campaign-report.ts';

const PAUSES: Readonly<Record<PauseReason, string>> = {
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

/** A pause. A missed start, a campaign that was cut off and unread files have one reason, `start`. */
export interface Pause {
  reason: PauseReason | null;
  cut_off_at?: string | undefined;
  files_unread?: boolean | undefined;
}

/** Why a campaign is paused, in words. */
export function pauseWords({ reason, cut_off_at, files_unread }: Pause): string {
  if (cut_off_at !== undefined) return 'paused: it was cut off while it was sending';
  if (files_unread === true) return 'paused: the list could not be read';
  return reason === null ? 'paused' : PAUSES[reason];
}

/** The provider's own words behind a reason; empty: none are known. */
export function saidWords(words: string | null | undefined): string {
  return words === undefined || words === null ? '' : `: “${words}”`;
}

/** False: the provider's words only repeat the reason, or there are none. */
export function saysMore({ reason, provider_words: words }: CampaignReport['reasons'][number]): boolean {
  return words !== null && letters(words) !== letters(reason);
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

/** The exit code of a campaign: 3 when it is settled with rejected or open uncertain messages, else 0. */
export function exitCodeOf({ campaign, messages }: ReportedState): number {
  // Of one that is neither, corrected contacts wait to be laid over it.
  const ended = campaign.state === 'finished' || campaign.state === 'canceled';
  const settled = ended && messages.queued + messages.sending === 0;
  const failed = messages.rejected + messages.uncertain - messages.written_off > 0;
  return settled && failed ? SETTLED_WITH_FAILURES : 0;
}
