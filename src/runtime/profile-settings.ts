import type { WebhookReading } from './contracts.ts';
import { typedBack, wishReader } from '../domain/text/opt-out-words.ts';
import { replyHint, webhookParser } from '../provider/webhooks/read-webhook.ts';
import { wordTable } from '../provider/webhooks/report-word-mapping.ts';
import type { LaunchSettings } from '../campaign/launch/launch-settings.ts';
import type { Config } from '../config/config.ts';
import { configuredPrices } from '../config/values.ts';
import { loadProfile } from '../provider/profiles/load-profile.ts';

/** The settings of plans and launches. Throws `config_invalid` for a wrong profile. */
export function launchSettings(config: Config): LaunchSettings {
  const { country, countries, zone, currency, optOutText, sender, ratePerSecond, ledgerPlace, profileFile } =
    config;
  return {
    countries: [country, ...countries],
    zone,
    currency,
    optOutText,
    sender,
    ratePerSecond,
    ledgerPlace,
    prices: configuredPrices(config.price),
    pricesAbroad: config.price?.byCountryMicro ?? {},
    rateBySegment: rateBySegment(config),
    notAccepted: loadProfile(profileFile).not_accepted,
  };
}

/** The profile's names of networks, by number. */
export function networkNames({ profileFile }: Pick<Config, 'profileFile'>): Readonly<Record<string, string>> {
  return loadProfile(profileFile).networks;
}

/** True when the provider's profile has rates count segments, not messages. */
export function rateBySegment({ profileFile }: Pick<Config, 'profileFile'>): boolean {
  return loadProfile(profileFile).rate_per === 'segment';
}

/** The reading of webhooks under this configuration's profile. Throws `config_invalid` for a wrong one. */
export function webhookReading({ profileFile, country, optOutText }: Config): WebhookReading {
  const { reports, opt_out: optOut, webhook_answer: answer } = loadProfile(profileFile);
  const meaningOf = wordTable(reports.words);
  return {
    answer,
    parse: webhookParser(reports, { country }),
    wishOf: wishReader({
      ...optOut,
      stop: [...optOut.words, ...typedBack(optOutText)],
      start: optOut.return_words,
    }),
    mayBeReply: replyHint(reports),
    knows: (word) => meaningOf(word).delivery,
  };
}
