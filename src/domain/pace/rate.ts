const RATE = /^(\d{1,9}(?:\.\d{1,3})?)(?:\s*\/\s*(s|sec|m|min|h|hour))?$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, sec: 1, m: 60, min: 60, h: 3600, hour: 3600 };

/** Faster than any account. A faster rate is written `unlimited`. */
const MAX_PER_SECOND = 1_000_000;

/** The unused share leaves room for a dispatch 40 ms late, so that no second holds more than the rate. */
const USED_SHARE = 0.96;

/** Milliseconds between two messages under a limit of `ratePerSecond`. */
export function spacingMs(ratePerSecond: number): number {
  return 1_000 / (USED_SHARE * ratePerSecond);
}

/** The number of messages that the full limit would send in the same time. */
export function atFullRate(messages: number): number {
  return messages / USED_SHARE;
}

/** Stored slot times are rounded; a slot may come early by this share of a spacing. */
export const SLOT_ROUNDING = 0.05;

/** A campaign's own spacing: `spacingMs` lie between due times. A slot is at most `slackMs` after its due time. */
export interface CampaignSpacing {
  spacingMs: number;
  /** 0: each slot is a whole spacing after the one before. */
  slackMs: number;
}

/**
 * The spacing of a campaign's own limit under its account's limit (messages a second; null: no limit). The
 * result is the faster plan: strict spacing from slot to slot, or wider spacing whose slots may be `slackMs`
 * late.
 */
export function campaignSpacing(account: number | null, campaign: number): CampaignSpacing {
  const own = { spacingMs: spacingMs(campaign), slackMs: 0 };
  if (account === null || campaign >= account) return own;
  const slackMs = spacingMs(account);
  const late = { spacingMs: own.spacingMs + slackMs / Math.max(1, Math.floor(campaign)), slackMs };
  return late.spacingMs < meanSlotsPerMessage(account / campaign) * slackMs ? late : own;
}

/** The average number of account slots per message, when messages are `slots` (1 or more) apart. */
function meanSlotsPerMessage(slots: number): number {
  const whole = Math.floor(slots);
  // The forgiven fractions add up and finally cost one slot.
  return whole + 1 / (1 + Math.floor(SLOT_ROUNDING / (slots - whole)));
}

/** Messages a second under both limits, while no other campaign sends. Null: no limit. */
export function jointRate(account: number | null, campaign: number | null): number | null {
  if (account === null || campaign === null) return account ?? campaign;
  if (campaign >= account) return account;
  const spacing = campaignSpacing(account, campaign);
  if (spacing.slackMs > 0) return campaign * (spacingMs(campaign) / spacing.spacingMs);
  return account / meanSlotsPerMessage(account / campaign);
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
