import type { ContactsFile } from '../../contacts/contacts-file.ts';
import type { Campaign, CampaignSettings } from '../../domain/campaign.ts';
import {
  ALREADY_REMINDED,
  MOMENT_PAST,
  type Occurrence,
  occurrenceReader,
} from '../../domain/time/occurrence.ts';
import { ReminderTally } from '../../domain/reminder-tally.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PlannedRow, PlanTally } from '../../domain/plan-tally.ts';
import type { NewMessage } from '../../ledger/records.ts';
import type { NewReminder, ReminderComparison } from '../../ledger/schedules.ts';
import { jobColumn, placesOf } from '../jobs/job-column.ts';
import type { LoadedJob } from '../jobs/load-job.ts';

/** An open campaign of the same job that the contacts are laid over, and the ledger that holds it. */
export interface OpenUpload {
  campaign: Campaign;
  ledger: Pick<Ledger, 'compareReminders' | 'openReminders'>;
}

/** What planning reminders adds to planning: a moment for each row, and the comparison with what is open. */
export interface ReminderPlan {
  /** The row's occurrence, or why its date cannot be used. */
  occurrenceOf(cells: readonly string[]): Occurrence | { ok: false; reason: string; detail: string };
  /** True: the moment is not to come any more. */
  isPast(occurrence: Occurrence): boolean;
  /** The cells in the order that the ledger keeps them. */
  fieldsOf(cells: string[]): string[];
  /** Null: a first plan. */
  compare: ((messages: readonly NewMessage[]) => Promise<ReminderComparison[]>) | null;
  /** Which of them earlier campaigns of the job reminded of the same; null: it does not matter, or the upload finds out. */
  remindedBefore: ((messages: readonly NewMessage[]) => Promise<boolean[]>) | null;
  tally: ReminderTally;
}

/** What the planning of reminders starts from. */
export interface ReminderPlanInput {
  contacts: ContactsFile;
  /** The columns that the text names. */
  said: readonly string[];
  settings: CampaignSettings;
  upload: OpenUpload | null;
  /** The ledger that knows what earlier campaigns of the job have sent; null: it does not matter. */
  earlier: Pick<Ledger, 'remindedBefore'> | null;
  now: number;
}

/**
 * Prepares the planning of a reminder job; null for a job without reminders. An upload follows the settings that its
 * campaign was launched with. Throws `job_invalid` when the contacts have no such column.
 */
export function reminderPlan(loaded: LoadedJob, given: ReminderPlanInput): ReminderPlan | null {
  const { contacts, said, upload, earlier, now } = given;
  const settings = upload?.campaign.settings ?? given.settings;
  const { remind, window, zone } = settings;
  if (remind === undefined) return null;
  const column = jobColumn(loaded, contacts, { written: remind.column, key: ['remind', 'column'] });
  const name = contacts.header[column] ?? remind.column;
  const read = occurrenceReader(remind, { window, zone });
  return {
    occurrenceOf(cells) {
      const cell = cells[column] ?? '';
      if (cell.trim() === '') return { ok: false, reason: `missing ${name}`, detail: 'the date is blank' };
      const occurrence = read(cell);
      if (occurrence.ok) return occurrence;
      return { ...occurrence, detail: `${name}: ${occurrence.detail}` };
    },
    isPast: ({ notBefore }) => notBefore < now,
    fieldsOf: arranger(contacts, settings.header, said),
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

/** A reminder that has its place in the draft, and what the open campaign says of it. */
export interface PlannedReminder {
  planned: PlannedRow;
  message: NewReminder;
  /** Left out in a first plan. */
  comparison: ReminderComparison | undefined;
}

/** Counts a reminder: unchanged, too late, reminded already, or one to send; and its day, when it will go. */
export function countReminder(rows: PlanTally, reminders: ReminderTally, reminder: PlannedReminder): void {
  const { planned, message, comparison } = reminder;
  const { verdict, goes } = comparison ?? withoutComparison(message);
  const past = message.skip === MOMENT_PAST;
  if (message.skip === ALREADY_REMINDED) reminders.remindedBefore += 1;
  if (comparison !== undefined) reminders.addCompared(comparison);
  if (goes && !past) reminders.addMoment(message.notBefore);
  if (verdict === 'unchanged') {
    countUnchanged(rows, reminders, reminder);
  } else if (verdict === 'already reminded' || past) {
    rows.planned += 1;
    if (verdict !== 'already reminded') reminders.addPast(planned.line);
  } else {
    rows.addPlanned(planned);
  }
}

/** One that is not queued any more, and goes all the same, is brought back. */
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

function withoutComparison({ skip }: NewReminder): Pick<ReminderComparison, 'verdict' | 'goes'> {
  const before = skip === ALREADY_REMINDED;
  return { verdict: before ? 'already reminded' : 'new', goes: !before };
}

/** The columns of a corrected CSV may stand in another order: the campaign keeps its own. */
function arranger(
  contacts: ContactsFile,
  wanted: readonly string[],
  said: readonly string[],
): (cells: string[]) => string[] {
  const { header } = contacts;
  if (header.length === wanted.length && header.every((name, index) => name === wanted[index]))
    return (cells) => cells;
  const places = placesOf(contacts, wanted, said);
  return (cells) => places.map((place) => cells[place] ?? '');
}
