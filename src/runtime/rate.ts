import type { Config } from '../config/config.ts';
import { loadProfile } from '../provider/profiles/load-profile.ts';

/** True when the provider's profile has rates count segments, not messages. */
export function rateBySegment(config: Pick<Config, 'profileFile'>): boolean {
  return loadProfile(config.profileFile).rate_per === 'segment';
}
