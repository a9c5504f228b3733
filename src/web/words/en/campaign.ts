/** Words of the page of a campaign. */
export const campaign = {
  where: 'Where every message is',
  delivered: 'Delivered',
  waiting: 'No report yet',
  failed: 'Failed',
  uncertain: 'Uncertain',
  toSend: 'Still to send',
  leftOut: 'Left out',
  all: 'All people',
  ofSent: (share: string) => `${share} of sent`,
  speed: 'Speed',
  perSecond: (rate: string) => `${rate} a second`,
  spent: 'Spent',
  kinds: { promotional: 'Promotional', transactional: 'Transactional' },
  from: (kind: string, sender: string) => `${kind}, from ${sender}.`,
};
