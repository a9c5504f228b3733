import { APPROVAL_PROBLEMS, approvalProblem } from '../../domain/approval.ts';
import { TumaError } from '../../domain/errors.ts';
import { HOME_NAME } from '../../domain/roles.ts';
import type { PreparationRow } from '../../ledger/contracts/preparations.ts';
import type { JobKeys } from '../jobs/job-text.ts';
import type { LookedAt } from './look-at-contacts.ts';
import { preparationFolder } from './preparation-folder.ts';
import type { PrepareEnv } from './prepare-env.ts';
import type { KeptContacts, PreparationActor } from './preparation.ts';

/** The keys of its job. */
export function jobOf({ job }: Pick<PreparationRow, 'job'>): Partial<JobKeys> {
  return JSON.parse(job) as Partial<JobKeys>;
}

/** Its kept contacts; null: there are none yet. */
export function contactsOf({ contacts }: Pick<PreparationRow, 'contacts'>): KeptContacts | null {
  return contacts === null ? null : (JSON.parse(contacts) as KeptContacts);
}

/** All that a look at its rows needs. Throws `contacts_invalid` where there are no contacts yet. */
export function lookedAt(env: PrepareEnv, row: PreparationRow): LookedAt {
  const contacts = contactsOf(row);
  if (contacts === null)
    throw new TumaError('contacts_invalid', {
      message: 'There are no contacts yet.',
      hint: 'Choose a CSV or an Excel file.',
    });
  return { env, folder: preparationFolder(env.sharedFolder, row.id), contacts, job: jobOf(row) };
}

/** Throws `state_forbids` for one that is launched or ended, `preparation_changed` for another revision (null: any). */
export function refuseClosed(row: PreparationRow, revision: number | null): void {
  if (row.state === 'launched' || row.state === 'discarded') throw closed(row);
  if (revision !== null && row.revision !== revision) throw preparationChanged(row);
}

/** The error for a change that saw another revision. */
export function preparationChanged({ id, editors }: PreparationRow): TumaError {
  return new TumaError('preparation_changed', {
    message: `Somebody changed this draft meanwhile (${editors.join(', ')}). Nothing was done.`,
    hint: 'Look at it again.',
    where: id,
  });
}

/** Says early what the commit of the launch would refuse. Throws `approval_needed`. */
export function requireApproverOf(row: PreparationRow, actor: PreparationActor): void {
  const problem = approvalProblem(row, actor);
  if (problem === null) return;
  throw new TumaError('approval_needed', {
    message: APPROVAL_PROBLEMS[problem],
    hint: problem === 'not_asked' ? 'Ask for approval.' : 'Another approver must launch it.',
  });
}

/** The error of a question that nobody could answer. */
export function nobodyApproves({ id, editors }: PreparationRow): TumaError {
  const isOfHome = editors.includes(HOME_NAME);
  return new TumaError('approval_needed', {
    message: isOfHome
      ? 'It was prepared without signing in, so nobody can approve it.'
      : 'Nobody can approve it: there is no approver who did not work on it.',
    hint: isOfHome
      ? 'Sign in, and prepare it again.'
      : 'An admin makes somebody an approver on the page of the users; then ask again.',
    where: id,
  });
}

function closed({ id, state }: PreparationRow): TumaError {
  const words = {
    launched: 'is launched',
    discarded: 'was discarded',
    asked: 'waits for approval',
    open: 'is open',
  };
  return new TumaError('state_forbids', { message: `This draft ${words[state]} already.`, where: id });
}
