import { approvalProblem } from '../../domain/approval.ts';
import { reaches } from '../../domain/roles.ts';
import type { UserRow } from '../../ledger/contracts/people.ts';
import type { Preparation } from './preparation.ts';

/**
 * The names of the users who may say yes to a draft: approvers and admins who did not work on it and can sign in, or have
 * a link to. It is for display, and so that nobody asks in vain; the commit of the launch judges by itself.
 */
export function approversOf(
  users: readonly Pick<UserRow, 'name' | 'role' | 'hasPassword' | 'linkEndsAt'>[],
  { editors }: Pick<Preparation, 'editors'>,
  now: number,
): string[] {
  return users
    .filter(({ name, role, hasPassword, linkEndsAt }) => {
      const canSignIn = hasPassword || (linkEndsAt ?? 0) > now;
      const user = { identities: [name], mayApprove: reaches(role, 'approver') };
      return canSignIn && approvalProblem({ state: 'asked', editors }, user) === null;
    })
    .map(({ name }) => name);
}
