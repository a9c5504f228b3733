import type { LaunchSettings } from '../../src/campaign/launch/launch-settings.ts';

/** The settings of launches in Kenya, without a sender, a price and a rate. */
export const LAUNCH_SETTINGS: Omit<LaunchSettings, 'ledgerPlace'> = {
  countries: ['KE'],
  zone: 'Africa/Nairobi',
  currency: 'KES',
  optOutText: '',
  sender: null,
  prices: null,
  pricesAbroad: {},
  ratePerSecond: null,
  rateBySegment: false,
  notAccepted: [],
};
