import type { RowReason } from '../../domain/row-reason.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Campaign, CampaignSettings } from '../../domain/campaign.ts';
import {
  isPast,
  type Occurrence,
  type Offset,
  occurrenceReader,
  type ReminderRule,
} from '../../domain/time/occurrence.ts';
import { foldName } from '../../domain/text/template-fields.ts';
import { ReminderTally } from '../../domain/reminder-tally.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { PlannedRow, PlanTally } from '../../domain/plan-tally.ts';
import type { LedgerReader, MessageRow } from '../../ledger/contracts/reader.ts';
import type { NewMessage } from '../../ledger/contracts/records.ts';
import { movedFrom, type NewReminder, type ReminderComparison } from '../../ledger/contracts/schedules.ts';
import { jobColumn } from '../jobs/job-column.ts';
import type { LoadedJob } from '../jobs/load-job.ts';

/** The open campaign that the contacts correct, and its ledger. */
export interface OpenUpload {
  campaign: Campaign;
  ledger: Pick<Ledger, 'compareReminders' | 'openReminders'>;
  /** Reads its messages, to name those that the contacts cancel. */
  reader: () => Promise<Pick<LedgerReader, 'messages'>>;
}

/** The part of planning about reminders: a moment for each row, and the comparison with the open campaign. */
export interface ReminderPlan {
  rule: ReminderRule;
  /** The offsets of a series; null: one reminder a row. */
  series: readonly Offset[] | null;
  /** The row's occurrence (of a series: with this offset), or the reason why its date cannot be used. */
  occurrenceOf(
    cells: readonly string[],
    offset?: Offset,
  ): Occurrence | { ok: false; reason: RowReason; detail: string };
  /** True when the moment is over. */
  isPast(occurrence: Occurrence): boolean;
  /** Null: a first plan. */
  compare: ((messages: readonly NewMessage[]) => Promise<ReminderComparison[]>) | null;
  /** Tells for each message whether an earlier campaign sent it; null: not needed, or the upload does. */
  remindedBefore: ((messages: readonly NewMessage[]) => Promise<boolean[]>) | null;
  tally: ReminderTally;
}

/** The input of planning reminders. */
export interface ReminderPlanInput {
  contacts: ContactsFile;
  settings: CampaignSettings;
  upload: OpenUpload | null;
  /** The ledger of reminders sent by earlier campaigns of the job; null: not needed. */
  earlier: Pick<Ledger, 'remindedBefore'> | null;
  now: number;
}

/**
 * Prepares the planning of a reminder job; null for a job without reminders. An upload follows the settings
 * of its campaign. Throws `job_invalid` when the contacts have no such column, and `contacts_invalid` when an
 * upload's columns differ from its campaign's.
 */
export function reminderPlan(loaded: LoadedJob, given: ReminderPlanInput): ReminderPlan | null {
  const { contacts, upload, earlier, now } = given;
  const settings = upload?.campaign.settings ?? given.settings;
  const { remind, window, zone } = settings;
  if (remind === undefined) return null;
  if (upload !== null) requireSameColumns(contacts, settings.header);
  return {
    rule: remind,
    series: remind.series ?? null,
    occurrenceOf: momentReader(loaded, contacts, { remind, window, zone }),
    isPast: (occurrence) => isPast(occurrence, now),
    compare:
      upload === null
        ? null
        : (messages) => upload.ledger.compareReminders(upload.campaign.n, [...messages], now),
    remindedBefore:
      earlier === null || upload !== null
        ? null
        : (messages) =>
            earlier.remindedBefore({ name: loaded.job.name, keyed: remind.keyed, rows: [...messages], now }),
    tally: new ReminderTally({ zone, keyed: remind.keyed }),
  };
}

/** Reads the moment of a row by the columns that the job names. */
function momentReader(
  loaded: LoadedJob,
  contacts: ContactsFile,
  { remind, window, zone }: Pick<CampaignSettings, 'window' | 'zone'> & { remind: ReminderRule },
): ReminderPlan['occurrenceOf'] {
  const column = jobColumn(loaded, contacts, { written: remind.column, key: ['remind', 'column'] });
  const { atColumn, offset: usual, series = [usual] } = remind;
  const timeColumn =
    atColumn === undefined
      ? null
      : jobColumn(loaded, contacts, { written: atColumn, key: ['remind', 'at', 'column'] });
  const name = contacts.header[column] ?? remind.column;
  const readerOf = (offset: Offset) => occurrenceReader({ ...remind, offset }, { window, zone });
  const readers = new Map(series.map((offset) => [offset, readerOf(offset)]));
  return (cells, offset = usual) => {
    const read = readers.get(offset) ?? readerOf(offset);
    const cell = cells[column] ?? '';
    if (cell.trim() === '')
      return {
        ok: false,
        reason: { code: 'missing', field: name },
        detail: 'the date is blank, or an error such as #N/A',
      };
    const occurrence = timeColumn === null ? read(cell) : read(cell, cells[timeColumn] ?? '');
    if (occurrence.ok) return occurrence;
    const blamed = occurrence.reason === 'not a time' ? (atColumn ?? name) : name;
    return { ...occurrence, detail: `${blamed}: ${occurrence.detail}` };
  };
}

/** The queued messages of the campaign that the contacts cancel, once every row was compared. */
export async function* canceledBy(
  { campaign, reader }: OpenUpload,
  tally: ReminderTally,
): AsyncGenerator<MessageRow> {
  const { messages } = await reader();
  for (let afterSeq = 0; ; ) {
    const query = { campaign: campaign.n, afterSeq, limit: PAGE_ROWS, states: ['queued' as const] };
    const page = await messages(query);
    for (const message of page) if (tally.cancels(message.seq)) yield message;
    if (page.length < PAGE_ROWS) return;
    afterSeq = page.at(-1)?.seq ?? 0;
  }
}

const PAGE_ROWS = 2_000;

/** A reminder in the draft, and its comparison with the open campaign. */
export interface PlannedReminder {
  planned: PlannedRow;
  message: NewReminder;
  /** Left out in a first plan. */
  comparison: ReminderComparison | undefined;
}

/** Counts a reminder as unchanged, too late, reminded already, or to send, and also its day. */
export function countReminder(rows: PlanTally, reminders: ReminderTally, reminder: PlannedReminder): void {
  const { planned, message, comparison } = reminder;
  const { verdict, goes, staysCanceled } = comparison ?? withoutComparison(message);
  const past = message.skip === 'moment past';
  if (message.skip === 'already reminded') reminders.remindedBefore += 1;
  if (comparison !== undefined) countCompared(rows, reminders, { message, comparison });
  if (goes && !past) reminders.addMoment(message.notBefore);
  if (verdict === 'unchanged') {
    countUnchanged(rows, reminders, reminder);
  } else if (verdict === 'already reminded' || staysCanceled) {
    rows.planned += 1;
  } else if (past) {
    rows.planned += 1;
    reminders.addPast(planned.line);
  } else {
    rows.addPlanned(planned);
  }
}

function countCompared(
  rows: PlanTally,
  reminders: ReminderTally,
  { message, comparison }: { message: NewReminder; comparison: ReminderComparison },
): void {
  const { line, mobile, key, notBefore: dueAt } = message;
  const wasAt = movedFrom(message, comparison);
  reminders.addCompared(comparison, { line, mobile, key, dueAt, wasAt });
  if (comparison.there !== null) rows.addThere(line, { ...comparison.there, key });
}

/** A reminder that will be sent although it is not queued is brought back. */
function countUnchanged(
  rows: PlanTally,
  reminders: ReminderTally,
  { planned, message, comparison }: PlannedReminder,
): void {
  if (comparison?.goes === true && comparison.kept === null && message.skip === null) {
    reminders.broughtBack += 1;
    rows.addBroughtBack(planned);
  } else rows.addUnchanged(planned);
}

function withoutComparison({
  skip,
}: NewReminder): Pick<ReminderComparison, 'verdict' | 'goes' | 'staysCanceled'> {
  const before = skip === 'already reminded';
  return { verdict: before ? 'already reminded' : 'new', goes: !before };
}

/**
 * Refuses other key columns than those of the last campaign of the name. Who was reminded is known by the key, and
 * would be reminded again under another one.
 */
export async function refuseOtherKey(
  { job, placeOf, file }: LoadedJob,
  { key, ledger }: { key: readonly string[]; ledger: Pick<Ledger, 'latestNamed'> },
): Promise<void> {
  if (job.remind === null) return;
  const last = (await ledger.latestNamed(job.name))?.campaign;
  if (last?.settings.remind === undefined) return;
  const before = last.settings.key ?? [];
  if (before.length === key.length && before.every((name, at) => foldName(name) === foldName(key[at] ?? '')))
    return;
  throw new TumaError('job_invalid', {
    message: `The key is ${keyWords(key)}; that of ${last.id}, the last campaign of this name, is ${keyWords(before)}. Who was reminded under the one would be reminded again under the other.`,
    hint: 'Use the same columns in the same order.',
    advice: { action: 'remind_anew', otherName: true },
    where: key.length === 0 ? file : placeOf('key'),
  });
}

function keyWords(key: readonly string[]): string {
  if (key.length === 0) return 'none';
  return key.length === 1 ? `\`${key[0]}\`` : `\`[${key.join(', ')}]\``;
}

/** The ledger keeps the cells of a campaign in the order of its header. */
function requireSameColumns({ header, path }: ContactsFile, wanted: readonly string[]): void {
  if (header.length === wanted.length && header.every((name, index) => name === wanted[index])) return;
  throw new TumaError('contacts_invalid', {
    message: 'Corrected contacts need the columns that the campaign was launched with, in the same order.',
    hint: `The columns are: ${wanted.join(', ')}.`,
    where: `${path}:1:1`,
  });
}
