import { sayAdvice } from '../../../domain/advice.ts';
import { advice } from './advice.ts';
import type { WarningWords } from '../../../campaign/planning/plan-warning.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';

/** What a person should think about before a launch. */
export const planWarnings: WarningWords = {
  not_accepted: ({ statuses }) =>
    `The profile of the SMS service takes HTTP ${statuses.join(', ')} for “not accepted”: such a message is sent again, and twice where the service took it all the same`,
  other_rate: () => 'It is sent at the speed that is set where it is sent from',
  no_credentials: () => 'The balance is not known: Tuma has no key for the SMS service',
  balance_unknown: ({ said }) => `The balance is not known: ${said}`,
  answer_undecided: ({ messages, said }) =>
    `${messages === 1 ? '1 message waits' : `${whole(messages)} messages wait`} until somebody says what this answer means: ${said}`,
  sent_before: ({ campaign, messages }) =>
    `This list and this text were sent before as ${campaign}, to ${messages === 1 ? '1 person' : `${whole(messages)} people`}: who is in both gets it again`,
  same_contacts: ({ name, at, zone }, moment) =>
    `The same list was launched ${moment(at, zone)} as ${name}: its people get another message`,
  other_offset: ({ campaign }) =>
    `${campaign} counted its days in another way: a reminder that it sent today would be sent again. Launch this one tomorrow`,
  open_already: ({ campaign }) =>
    `This list and this text are the campaign ${campaign}, which is not finished`,
  sent_already: ({ campaign }) => `This list and this text were sent as ${campaign}`,
  reads_itself: ({ campaign }) => `${campaign} reads this list and this text by itself: no launch is needed`,
  launch_refused: ({ message, hint, advice: given }) =>
    [`It cannot be launched: ${message.replace(/\.$/, '')}.`, hint, given && sayAdvice(advice, given)]
      .filter(Boolean)
      .join(' '),
  paid_more: ({ currency, paidMicro }) =>
    `A segment has cost ${currency} ${grouped(formatMoney(paidMicro))}, more than the price that is set here. So much is set aside for each one, and a limit or the balance may pause the campaign early`,
  charged_more: ({ charged, counted }) =>
    `The SMS service charges ${charged} segments for a message that has ${counted} here: the opt-out text or the price in the settings is not right`,
  budget_unpriced: () => 'It cannot be launched with a limit on its cost: no price is known yet',
  budget_short: ({ currency, missingMicro }) =>
    `The limit is ${currency} ${grouped(formatMoney(missingMicro))} below what it may cost: the campaign pauses before the limit`,
  field_lookalike: ({ marked, name }) =>
    `Everybody gets ${marked} as it stands in the text. If it should be a field, write <<${name}>>`,
  cell_nothing: ({ field, cell, count, lines }) =>
    `${rows(count)} “${cell}” or the like in ${field}, and people would read that. Leave such cells empty: ${places(lines, count)}`,
  cell_letter: ({ field, cell, count, lines }) =>
    `${rows(count)} a lost letter in ${field}, as in “${cell}”: ${places(lines, count)}. Correct it, or export the list again as UTF-8`,
  start_missed: () => 'It cannot be launched: its start is too long ago. Choose another time',
  balance_short: ({ currency, missingMicro }) =>
    `The balance is ${currency} ${grouped(formatMoney(missingMicro))} below what it may cost`,
  window_short: () => 'It does not fit into the hours and goes on the next day',
};

function rows(count: number): string {
  return count === 1 ? '1 row has' : `${whole(count)} rows have`;
}

function places(lines: readonly number[], count: number): string {
  const shown = lines.map(whole).join(', ');
  return count > lines.length
    ? `lines ${shown} and more`
    : `${lines.length === 1 ? 'line' : 'lines'} ${shown}`;
}
