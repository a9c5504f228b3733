import type { Connection } from '../../connection.ts';
import { TumaError } from '../../../domain/errors.ts';
import { reaches, type Role } from '../../../domain/roles.ts';
import type { AskerKey } from '../../contracts/asked-from.ts';
import { askedRight } from '../../thread/asked.ts';
import { loadStatements } from '../../statements.ts';
import type { Rules } from '../operation.ts';

/**
 * A function that throws `right_lost` where whoever asked for the running operation may not do it any more. A request
 * is let in by what was so at its beginning; a launch that plans first commits minutes later.
 */
export function rightCheck(database: Connection): (rules: Rules) => Promise<void> {
  const roleOf = roleReader(database);
  return async ({ right: least }) => {
    const right = askedRight();
    if (right === null) return;
    const role = await roleOf(right.of);
    if (role !== null && reaches(role, right.role) && (least !== 'admin' || reaches(role, least))) return;
    throw new TumaError('right_lost', {
      message:
        'Whoever asked for this may not do it any more: removed, or given a lower role. Nothing was done.',
      hint: 'Sign in again, or ask an admin.',
    });
  };
}

/** A function that tells the present role of an asker; null: there is no such user, token or home link any more. */
export function roleReader(database: Connection): (of: AskerKey) => Promise<Role | null> {
  const sql = loadStatements(database, new URL('./rights.sql', import.meta.url));
  return async (of) => {
    // The link of this machine may do everything, and ends with the first user.
    if (of === 'home') return (await sql('any_user').get()) === undefined ? 'admin' : null;
    const row =
      'user' in of ? await sql('role_of_user').get(of.user) : await sql('role_of_token').get(of.token);
    return (row?.['role'] as Role | undefined) ?? null;
  };
}
