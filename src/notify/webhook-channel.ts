import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { type Alert, type AlertChannel, alertWords } from '../domain/alert.ts';
import { nextWords } from './next-step.ts';

/* Alerts as webhooks, signed as in https://www.standardwebhooks.com; its libraries check the signature. */

/** Longest wait for the other side, milliseconds. */
export const CHANNEL_TIMEOUT_MS = 15_000;

/** Where alerts are posted. */
export interface WebhookTarget {
  url: string;
  /** `whsec_` and the key in base64. */
  secret: string;
  /** The origin of the pages; null: nobody reaches them from elsewhere. */
  pages: string | null;
}

/** The address of the settings as a channel. */
export function webhookChannel(target: WebhookTarget, now: () => number): AlertChannel {
  return { name: 'webhook', send: (alert) => postAlert(target, { alert, at: now() }) };
}

/**
 * Posts an alert as JSON. A redirect is an error, because it could lead the alert elsewhere. Rejects with a message that
 * holds no secret.
 */
export async function postAlert(
  { url, secret, pages }: WebhookTarget,
  { alert, at }: { alert: Alert; at: number },
): Promise<void> {
  const body = JSON.stringify(alertBody(alert, pages));
  const headers = signedHeaders({ id: `alert_${alert.id}`, at, body, secret });
  const { statusCode, body: answer } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    headersTimeout: CHANNEL_TIMEOUT_MS,
    bodyTimeout: CHANNEL_TIMEOUT_MS,
    signal: AbortSignal.timeout(CHANNEL_TIMEOUT_MS),
  });
  await answer.dump();
  if (statusCode < 200 || statusCode > 299) throw new Error(`it answered ${statusCode}`);
}

/** The body of the webhook. Times are ISO 8601 UTC; fields may be added. */
export function alertBody(alert: Alert, pages: string | null) {
  const { subject, text, next: step } = alertWords(alert);
  const { next, page } = nextWords(step, pages);
  const { cause, campaign, facts, events } = alert;
  const timestamp = new Date(alert.at).toISOString();
  const several = events.map(({ campaign: one, facts: own }) => ({ campaign: one, ...own }));
  const data = {
    campaign,
    subject,
    text,
    next,
    ...(page === null ? {} : { page }),
    ...facts,
    ...(several.length === 0 ? {} : { events: several }),
  };
  return { type: `tuma.${cause}`, timestamp, data };
}

/** The three headers of Standard Webhooks. `at` is in milliseconds; the header counts seconds. */
export function signedHeaders(signed: { id: string; at: number; body: string; secret: string }) {
  const { id, body } = signed;
  const seconds = Math.floor(signed.at / 1_000);
  const key = Buffer.from(signed.secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
