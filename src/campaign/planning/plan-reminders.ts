import type { ContactsFile } from '../../contacts/contacts-file.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Campaign, CampaignSettings } from '../../domain/campaign.ts';
import {
  ALREADY_REMINDED,
  MOMENT_PAST,
  type Occurrence,
  occurrenceReader,
  type ReminderRule,
} from '../../domain/time/occurrence.ts';
import { ReminderTally } from '../../domain/reminder-tally.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PlannedRow, PlanTally } from '../../domain/plan-tally.ts';
import type { NewMessage } from '../../ledger/records.ts';
import type { NewReminder, ReminderComparison } from '../../ledger/schedules.ts';
import { jobColumn } from '../jobs/job-column.ts';
import type { LoadedJob } from '../jobs/load-job.ts';

/** The open campaign that the contacts correct, and its ledger. */
export interface OpenUpload {
  campaign: Campaign;
  ledger: Pick<Ledger, 'compareReminders' | 'openReminders'>;
}

/** The part of planning about reminders: a moment for each row, and the comparison with the open campaign. */
export interface ReminderPlan {
  /** The offsets of a series, in days; null: one reminder a row. */
  series: readonly number[] | null;
  /** The row's occurrence (of a series: with this offset), or the reason why its date cannot be used. */
  occurrenceOf(
    cells: readonly string[],
    offsetDays?: number,
  ): Occurrence | { ok: false; reason: string; detail: string };
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
    series: remind.series ?? null,
    occurrenceOf: momentReader(loaded, contacts, { remind, window, zone }),
    isPast: ({ notBefore }) => notBefore < now,
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
  const { atColumn, offsetDays: usual, series = [usual] } = remind;
  const timeColumn =
    atColumn === undefined
      ? null
      : jobColumn(loaded, contacts, { written: atColumn, key: ['remind', 'at', 'column'] });
  const name = contacts.header[column] ?? remind.column;
  const readerOf = (offsetDays: number) => occurrenceReader({ ...remind, offsetDays }, { window, zone });
  const readers = new Map(series.map((offsetDays) => [offsetDays, readerOf(offsetDays)]));
  return (cells, offsetDays = usual) => {
    const read = readers.get(offsetDays) ?? readerOf(offsetDays);
    const cell = cells[column] ?? '';
    if (cell.trim() === '')
      return {
        ok: false,
        reason: `missing ${name}`,
        detail: 'the date is blank, or an error such as #N/A',
      };
    const occurrence = timeColumn === null ? read(cell) : read(cell, cells[timeColumn] ?? '');
    if (occurrence.ok) return occurrence;
    const blamed = occurrence.reason === 'not a time' ? (atColumn ?? name) : name;
    return { ...occurrence, detail: `${blamed}: ${occurrence.detail}` };
  };
}

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
  const past = message.skip === MOMENT_PAST;
  if (message.skip === ALREADY_REMINDED) reminders.remindedBefore += 1;
  if (comparison !== undefined) reminders.addCompared(comparison);
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

/** A reminder that will be sent although it is not queued is brought back. */
function countUnchanged(
  rows: PlanTally,
  reminders: ReminderTally,
  { planned, message, comparison }: PlannedReminder,
): void {
  if (comparison?.goes === true && comparison.kept === null && message.skip === null) {
    reminders.broughtBack += 1;
    rows.addBroughtBack(planned);
  } else rows.unchanged += 1;
}

function withoutComparison({
  skip,
}: NewReminder): Pick<ReminderComparison, 'verdict' | 'goes' | 'staysCanceled'> {
  const before = skip === ALREADY_REMINDED;
  return { verdict: before ? 'already reminded' : 'new', goes: !before };
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
