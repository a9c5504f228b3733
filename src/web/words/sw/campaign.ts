import type { campaign as english } from '../en/campaign.ts';

/** Words of the page of a campaign. */
export const campaign: typeof english = {
  where: 'Kila ujumbe uko wapi',
  delivered: 'Zimefika',
  waiting: 'Bado hakuna ripoti',
  failed: 'Zimeshindwa',
  uncertain: 'Hazijulikani',
  toSend: 'Zitakazotumwa',
  leftOut: 'Zilizoachwa',
  all: 'Watu wote',
  ofSent: (share) => `${share} ya zilizotumwa`,
  speed: 'Kasi',
  perSecond: (rate) => `${rate} kwa sekunde`,
  spent: 'Zimetumika',
  kinds: { promotional: 'Tangazo', transactional: 'Taarifa ya mteja' },
  from: (kind, sender) => `${kind}, kutoka ${sender}.`,
};
