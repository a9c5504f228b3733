import type { AlertEvent, ApproverStep } from '../../domain/alert.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import type { MoneyMicro } from '../../domain/money.ts';

/** The limits that raise alerts. */
export interface AlertLimits {
  now: number;
  /** The low credit that raises an alert; null: no alert. */
  lowCreditMicro: MoneyMicro | null;
  /** The number of uncertain messages of one campaign that raises an alert. */
  uncertain: number;
}

/** An alert that a channel has not taken yet. */
export interface DueAlert extends Pick<AlertEvent, 'id' | 'cause' | 'at' | 'campaign'> {
  /** The ledger's note from the raising: the reason of a pause, words, amounts. */
  detail: {
    reason?: PauseReason;
    words?: string | null;
    creditMicro?: MoneyMicro;
    count?: number;
    since?: number;
    by?: string;
    step?: ApproverStep;
    whom?: string | null;
    role?: string | null;
  };
  /** The campaign's number in the ledger; null: none. */
  n: number | null;
  /** Failed tries so far. */
  tries: number;
}

/** The result of one try to deliver an alert. */
export interface AlertTry {
  alert: number;
  channel: string;
  now: number;
  /** Null: the channel took it. Else the time of the next try; `Infinity`: never. */
  retryAt: number | null;
  /** Why the channel did not take it; null or left out: it did. */
  why?: string | null;
}

/** Alerts of the ledger: raised once per event of the last 24 hours, delivered at least once per channel. */
export interface AlertLedger {
  /** Raises new alerts. Returns their number. */
  raiseAlerts(limits: AlertLimits): Promise<number>;
  /**
   * The alerts that this channel should try now: for each cause all that it has not taken yet, urgent causes first. A
   * cause goes out at most once an hour, an urgent one once a minute. Each alert is reserved for a minute, against a
   * second process.
   */
  takeAlerts(due: { now: number; channel: string }): Promise<DueAlert[][]>;
  recordAlertTry(tried: AlertTry): Promise<void>;
}
