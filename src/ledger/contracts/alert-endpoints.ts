import type { AlertCause } from '../../domain/alert.ts';
import type { AlertLimits } from './alerts.ts';
import type { StateChange } from './records.ts';

/* The addresses of programs that get alerts, beside those that settings name: a part of both contracts. */

/** Where alerts of an endpoint are posted. The secret leaves the ledger only here. */
export interface AlertTarget {
  url: string;
  /** `whsec_` and the key in base64. */
  secret: string;
}

/** An endpoint that is added. */
export interface NewAlertEndpoint extends StateChange, AlertTarget {
  /** Never of another endpoint; its channel of deliveries, too. */
  id: string;
  /** The address as the audit names it. */
  shown: string;
  description: string;
  /** Null: all, also those that a later Tuma has. */
  causes: readonly AlertCause[] | null;
  limits: Omit<AlertLimits, 'now'>;
  /** Refused when there are so many. */
  most: number;
}

/** How a try ended. */
export interface EndpointTry {
  id: string;
  now: number;
  /** Null: the receiver took it. */
  why: string | null;
}

/** The write part. Each is one transaction, and leaves an audit row. */
export interface AlertEndpointLedger {
  /** Adds an endpoint for what happens from now on. False: there are as many as there may be. */
  addAlertEndpoint(endpoint: NewAlertEndpoint): Promise<boolean>;
  /** Removes it with its deliveries. False: there is none. */
  removeAlertEndpoint(order: StateChange & { id: string }): Promise<boolean>;
  /** Replaces the secret at once. False: there is no such endpoint. */
  renewAlertSecret(order: StateChange & { id: string; secret: string }): Promise<boolean>;
  /** Where to post now; null: the endpoint was removed, and nothing more may go there. */
  alertTarget(id: string): Promise<AlertTarget | null>;
  /** Notes a try that is no delivery of an alert: a test. */
  noteEndpointTry(tried: EndpointTry): Promise<void>;
}

/** The read part. */
export interface AlertEndpointReader {
  /** All of them, the oldest first: a few. */
  alertEndpoints(): Promise<AlertEndpointRow[]>;
}

/** An endpoint without its secret. Times in milliseconds. */
export interface AlertEndpointRow {
  id: string;
  url: string;
  description: string;
  /** Null: all. */
  causes: AlertCause[] | null;
  addedAt: number;
  addedBy: string;
  /** The last time that it took an alert; null: never. */
  successAt: number | null;
  /** The last time that it did not, and why. */
  failureAt: number | null;
  failure: string | null;
}
