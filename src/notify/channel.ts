import type { Alert } from '../domain/alert.ts';

/** A way to reach people. */
export interface AlertChannel {
  /** As the ledger keeps it. */
  name: 'webhook' | 'mail';
  /** Resolves when the other side has taken the alert. Rejects with an error whose message holds no secret. */
  send(alert: Alert): Promise<void>;
}

/** Longest wait for the other side, milliseconds. */
export const CHANNEL_TIMEOUT_MS = 15_000;
