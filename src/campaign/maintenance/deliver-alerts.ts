import type { AlertChannel, AlertFacts } from '../../domain/alert.ts';
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
  /** The facts of an alert, read when it is delivered. */
  describe: (alert: DueAlert) => Promise<AlertFacts>;
}

/**
 * Raises new alerts in the ledger, then delivers the due ones. Each alert is in the ledger before it is sent,
 * so a kill loses none. A kill between the channel's answer and its record repeats an alert under the same
 * id.
 */
export async function deliverAlerts(
  env: Pick<Env, 'clock' | 'ledger' | 'log'>,
  options: AlertOptions,
): Promise<void> {
  const { lowCreditMicro, uncertain } = options;
  await env.ledger.raiseAlerts({ now: env.clock.now(), lowCreditMicro, uncertain });
  for (const channel of options.channels) {
    const due = await env.ledger.takeAlerts({ now: env.clock.now(), channel: channel.name });
    for (const alert of due) await deliver(env, { channel, alert, describe: options.describe });
  }
}

async function deliver(
  { clock, ledger, log }: Pick<Env, 'clock' | 'ledger' | 'log'>,
  { channel, alert, describe }: { channel: AlertChannel; alert: DueAlert } & Pick<AlertOptions, 'describe'>,
): Promise<void> {
  const { id, cause, at, campaign, tries } = alert;
  const tried = { alert: id, channel: channel.name };
  try {
    await channel.send({ id, cause, at, campaign, facts: await describe(alert) });
  } catch (error) {
    const now = clock.now();
    await ledger.recordAlertTry({ ...tried, now, retryAt: nextTry({ now, raisedAt: at, tries }) });
    log.warn({ cause, channel: channel.name, error: String(error) }, 'an alert was not delivered');
    return;
  }
  await ledger.recordAlertTry({ ...tried, now: clock.now(), retryAt: null });
}

function nextTry({ now, raisedAt, tries }: { now: number; raisedAt: number; tries: number }): number {
  const next = now + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** tries);
  return next > raisedAt + GIVE_UP_MS ? Infinity : next;
}
