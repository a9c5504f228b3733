import type { Profile } from '../profile.ts';

/** English and Swahili, as Kenyan senders announce them; the code at the end is what the network appends, typed back. */
export const defaultOptOut: Profile['opt_out'] = {
  words: [
    'stop',
    'stop all',
    'stopall',
    'unsubscribe',
    'cancel',
    'end',
    'quit',
    'opt out',
    'optout',
    'acha',
    'wacha',
    'ondoa',
    'niondoe',
    'jiondoe',
    'sitaki',
    'simama',
    'simamisha',
    'komesha',
    'toa',
    'nitoe',
    'usitume',
    'usinitumie',
    'acha kunitumia',
    'acha kutuma',
    'STOP*456*9*5#',
    'STOP *456*9*5#',
  ],
  return_words: ['start', 'unstop', 'subscribe', 'opt in', 'optin', 'anza', 'rudisha', 'nirudishe'],
};
