import { createTransport } from 'nodemailer';
import { type Alert, type AlertChannel, alertWords } from '../domain/alert.ts';
import { nextWords } from './next-step.ts';
import { CHANNEL_TIMEOUT_MS } from './webhook-channel.ts';

/* Alerts as plain mails, over SMTP. */

/** Where alerts are mailed. */
export interface MailTarget {
  /** `smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS. */
  smtpUrl: string;
  to: string[];
  /** As of WebhookTarget. */
  pages: string | null;
}

/**
 * Mails each alert. Encryption is required: without it `smtp://` would send password and alert in the clear
 * wherever a server does not offer STARTTLS. Only a server on this machine may go without.
 */
export function mailChannel({ smtpUrl, to, pages }: MailTarget): AlertChannel {
  const url = new URL(smtpUrl);
  const user = decodeURIComponent(url.username);
  const from = user.includes('@') ? user : (to[0] ?? '');
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (url.protocol === 'smtps:' ? 465 : 587),
    secure: url.protocol === 'smtps:',
    requireTLS: !isThisMachine(url.hostname),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: CHANNEL_TIMEOUT_MS,
    greetingTimeout: CHANNEL_TIMEOUT_MS,
    socketTimeout: CHANNEL_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    name: 'mail',
    async send(alert) {
      try {
        await transport.sendMail({ from, to, ...mailOf(alert, pages) });
      } catch (error) {
        // oxlint-disable-next-line preserve-caught-error -- the cause may repeat the login, and it would reach the log
        throw new Error(`the mail server failed: ${wordsOf(error)}`);
      } finally {
        transport.close();
      }
    },
  };
}

/** The words of a server are left out, because they may repeat the login. */
function wordsOf(error: unknown): string {
  const { code, responseCode, message } = error as Error & { code?: string; responseCode?: number };
  return code === 'EAUTH' || responseCode !== undefined ? `${code} ${responseCode ?? ''}`.trim() : message;
}

function mailOf(alert: Alert, pages: string | null) {
  const { subject, text, next: step } = alertWords(alert);
  const { next, page } = nextWords(step, pages);
  const { campaign, at } = alert;
  const lines = [
    text,
    ...(next === null && page === null ? [] : ['']),
    ...(next === null ? [] : [`Next: ${next}`]),
    ...(page === null ? [] : [`Page: ${page}`]),
    '',
    ...(campaign === null ? [] : [`Campaign: ${campaign.name} (${campaign.id})`]),
    `Time: ${new Date(at).toISOString()}`,
  ];
  // The same id again is the same alert, so that a mail that came twice is seen to be one.
  const headers = { 'X-Tuma-Alert': `alert_${alert.id}` };
  return { subject: `[Tuma] ${subject}`, text: `${lines.join('\n')}\n`, headers };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
