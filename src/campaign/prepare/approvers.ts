import { HOME_NAME, reaches } from '../../domain/roles.ts';
import type { UserRow } from '../../ledger/people.ts';
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
  // Who prepared it without signing in may be anybody.
  if (editors.includes(HOME_NAME)) return [];
  return users
    .filter(({ role, hasPassword, linkEndsAt }) => {
      return reaches(role, 'approver') && (hasPassword || (linkEndsAt ?? 0) > now);
    })
    .map(({ name }) => name)
    .filter((name) => !editors.includes(name));
}
