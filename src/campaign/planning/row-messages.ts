import type { ContactRow } from '../../contacts/contact-row.ts';
import { textHash } from '../../domain/guards.ts';
import type { PlanTally } from '../../domain/plan-tally.ts';
import type { RowReason } from '../../domain/row-reason.ts';
import { type SegmentCount, countSegments } from '../../domain/text/segments.ts';
import type { SeriesTemplates } from '../../domain/text/series-templates.ts';
import type { Template } from '../../domain/text/template.ts';
import type { GuardReason } from '../../domain/message-reason.ts';
import { type Offset, seriesKey } from '../../domain/time/occurrence.ts';
import type { NewMessage } from '../../ledger/contracts/records.ts';
import type { NewReminder } from '../../ledger/contracts/schedules.ts';
import type { ReminderPlan } from './plan-reminders.ts';
import type { RowFields } from './row-fields.ts';
import { type IdentityRules, keyOf, numbersOf } from './row-identity.ts';
import { isTotalRow, TOTAL_ROW } from './total-row.ts';

/** The rules that make messages of a row. */
export interface RowRules extends IdentityRules {
  template: Pick<Template, 'render' | 'doubts'> & Partial<SeriesTemplates>;
  /** The cells that a text and the ledger need. */
  fieldsOf: RowFields;
  optOutText: string;
  /** Every text is kept, because somebody lists them. */
  keepsTexts: boolean;
  /** Null: no reminders. */
  reminders: ReminderPlan | null;
}

/** A row that passed its own checks and waits for the ledger's check for duplicates. */
export interface Candidate {
  row: ContactRow;
  message: NewMessage | NewReminder;
  /** Empty unless the tally needs it, because the texts of thousands of waiting rows take much memory. */
  text: string;
  count: SegmentCount;
  country: string;
  network: string | null;
  /** Why the guards would skip it, as things are; null: they would not. */
  guarded: GuardReason | null;
}

/** Why a row cannot be used. */
interface Unusable {
  reason: RowReason;
  detail: string;
}

/** The message of a row; of a series one for each offset. A row that cannot be used becomes none of them. */
export function messagesOf(row: ContactRow, input: RowRules, tally: PlanTally): Candidate[] | Unusable {
  const numbers = numbersOf(row, input);
  if (!numbers.ok) return isTotalRow(row.cells) ? TOTAL_ROW : numbers;
  const key = keyOf(row, input);
  if (!key.ok) return key;
  const candidates: Candidate[] = [];
  for (const offset of input.reminders?.series ?? [undefined]) {
    const made = messageOf(row, { ...numbers, key: key.key, offset }, { input, tally });
    if ('reason' in made) return made;
    candidates.push(made);
  }
  tally.addMobileOf(numbers.column);
  tally.addDoubts(row.line, input.template.doubts(input.fieldsOf(row)));
  return candidates;
}

/** The person of a message, and its offset in a series. */
interface Whose {
  mobile: string;
  others: readonly string[];
  country: string;
  key: string;
  offset: Offset | undefined;
}

function messageOf(
  row: ContactRow,
  { mobile, others, country, key, offset }: Whose,
  { input, tally }: { input: RowRules; tally: PlanTally },
): Candidate | Unusable {
  const { template, fieldsOf, optOutText } = input;
  const fields = fieldsOf(row);
  const cells = template.cellsOf?.(fields, offset) ?? fields;
  const rendered = template.render(cells);
  if (!rendered.ok) return rendered;
  const count = countSegments(rendered.text + optOutText);
  const timed = momentOf(row, input, offset);
  if (timed !== null && 'reason' in timed) return timed;
  const message: NewMessage = {
    line: row.line,
    mobile,
    ...othersPart(others),
    key: offset === undefined ? key : seriesKey(key, offset),
    occurrence: '',
    fields: cells,
    segments: count.segments,
    textHash: textHash(rendered.text),
  };
  const text = input.keepsTexts || tally.looksAt(count, row.line) ? rendered.text : '';
  return {
    row,
    message: timed === null ? message : { ...message, ...timed },
    text,
    count,
    country,
    network: null,
    guarded: null,
  };
}

/** Most rows have one number, and their messages stay small. */
function othersPart(others: readonly string[]): Pick<NewMessage, 'others'> {
  return others.length === 0 ? {} : { others };
}

/** The moment of a message; null: the job has no reminders. */
function momentOf(
  row: ContactRow,
  { reminders }: RowRules,
  offset: Offset | undefined,
): Pick<NewReminder, 'occurrence' | 'notBefore' | 'notAfter' | 'skip'> | Unusable | null {
  if (reminders === null) return null;
  const occurrence = reminders.occurrenceOf(row.cells, offset);
  if (!occurrence.ok) return occurrence;
  const { date, notBefore, notAfter } = occurrence;
  return { occurrence: date, notBefore, notAfter, skip: reminders.isPast(occurrence) ? 'moment past' : null };
}
