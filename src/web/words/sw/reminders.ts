import type { reminders as english } from '../en/reminders.ts';

/** Words of the calendar of what comes. */
export const reminders: typeof english = {
  title: 'Vikumbusho',
  intro: 'Yanayokuja: vikumbusho, mwanzo wa kampeni, na mizunguko ya kazi zinazojirudia.',
  month: 'Mwezi',
  before: 'Mwezi uliotangulia',
  after: 'Mwezi unaofuata',
  present: 'Mwezi huu',
  calendar: (month) => `Kalenda ya ${month}`,
  sum: (messages, days) => `Jumbe ${messages} kwa siku ${days}.`,
  nothing: 'Hakuna kinachokuja mwezi huu',
  nothingHelp: 'Kampeni zinazoanza baadaye, zenye vikumbusho, au zinazojirudia huonekana hapa.',
  cut: 'Yapo mengi kuliko yanayoweza kuorodheshwa hapa.',
  when: 'Lini',
  campaign: 'Kampeni',
  what: 'Nini',
  messages: 'Jumbe',
  kinds: { reminders: 'Vikumbusho', start: 'Mwanzo', firing: 'Mzunguko' },
  waits: 'Imesimamishwa: inakuja tu kama kampeni itaendelezwa.',
  total: 'Zote za siku',
};
