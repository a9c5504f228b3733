import type { Alert, AlertCause } from '../domain/alert.ts';
import type { PauseReason } from '../domain/campaign.ts';
import type { MoneyMicro } from '../domain/money.ts';

/** When an alert is raised. */
export interface AlertLimits {
  now: number;
  /** Below it the credit is low; null: nobody is told. */
  lowCreditMicro: MoneyMicro | null;
  /** So many uncertain messages of one campaign are told. */
  uncertain: number;
}

/** An alert that a channel has not taken yet. */
export interface DueAlert extends Pick<Alert, 'id' | 'cause' | 'at' | 'campaign'> {
  /** What the ledger noted when it was raised: the reason of a pause, words, amounts. */
  detail: { reason?: PauseReason; words?: string | null; creditMicro?: MoneyMicro };
  /** The campaign's number in the ledger; null: none. */
  n: number | null;
  /** Failed tries so far. */
  tries: number;
}

/** What became of one try to deliver an alert. */
export interface AlertTry {
  alert: number;
  channel: string;
  now: number;
  /** Null: the channel took it. Else when to try again; `Infinity`: never. */
  retryAt: number | null;
}

/** Alerts of the ledger: raised once for each event of the last 24 hours, delivered at least once by each channel. */
export interface AlertLedger {
  /** Raises what is new. Returns how many. */
  raiseAlerts(limits: AlertLimits): Promise<number>;
  /** Raises a test. */
  raiseAlert(cause: AlertCause, now: number): Promise<void>;
  /** The alerts that this channel should try now. Each is held for a minute, so that no second process tries it, too. */
  takeAlerts(due: { now: number; channel: string }): Promise<DueAlert[]>;
  recordAlertTry(tried: AlertTry): Promise<void>;
}
