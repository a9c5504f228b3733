import type { Campaign } from '../../domain/campaign.ts';
import { formatMoney, grouped, type MoneyMicro, whole } from '../../domain/money.ts';
import type { Frame } from '../frame.ts';

/** An amount with its currency: `KES 6,803.20`. */
export function moneyOf({ settings }: Pick<Campaign, 'settings'>, amount: MoneyMicro): string {
  return `${settings.currency} ${plainMoney(amount)}`;
}

/** An amount for a column whose heading has the currency: `6,803.20`. */
export function plainMoney(amount: MoneyMicro): string {
  return grouped(formatMoney(amount));
}

/** A span of time (milliseconds) in two units at most: `4.2 s`, `3 min 20 s`, `5 h 2 min`, `2 d 3 h`. */
export function durationOf({ words }: Pick<Frame, 'words'>, ms: number): string {
  const { duration } = words.campaign;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return duration.seconds(String(Number(seconds.toFixed(1))));
  const all = Math.round(seconds);
  if (all < 60) return duration.seconds(String(all));
  const [days, hours, minutes] = [
    Math.floor(all / 86_400),
    Math.floor(all / 3_600) % 24,
    Math.floor(all / 60) % 60,
  ];
  if (days > 0) return duration.days(days, hours);
  return hours > 0 ? duration.hours(hours, minutes) : duration.minutes(minutes, all % 60);
}

/** Messages a second, or a minute where that tells more: `10.0 a second`. */
export function rateOf({ words }: Pick<Frame, 'words'>, perSecond: number): string {
  const { campaign } = words;
  const shown = (rate: number) =>
    rate < 100 ? rate.toFixed(1).replace(/\.0$/, '') : whole(Math.round(rate));
  return perSecond > 0 && perSecond < 1
    ? campaign.perMinute(shown(perSecond * 60))
    : campaign.perSecond(shown(perSecond));
}

/** What the numbers of a campaign count: reminders may be several a person. */
export function countedOf({ settings }: Pick<Campaign, 'settings'>): 'people' | 'messages' {
  return settings.remind === undefined ? 'people' : 'messages';
}

/** `4,062 people`; of a job with several reminders a person: `4,062 messages`. */
export function waitingWords(
  { words }: Pick<Frame, 'words'>,
  campaign: Pick<Campaign, 'settings'>,
  count: number,
): string {
  const { waitingPeople, waitingMessages } = words.campaign;
  return (countedOf(campaign) === 'people' ? waitingPeople : waitingMessages)(count, whole(count));
}
