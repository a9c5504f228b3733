import type { campaigns as english } from '../en/campaigns.ts';

/** Words of the list of campaigns. */
export const campaigns: typeof english = {
  title: 'Kampeni',
  create: 'Kampeni mpya',
  caption: 'Kampeni, mpya kwanza',
  campaign: 'Kampeni',
  state: 'Hali',
  when: 'Lini',
  sent: 'Zilizotumwa',
  spent: (currency) => `Zimetumika, ${currency}`,
  sentOf: (sent, all) => `${sent} kati ya ${all}`,
  none: 'Bado hakuna kampeni',
  noneHelp: 'Kampeni hutuma ujumbe mmoja kwa kila mtu aliye kwenye orodha.',
};
