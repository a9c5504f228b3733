import { AlertDelivery, type AlertOptions } from '../campaign/maintenance/deliver-alerts.ts';
import { runLoop } from '../campaign/loop.ts';
import type { Config } from '../config/config.ts';
import type { AlertChannel, AlertFacts } from '../domain/alert.ts';
import { localWords } from '../domain/time/time-words.ts';
import { formatMoney } from '../domain/money.ts';
import type { DueAlert } from '../ledger/contracts/alerts.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import { mailChannel } from '../notify/mail-channel.ts';
import { webhookChannel } from '../notify/webhook-channel.ts';
import type { Services } from './contracts.ts';

/** Between two looks for something to tell. */
const EVERY_MS = 5_000;
/** Unknown report words that are counted. */
const MOST_WORDS = 100;

/** The ways to reach people that the settings name. */
export function alertChannels(config: Config): AlertChannel[] {
  const { alertUrl, alertSecret, alertMail, smtpUrl, publicDashboardUrl: pages } = config;
  const webhook =
    alertUrl === null || alertSecret === null
      ? []
      : [webhookChannel({ url: alertUrl.reveal(), secret: alertSecret.reveal(), pages }, Date.now)];
  const mail =
    alertMail === null || smtpUrl === null
      ? []
      : [mailChannel({ smtpUrl: smtpUrl.reveal(), to: [...alertMail], pages })];
  return [...webhook, ...mail];
}

/** An endpoint as a channel. Its address is read at each request, so that nothing goes to one that was removed. */
export function endpointChannel(
  { ledger, post }: { ledger: Pick<Ledger, 'alertTarget'>; post: Services['postAlert'] },
  id: string,
): AlertChannel {
  return {
    name: id,
    async send(alert) {
      const target = await ledger.alertTarget(id);
      if (target !== null) await post(target, alert);
    },
  };
}

/** Starts telling people and programs. Returns how to stop it. */
export async function startAlerts(services: Services): Promise<() => Promise<void>> {
  const { config, clock, log } = services;
  const ofSettings = alertChannels(config);
  const [ledger, reader] = [await services.ledger(), await services.reader()];
  const options: AlertOptions = {
    channels: async () => {
      const endpoints = await reader.alertEndpoints();
      return [
        ...ofSettings,
        ...endpoints.map(({ id }) => endpointChannel({ ledger, post: services.postAlert }, id)),
      ];
    },
    lowCreditMicro: config.lowCreditMicro,
    uncertain: config.alertUncertain,
    describe: (alert) => describeAlert(reader, config, alert),
  };
  const stopping = new AbortController();
  const delivery = new AlertDelivery({ clock, ledger, log }, options);
  const step = () => delivery.step();
  const running = runLoop({ clock, log }, { name: 'alerts', everyMs: EVERY_MS, step }, stopping.signal);
  return async () => {
    stopping.abort();
    await running;
    await delivery.stop();
  };
}

/** What an alert tells, read when it is delivered. */
export async function describeAlert(
  reader: LedgerReader,
  config: Pick<Config, 'lowCreditMicro' | 'currency' | 'zone'>,
  { cause, n, detail }: DueAlert,
): Promise<AlertFacts> {
  const words = wordsOf(detail);
  if (n !== null) return { ...(await campaignFacts(reader, n, detail)), ...words };
  if (cause === 'low_credit') {
    const { currency, lowCreditMicro } = config;
    return {
      currency,
      credit: formatMoney(detail.creditMicro ?? 0),
      limit: formatMoney(lowCreditMicro ?? 0),
    };
  }
  if (detail.since !== undefined) return { since: localWords(detail.since, config.zone) };
  const waits = cause === 'unknown_answer' || cause === 'unknown_word';
  return waits ? { ...words, waiting: await waitingFor(reader, cause) } : words;
}

async function campaignFacts(
  reader: LedgerReader,
  n: number,
  detail: DueAlert['detail'],
): Promise<AlertFacts> {
  const { messages, reason } = await reader.overview(n);
  const { delivery } = await reader.tallies(n, 0);
  const { sent, rejected, uncertain } = messages;
  const why = detail.reason ?? reason ?? undefined;
  const counts = { sent, rejected, uncertain, delivered: delivery.delivered };
  return { ...counts, ...(why === undefined ? {} : { reason: why }) };
}

const NOTED = ['words', 'count', 'by', 'step', 'whom', 'role'] as const;

/** What the ledger noted when it raised the alert. */
function wordsOf(detail: DueAlert['detail']): Pick<AlertFacts, (typeof NOTED)[number]> {
  return Object.fromEntries(NOTED.flatMap((name) => (detail[name] == null ? [] : [[name, detail[name]]])));
}

/** Messages or reports that wait for a decision of a person. */
async function waitingFor(reader: LedgerReader, cause: DueAlert['cause']): Promise<number> {
  if (cause === 'unknown_answer') {
    const open = await reader.openAnswers(null);
    return open.reduce((sum, { messages }) => sum + messages, 0);
  }
  const words = cause === 'unknown_word' ? await reader.unknownWords(MOST_WORDS) : [];
  return words.reduce((sum, { count, mapped }) => sum + (mapped === null ? count : 0), 0);
}
