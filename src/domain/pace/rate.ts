const RATE = /^(\d{1,9}(?:\.\d{1,3})?)(?:\s*\/\s*(s|sec|m|min|h|hour))?$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600, hour: 3600 };

/** Faster than any account; who wants more writes `unlimited`. */
const MAX_PER_SECOND = 1_000_000;

/** Leaves room for a dispatch that is up to 40 ms late: no window of a second may hold more than the rate. */
const USED_SHARE = 0.96;

/** Milliseconds between two messages under a limit of so many a second. */
export function spacingMs(ratePerSecond: number): number {
  return 1_000 / (USED_SHARE * ratePerSecond);
}

/** How many messages would go in the time that `messages` take, were all of a limit used. */
export function atFullRate(messages: number): number {
  return messages / USED_SHARE;
}

/** Wall-clock milliseconds are exact to a quarter of a microsecond: a slot's own time may lie this share beside it. */
export const SLOT_ROUNDING = 0.05;

/** How a campaign's own limit is kept: `spacingMs` from one due time to the next, each slot at most `slackMs` after its due time. */
export interface CampaignSpacing {
  spacingMs: number;
  /** 0: each slot is a whole spacing after the one before. */
  slackMs: number;
}

/**
 * The spacing of a campaign's own limit under that of its account (messages a second; null: no limit). A campaign that takes
 * each of the account's slots, each second one, each third … is best kept a spacing apart from slot to slot. At any other
 * limit its due times run on beside the slots, and each slot may be one of the account's spacings late: the due times are
 * then so much further apart that over a second's messages it does not matter.
 */
export function campaignSpacing(account: number | null, campaign: number): CampaignSpacing {
  const own = { spacingMs: spacingMs(campaign), slackMs: 0 };
  if (account === null || campaign >= account) return own;
  const slackMs = spacingMs(account);
  const late = { spacingMs: own.spacingMs + slackMs / Math.max(1, Math.floor(campaign)), slackMs };
  return late.spacingMs < meanSlots(account / campaign) * slackMs ? late : own;
}

/** How many slots go by for each message, where each is kept so many (1 or more) from the slot of the one before. */
function meanSlots(slots: number): number {
  const whole = Math.floor(slots);
  // What is less than a slot's rounding adds up until it costs one.
  return whole + 1 / (1 + Math.floor(SLOT_ROUNDING / (slots - whole)));
}

/** The rate under an account's and a campaign's limit where nobody else sends. A second; null: no limit. */
export function jointRate(account: number | null, campaign: number | null): number | null {
  if (account === null || campaign === null) return account ?? campaign;
  if (campaign >= account) return account;
  const spacing = campaignSpacing(account, campaign);
  if (spacing.slackMs > 0) return campaign * (spacingMs(campaign) / spacing.spacingMs);
  return account / meanSlots(account / campaign);
}

/** Messages a second; null: no limit. */
export type Rate = { perSecond: number | null };

/** Reads "50/s", "600/min", "3000/h", plain "50" (a second) or "unlimited"; null for anything else, 0 too. */
export function parseRate(text: string): Rate | null {
  const trimmed = text.trim();
  if (trimmed === 'unlimited') return { perSecond: null };
  const match = RATE.exec(trimmed);
  if (match === null) return null;
  const perSecond = Number(match[1]) / (UNIT_SECONDS[match[2] ?? 's'] ?? 1);
  return perSecond > 0 && perSecond <= MAX_PER_SECOND ? { perSecond } : null;
}

/** A rate as people write it: "50/s", and a slow one by the minute or the hour: "1/min". */
export function rateWords(perSecond: number): string {
  const words = (seconds: number, unit: string) => `${Number((perSecond * seconds).toFixed(2))}/${unit}`;
  if (perSecond > 0.999) return words(1, 's');
  return perSecond > 0.999 / 60 ? words(60, 'min') : words(3_600, 'h');
}
