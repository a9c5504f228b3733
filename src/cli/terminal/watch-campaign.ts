import type { Campaign, PauseReason } from '../../domain/campaign.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Context } from '../context.ts';
import { lookAgain } from './look-again.ts';

/** Why the watching ended. */
export type WatchEnd =
  | { end: 'settled' }
  /** Paused for longer than allowed, with nobody there to do anything about it. */
  | { end: 'paused'; reason: PauseReason }
  | { end: 'interrupted' };

/** The watched campaign, the time to watch it, and the listener. */
export interface Watching {
  campaign: Campaign;
  /** How long after settling the delivery reports are waited for. */
  waitReportsMs: number;
  /** How long a pause may last; null: for ever (there is a person at the terminal). */
  waitPausedMs: number | null;
  /** Shows where it stands; called about once a second. */
  show: (overview: CampaignOverview) => void | Promise<void>;
  /** Says how many messages are sent and wait for their report. */
  showWaiting: (overview: CampaignOverview, pending: number) => void;
  /** Sees to it that somebody sends; called every few seconds until the campaign is settled. */
  tend: () => Promise<void>;
}

const LOOK_MS = 500;
/** Counting a large campaign takes a while: at most a small share of the time goes into looking. */
const LOOK_SHARE = 0.04;
const TEND_MS = 5_000;
const REPORTS_LOOK_MS = 500;

/** Watches a campaign until every message is settled and, for a bounded time, reported. Reads only. */
export async function watchCampaign(context: Context, watching: Watching): Promise<WatchEnd> {
  const reader = await context.reader();
  const end = await untilSettled(context, { ...watching, reader });
  if (end.end !== 'settled') return end;
  await untilReported(context, { ...watching, reader, overview: end.overview });
  return context.signal.aborted ? { end: 'interrupted' } : { end: 'settled' };
}

type Look = Watching & { reader: LedgerReader };

type Settling = Exclude<WatchEnd, { end: 'settled' }> | { end: 'settled'; overview: CampaignOverview };

async function untilSettled(context: Context, look: Look): Promise<Settling> {
  const { clock, signal } = context;
  const pause = new PauseWatch(look.waitPausedMs);
  let tendedAt = -Infinity;
  while (!signal.aborted) {
    if (clock.monotonic() - tendedAt >= TEND_MS) {
      await lookAgain(context, look.tend);
      tendedAt = clock.monotonic();
    }
    const lookedAt = clock.monotonic();
    const overview = await lookAgain(context, () => look.reader.overview(look.campaign.n));
    const lookMs = Math.max(LOOK_MS, (clock.monotonic() - lookedAt) / LOOK_SHARE);
    await lookAgain(context, async () => look.show(overview));
    const inFlight = overview.messages.sending > 0;
    if (overview.state === 'finished' || (overview.state === 'canceled' && !inFlight))
      return { end: 'settled', overview };
    const reason = pause.tooLong(overview, clock.monotonic());
    if (reason !== null) return { end: 'paused', reason };
    await clock.sleep(lookMs, signal);
  }
  return { end: 'interrupted' };
}

/** Reports come seconds to days later: nobody waits for all of them, but most come soon. */
async function untilReported(context: Context, look: Look & { overview: CampaignOverview }): Promise<void> {
  const { clock, signal } = context;
  const until = clock.monotonic() + look.waitReportsMs;
  while (!signal.aborted && clock.monotonic() < until) {
    const { delivery } = await lookAgain(context, () => look.reader.tallies(look.campaign.n, 0));
    if (delivery.pending === 0) return;
    look.showWaiting(look.overview, delivery.pending);
    await clock.sleep(REPORTS_LOOK_MS, signal);
  }
}

/** Notices a pause that lasts too long. */
class PauseWatch {
  readonly #mostMs: number | null;
  #since: number | null = null;

  constructor(mostMs: number | null) {
    this.#mostMs = mostMs;
  }

  tooLong({ state, reason, canary }: CampaignOverview, now: number): PauseReason | null {
    // A canary that waits for its reports needs nobody.
    if (state !== 'paused' || reason === null || canary?.verdict === 'waiting') {
      this.#since = null;
      return null;
    }
    this.#since ??= now;
    return this.#mostMs !== null && now - this.#since >= this.#mostMs ? reason : null;
  }
}
