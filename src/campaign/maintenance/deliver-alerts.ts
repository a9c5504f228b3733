import { type AlertChannel, type AlertFacts, collectAlerts } from '../../domain/alert.ts';
import type { AlertLimits, DueAlert } from '../../ledger/contracts/alerts.ts';
import type { Env } from '../env.ts';
import { whyNotTaken } from '../people/alert-endpoints.ts';

/** First wait after a failed try, milliseconds; each further one doubles it. */
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 3_600_000;
/** Older alerts are no longer delivered. */
const GIVE_UP_MS = 24 * 3_600_000;

/** The channels of alerts, and the facts that an alert needs at its delivery. */
export interface AlertOptions extends Omit<AlertLimits, 'now'> {
  /** Those of the settings, and the endpoints that there are now. */
  channels: () => Promise<AlertChannel[]>;
  /** Reads the facts of an alert when it is delivered. */
  describe: (alert: DueAlert) => Promise<AlertFacts>;
}

type AlertEnv = Pick<Env, 'clock' | 'ledger' | 'log'>;

/**
 * Raises new alerts in the ledger, then delivers the due ones, those of one cause together. Each alert is in the ledger
 * before it is sent, so a kill loses none. A kill between the channel's answer and its record repeats an alert, under
 * the same id where no other was added to it. A channel that hangs delays no other one.
 */
export class AlertDelivery {
  readonly #env: AlertEnv;
  readonly #options: AlertOptions;
  /** What each channel is busy with. */
  readonly #underWay = new Map<string, Promise<void>>();
  #stopped = false;

  constructor(env: AlertEnv, options: AlertOptions) {
    this.#env = env;
    this.#options = options;
  }

  /** Raises, and begins the delivery by each channel that is not busy. Nothing is raised when nobody would get it. */
  async step(): Promise<void> {
    const { clock, ledger } = this.#env;
    const { channels, lowCreditMicro, uncertain } = this.#options;
    const all = await channels();
    if (all.length === 0) return;
    await ledger.raiseAlerts({ now: clock.now(), lowCreditMicro, uncertain });
    for (const channel of all) if (!this.#underWay.has(channel.name)) this.#begin(channel);
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  /** Begins no further request. Resolves after the last one. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.settled();
  }

  #begin(channel: AlertChannel): void {
    const { log } = this.#env;
    const running = this.#deliverDue(channel)
      .catch((error: unknown) =>
        log.error({ channel: channel.name, error: String(error) }, 'alerts wait, and are tried again'),
      )
      .finally(() => this.#underWay.delete(channel.name));
    this.#underWay.set(channel.name, running);
  }

  async #deliverDue(channel: AlertChannel): Promise<void> {
    const { clock, ledger } = this.#env;
    for (const alerts of await ledger.takeAlerts({ now: clock.now(), channel: channel.name })) {
      if (this.#stopped) return;
      await deliver(this.#env, { channel, alerts, describe: this.#options.describe });
    }
  }
}

interface Delivery extends Pick<AlertOptions, 'describe'> {
  channel: AlertChannel;
  /** Of one cause. */
  alerts: DueAlert[];
}

async function deliver(env: AlertEnv, { channel, alerts, describe }: Delivery): Promise<void> {
  const why = await send({ channel, alerts, describe }).then(
    () => null,
    (error: unknown) => whyNotTaken(error),
  );
  const [first] = alerts;
  if (why !== null)
    env.log.warn({ cause: first?.cause, channel: channel.name, error: why }, 'an alert was not delivered');
  await record(env, { channel, alerts, why });
}

async function send({ channel, alerts, describe }: Delivery): Promise<void> {
  const described = alerts.map(async (due) => {
    const { id, cause, at, campaign } = due;
    return { id, cause, at, campaign, facts: await describe(due) };
  });
  await channel.send(collectAlerts(await Promise.all(described)));
}

async function record(
  { clock, ledger }: AlertEnv,
  { channel, alerts, why }: Pick<Delivery, 'channel' | 'alerts'> & { why: string | null },
): Promise<void> {
  const now = clock.now();
  for (const { id: alert, at, tries } of alerts) {
    const retryAt = why === null ? null : nextTry({ now, raisedAt: at, tries });
    await ledger.recordAlertTry({ alert, channel: channel.name, now, retryAt, why });
  }
}

function nextTry({ now, raisedAt, tries }: { now: number; raisedAt: number; tries: number }): number {
  const next = now + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** tries);
  return next > raisedAt + GIVE_UP_MS ? Infinity : next;
}
