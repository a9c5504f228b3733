import { randomBytes } from 'node:crypto';
import { type Alert, type AlertCause, collectAlerts } from '../../domain/alert.ts';
import { shownAddress } from '../../domain/alert-endpoint.ts';
import { TumaError } from '../../domain/errors.ts';
import { printableLine, shortened } from '../../domain/text/printable.ts';
import type { AlertTarget } from '../../ledger/contracts/alert-endpoints.ts';
import type { AlertLimits } from '../../ledger/contracts/alerts.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { StateChange } from '../../ledger/contracts/records.ts';
import type { Clock } from '../env.ts';

/** Each costs a request an alert, and a home has a few receivers. */
const MOST_ENDPOINTS = 20;
/** Longest description, in characters. */
export const MOST_DESCRIPTION = 100;
/** Longest words about a failed try. */
const MOST_WHY = 200;
/** Of the key that signs, as Standard Webhooks has it. */
const SECRET_BYTES = 32;

/** An order about an endpoint. */
export interface EndpointOrder {
  ledger: Ledger;
  change: StateChange;
}

/** An order to add one. */
export interface AddingOrder extends EndpointOrder {
  /** What raises alerts. */
  limits: Omit<AlertLimits, 'now'>;
}

/** An endpoint as somebody asks for it. */
export interface AskedEndpoint {
  /** Of `readEndpointUrl`. */
  url: string;
  description: string;
  /** Null: all. */
  causes: readonly AlertCause[] | null;
}

/** A secret that is shown once. */
export interface EndpointSecret {
  id: string;
  /** `whsec_` and the key in base64. */
  secret: string;
}

/** Adds an endpoint, which gets what happens from now on. Throws `usage` when there are too many. */
export async function addAlertEndpoint(
  { ledger, change, limits }: AddingOrder,
  endpoint: AskedEndpoint,
): Promise<EndpointSecret> {
  const made = { id: `ae_${randomBytes(8).toString('hex')}`, secret: newKey() };
  const shown = shownAddress(endpoint.url);
  const added = { ...change, ...endpoint, ...made, shown, limits, most: MOST_ENDPOINTS };
  if (await ledger.addAlertEndpoint(added)) return made;
  throw new TumaError('usage', {
    message: `There are ${MOST_ENDPOINTS} addresses for alerts already.`,
    hint: 'Remove one that nobody needs.',
  });
}

/** Removes an endpoint, which gets nothing more. Throws `not_found`. */
export async function removeAlertEndpoint({ ledger, change }: EndpointOrder, id: string): Promise<void> {
  if (!(await ledger.removeAlertEndpoint({ ...change, id }))) throw noEndpoint();
}

/** Makes a new secret; the one before signs nothing more. Throws `not_found`. */
export async function renewAlertSecret(
  { ledger, change }: EndpointOrder,
  id: string,
): Promise<EndpointSecret> {
  const made = { id, secret: newKey() };
  if (await ledger.renewAlertSecret({ ...change, ...made })) return made;
  throw noEndpoint();
}

/**
 * Posts a test to an endpoint at once, and notes how that ended. Returns null when the receiver took it, else why not.
 * Throws `not_found`.
 */
export async function testAlertEndpoint(
  {
    ledger,
    clock,
    post,
  }: {
    ledger: Ledger;
    clock: Clock;
    post: (target: AlertTarget, alert: Alert) => Promise<void>;
  },
  id: string,
): Promise<string | null> {
  const target = await ledger.alertTarget(id);
  if (target === null) throw noEndpoint();
  const at = clock.now();
  const alert = collectAlerts([{ id: at, cause: 'test', at, campaign: null, facts: {} }]);
  const why = await post(target, alert).then(
    () => null,
    (error: unknown) => whyNotTaken(error),
  );
  await ledger.noteEndpointTry({ id, now: clock.now(), why });
  return why;
}

/** The words of a failed try, for whoever looks at the endpoint. */
export function whyNotTaken(error: unknown): string {
  const { message, cause } = error as Error;
  const words = message === '' && cause instanceof Error ? cause.message : message;
  return shortened(printableLine(words || String(error)), MOST_WHY);
}

function newKey(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function noEndpoint(): TumaError {
  return new TumaError('not_found', { message: 'There is no such address for alerts. It was removed.' });
}
