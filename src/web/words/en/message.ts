/** Words of one message, on every page that shows one. */
export const message = {
  states: {
    queued: 'Waits',
    sending: 'Is being sent',
    delivered: 'Delivered',
    pending: 'No report yet',
    undelivered: 'Undelivered',
    rejected: 'Refused',
    uncertain: 'Uncertain',
    skipped: 'Left out',
    canceled: 'Canceled',
  },
};
