import { type AlertChannel, type AlertFacts, collectAlerts } from '../../domain/alert.ts';
import type { AlertLimits, DueAlert } from '../../ledger/alerts.ts';
import type { Env } from '../env.ts';

/** First wait after a failed try, milliseconds; each further one doubles it. */
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 3_600_000;
/** Older alerts are no longer delivered. */
const GIVE_UP_MS = 24 * 3_600_000;

/** The channels of alerts, and the facts that an alert needs at its delivery. */
export interface AlertOptions extends Omit<AlertLimits, 'now'> {
  channels: AlertChannel[];
  /** Reads the facts of an alert when it is delivered. */
  describe: (alert: DueAlert) => Promise<AlertFacts>;
}

/**
 * Raises new alerts in the ledger, then delivers the due ones, those of one cause together. Each alert is in the ledger
 * before it is sent, so a kill loses none. A kill between the channel's answer and its record repeats an alert, under
 * the same id where no other was added to it.
 */
export async function deliverAlerts(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  options: AlertOptions,
): Promise<void> {
  const { lowCreditMicro, uncertain } = options;
  await env.ledger.raiseAlerts({ now: env.clock.now(), lowCreditMicro, uncertain });
  for (const channel of options.channels) {
    const due = await env.ledger.takeAlerts({ now: env.clock.now(), channel: channel.name });
    for (const alerts of due) await deliver(env, { channel, alerts, describe: options.describe });
  }
}

interface Delivery extends Pick<AlertOptions, 'describe'> {
  channel: AlertChannel;
  /** Of one cause. */
  alerts: DueAlert[];
}

async function deliver(
  { clock, ledger, log }: Pick<Env, 'clock' | 'ledger' | 'log'>,
  { channel, alerts, describe }: Delivery,
): Promise<void> {
  const record = async (retryAt: (now: number, alert: DueAlert) => number | null) => {
    const now = clock.now();
    for (const alert of alerts)
      await ledger.recordAlertTry({
        alert: alert.id,
        channel: channel.name,
        now,
        retryAt: retryAt(now, alert),
      });
  };
  try {
    const described = alerts.map(async (due) => {
      const { id, cause, at, campaign } = due;
      return { id, cause, at, campaign, facts: await describe(due) };
    });
    await channel.send(collectAlerts(await Promise.all(described)));
  } catch (error) {
    await record((now, { at, tries }) => nextTry({ now, raisedAt: at, tries }));
    log.warn(
      { cause: alerts[0]?.cause, channel: channel.name, error: String(error) },
      'an alert was not delivered',
    );
    return;
  }
  await record(() => null);
}

function nextTry({ now, raisedAt, tries }: { now: number; raisedAt: number; tries: number }): number {
  const next = now + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** tries);
  return next > raisedAt + GIVE_UP_MS ? Infinity : next;
}
