import { inspect } from 'node:util';
import type { Config, SettingsError } from '../../config/config.ts';
import { SETTING_NAMES, type SettingName, settingDoc } from '../../config/schema.ts';
import { HIDDEN, type Secret } from '../../config/secret.ts';
import { rateWords } from '../../domain/pace/rate.ts';
import type { AddressList } from '../../domain/numbers/address-list.ts';
import { formatDuration } from '../../domain/time/time-words.ts';
import { formatMoney } from '../../domain/money.ts';

/** A setting as doctor shows it. */
export interface SettingRow {
  name: SettingName;
  /** Null: not set. Secrets are masked. */
  value: string | null;
  /** flag, environment, .env, tuma.yaml or default; files with their path. */
  from: string;
}

/** Every setting with its value and where it came from. */
export function settingRows(config: Config): SettingRow[] {
  return SETTING_NAMES.map((name) => {
    const { from, file } = config.origins[name];
    return { name, value: shown(name, config), from: file ?? from };
  });
}

/** The same of settings that are wrong, each as it was given. */
export function givenRows({ settings }: SettingsError): SettingRow[] {
  return settings.map(({ name, text, from, file }) => ({ name, value: text, from: file ?? from }));
}

type Value = string | number | Secret | AddressList;

const VALUES: Readonly<Record<SettingName, (config: Config) => Value | null>> = {
  TUMA_HOME: ({ home }) => home,
  TUMA_MESSAGING_URL: ({ messagingUrl }) => messagingUrl,
  TUMA_BASE_URL: ({ baseUrl }) => baseUrl,
  TUMA_API_KEY: ({ apiKey }) => apiKey,
  TUMA_API_SECRET: ({ apiSecret }) => apiSecret,
  TUMA_API_TOKEN: ({ apiToken }) => apiToken,
  TUMA_V2_AUTH: ({ v2Auth }) => v2Auth,
  TUMA_SENDER: ({ sender }) => sender,
  TUMA_PROFILE: ({ profileFile }) => profileFile,
  TUMA_DATABASE_URL: ({ ledgerFile }) => `sqlite:${ledgerFile}`,
  TUMA_REDIS_URL: ({ redisUrl }) => redisUrl,
  TUMA_HOST: ({ host }) => host,
  TUMA_PORT: ({ port }) => port,
  TUMA_DASHBOARD_HOST: ({ dashboardHost }) => dashboardHost,
  TUMA_DASHBOARD_PORT: ({ dashboardPort }) => dashboardPort,
  TUMA_DASHBOARD_TOKEN: ({ dashboardToken }) => dashboardToken,
  TUMA_WEBHOOK_TOKEN: ({ webhookToken }) => webhookToken,
  TUMA_WEBHOOK_TOKEN_OLD: ({ webhookTokenOld }) => webhookTokenOld,
  TUMA_WEBHOOK_FROM: ({ webhookFrom }) => webhookFrom,
  TUMA_TRUSTED_PROXIES: ({ trustedProxies }) => trustedProxies,
  TUMA_PUBLIC_URL: ({ publicUrl }) => publicUrl,
  TUMA_COUNTRY: ({ country }) => country,
  TUMA_ZONE: ({ zone }) => zone,
  TUMA_CURRENCY: ({ currency }) => currency,
  TUMA_RATE: ({ ratePerSecond }) => (ratePerSecond === null ? 'unlimited' : rateWords(ratePerSecond)),
  TUMA_CONCURRENCY: ({ concurrency }) => concurrency,
  TUMA_CLAIM_LIMIT: ({ claimLimit }) => claimLimit,
  TUMA_PRICE: ({ price }) => priceText(price),
  TUMA_OPT_OUT_TEXT: ({ optOutText }) => inspect(optOutText),
  TUMA_DEADLINE: ({ deadlineMs }) => formatDuration(deadlineMs),
  TUMA_REPORT_WAIT: ({ reportWaitMs }) => formatDuration(reportWaitMs),
  TUMA_RESOLVE_AFTER: ({ resolveAfterMs }) => formatDuration(resolveAfterMs),
};

function shown(name: SettingName, config: Config): string | null {
  const value = VALUES[name](config);
  if (value === null) return null;
  return settingDoc(name).secret === true ? HIDDEN : String(value);
}

function priceText(price: Config['price']): string | null {
  if (price === null) return null;
  const parts = Object.entries(price.byNetworkMicro).map(
    ([network, micro]) => `${network}=${formatMoney(micro)}`,
  );
  if (price.otherMicro !== null)
    parts.push(parts.length === 0 ? formatMoney(price.otherMicro) : `*=${formatMoney(price.otherMicro)}`);
  return parts.join(',');
}
