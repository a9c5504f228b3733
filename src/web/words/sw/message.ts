import type { message as english } from '../en/message.ts';

/** Words of one message, on every page that shows one. */
export const message: typeof english = {
  states: {
    queued: 'Inasubiri',
    sending: 'Inatumwa sasa',
    delivered: 'Imefika',
    pending: 'Bado hakuna ripoti',
    undelivered: 'Haikufika',
    rejected: 'Imekataliwa',
    uncertain: 'Haijulikani',
    skipped: 'Imeachwa',
    canceled: 'Imefutwa',
  },
};
