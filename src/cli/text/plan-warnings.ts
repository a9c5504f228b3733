import {
  type JobEdit,
  type PlanWarning,
  warningText,
  type WarningWords,
} from '../../campaign/planning/plan-warning.ts';
import { counted, formatMoney, grouped, type MoneyMicro, whole } from '../../domain/money.ts';
import { rateWords } from '../../domain/pace/rate.ts';
import { localWords } from '../../domain/time/time-words.ts';
import { hintOf } from './advice-text.ts';
import { decisionNote } from './decision-text.ts';

/** A warning of a plan as the terminal says it. */
export function warningWords(warning: PlanWarning): string {
  return warningText(WORDS, warning, localWords);
}

const REFUSED = 'a launch is refused: ';

const WORDS: WarningWords = {
  not_accepted: ({ statuses }) =>
    `the profile takes HTTP ${statuses.join(', ')} for "not accepted" (not_accepted): such a message is sent again, twice where the service took it all the same`,
  other_rate: ({ campaign, rate }) => {
    const given = rate === null ? 'unlimited' : rateWords(rate);
    return `a worker runs already and sends this at its own TUMA_RATE, not at the ${given} given here: what holds wherever it is sent is \`rate\` in the job, or tuma rate ${campaign} ${rate === null ? 'RATE' : given}`;
  },
  no_credentials: () => 'no credentials are set: the balance is not known',
  balance_unknown: ({ said }) => `the balance is not known: ${said}`,
  answer_undecided: ({ status, said, ...part }) =>
    decisionNote({ ...part, http_status: status, words: said }),
  sent_before: ({ campaign, messages }) =>
    `${campaign} sent these files before, or may have, to ${whole(messages)}: people in both launches get it again`,
  same_contacts: ({ campaign, name, at, zone }, moment) =>
    `the same contacts were launched ${moment(at, zone)} as ${name} (${campaign})`,
  other_offset: ({ campaign }) =>
    `${campaign} reminded by another kind of offset: a reminder that it sent today would go again. Launch this job tomorrow`,
  open_already: ({ campaign }) => `these files are ${campaign}, which is open: a launch goes on with it`,
  sent_already: ({ campaign }) =>
    `these files were sent as ${campaign}: a launch shows its report; --again sends them anew`,
  reads_itself: (edit) => editWords(edit),
  launch_refused: ({ message, ...help }) => {
    const hint = hintOf(help);
    return `${REFUSED}${message.replace(/\.$/, '')}.${hint === null ? '' : ` ${hint}`}`;
  },
  paid_more: ({ currency, paidMicro }) =>
    `the account has paid ${currency} ${money(paidMicro)} a segment, more than TUMA_PRICE: this much is held back for each segment, so a budget or the balance may pause the campaign early`,
  charged_more: ({ charged, counted: segments }) =>
    `messages are charged as ${counted(charged, 'segment')}, counted ${segments}: set TUMA_OPT_OUT_TEXT to the text that the provider appends, or correct TUMA_PRICE`,
  budget_unpriced: () =>
    `${REFUSED}the budget needs a price for each message, and one is not known yet (set TUMA_PRICE)`,
  budget_short: ({ currency, budgetMicro, missingMicro }) =>
    `the budget of ${currency} ${money(budgetMicro)} is ${money(missingMicro)} below the upper estimate: the campaign pauses before it is passed`,
  field_lookalike: ({ marked, name }) =>
    `the text says ${marked} as it stands, to everybody: a field is written <<${name}>>`,
  cell_nothing: ({ field, cell, count, lines }) =>
    `the cell of "${field}" is a program's word for nothing in ${counted(count, 'row')}, such as "${cell}" (${linesWords(lines, count)}): a person would read it, so blank such cells`,
  cell_letter: ({ field, cell, count, lines }) =>
    `a letter of "${field}" is lost in ${counted(count, 'row')}, as in "${cell}" (${linesWords(lines, count)}): correct it, or export the list again as UTF-8`,
  start_missed: () =>
    `${REFUSED}the start is longer ago than start_deadline, and it never fires late (--at TIME takes its place)`,
  balance_short: ({ currency, missingMicro }) =>
    `the balance is ${currency} ${money(missingMicro)} short of the upper estimate`,
  window_short: () => 'the campaign does not fit into the send window and goes on the next day',
};

/** What an edit changes of files that a recurring job reads itself. */
export function editWords({ campaign, changed, at, zone, keepsDeadline }: JobEdit): string {
  const names = { job: 'the job file', template: 'the template', contacts: 'the contacts' };
  const subject = changed.map((part) => names[part]).join(' and ');
  const when = at === null ? '' : `, ${localWords(at, zone)},`;
  const kept = keepsDeadline ? ' `start_deadline` stays that of the launch.' : '';
  return `${campaign} reads these files anew: its next firing${when} follows ${subject} as edited; no launch is needed.${kept}`;
}

function money(amount: MoneyMicro): string {
  return grouped(formatMoney(amount));
}

function linesWords(lines: readonly number[], count: number): string {
  return `line ${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
}
