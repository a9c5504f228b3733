import type { Outage } from '../domain/pace/outage.ts';
import { jointRate } from '../domain/pace/rate.ts';
import type { CampaignOverview } from '../ledger/contracts/reader.ts';

const RATE_SPAN_MS = 10_000;
/** A campaign that has sent nothing for so long is shown as sending nothing. */
const STALE_MS = 15_000;

/** How fast a campaign sends now, and how long that takes for the rest; null: not known. */
export interface Pace {
  perSecond: number | null;
  leftMs: number | null;
}

/** When a campaign is looked at, and the limit of its account: messages a second, null: none. */
export interface Look {
  now: number;
  accountRate: number | null;
  /** How many workers are alive; left out: whoever looks is one. */
  workers?: number;
  /** The service does not answer; null or left out: it does. */
  outage?: Outage | null;
}

/** A worker that sees an outage says nothing about a campaign that others send. */
const SENDS_MS = 5_000;

/** The outage because of which a running campaign does not send; null: none. */
export function outageOf(
  { state, lastSentAt }: CampaignOverview,
  { now, outage = null }: Look,
): Outage | null {
  const sends = lastSentAt !== null && now - lastSentAt <= SENDS_MS;
  return state === 'running' && !sends ? outage : null;
}

/** The pace of the last ten seconds of activity, never above the rates of campaign and account. */
export function paceOf(overview: CampaignOverview, look: Look): Pace {
  const { now, accountRate, workers } = look;
  const { campaign, startedAt, lastSentAt, sentLast10s, messages, state } = overview;
  if (state !== 'running' || startedAt === null || lastSentAt === null)
    return { perSecond: null, leftMs: null };
  if (workers === 0) return { perSecond: 0, leftMs: null };
  if (outageOf(overview, look) !== null) return { perSecond: null, leftMs: null };
  const most = jointRate(accountRate, campaign.settings.ratePerSecond) ?? Number.POSITIVE_INFINITY;
  // Two messages of a slow rate are further apart than that.
  if (now - lastSentAt > Math.max(STALE_MS, 2_000 / most)) return { perSecond: 0, leftMs: null };
  const spanMs = Math.min(RATE_SPAN_MS, Math.max(1000, now - startedAt));
  // One message in the first second is no pace where one a minute may be sent.
  const perSecond = Math.min(most, sentLast10s / (spanMs / 1000));
  // What is left of a reminder job waits for its days.
  if (perSecond === 0 || campaign.settings.remind !== undefined) return { perSecond, leftMs: null };
  return { perSecond, leftMs: ((messages.queued + messages.sending) / perSecond) * 1000 };
}
