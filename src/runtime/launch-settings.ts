import type { LaunchSettings } from '../campaign/launch/launch-settings.ts';
import type { Config } from '../config/config.ts';
import { configuredPrices } from '../config/values.ts';
import { loadProfile } from '../provider/profiles/load-profile.ts';

/** What plans and launches depend on, of the configuration and the profile. Throws `config_invalid` for a wrong profile. */
export function launchSettings(config: Config): LaunchSettings {
  const { country, zone, currency, optOutText, sender, ratePerSecond, ledgerFile, profileFile } = config;
  return {
    country,
    zone,
    currency,
    optOutText,
    sender,
    ratePerSecond,
    ledgerFile,
    prices: configuredPrices(config.price),
    rateBySegment: rateBySegment(config),
    notAccepted: loadProfile(profileFile).not_accepted,
  };
}

/** True when the provider's profile has rates count segments, not messages. */
export function rateBySegment({ profileFile }: Pick<Config, 'profileFile'>): boolean {
  return loadProfile(profileFile).rate_per === 'segment';
}
