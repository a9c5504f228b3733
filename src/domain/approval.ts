import { HOME_NAME } from './roles.ts';

/** Where a preparation is on its way. `asked`: somebody asked for approval. */
export type PreparationState = 'open' | 'asked' | 'launched' | 'discarded';

/** Why somebody cannot approve a draft. `unsigned`: it was prepared without signing in. `own`: they worked on it. */
export type ApprovalProblem = 'not_asked' | 'no_approver' | 'unsigned' | 'own';

/** Each problem as a sentence. */
export const APPROVAL_PROBLEMS: Readonly<Record<ApprovalProblem, string>> = {
  not_asked: 'Nobody has asked for approval yet.',
  no_approver: 'An approver must say yes to this campaign.',
  unsigned: 'Nobody knows who prepared it, because it was prepared without signing in.',
  own: 'Who prepared a campaign cannot approve it.',
};

/**
 * Who may approve: an approver who did not work on the draft, under whichever of their names, once somebody has asked.
 * The commit of the launch asks it with the role that the ledger knows by then; a page or an early check may be wrong.
 * Null: they may.
 */
export function approvalProblem(
  { state, editors }: { state: PreparationState; editors: readonly string[] },
  { identities, mayApprove }: { identities: readonly string[]; mayApprove: boolean },
): ApprovalProblem | null {
  if (state !== 'asked') return 'not_asked';
  if (!mayApprove) return 'no_approver';
  if (editors.includes(HOME_NAME)) return 'unsigned';
  return editors.some((editor) => identities.includes(editor)) ? 'own' : null;
}
