import { Option } from 'commander';
import { ROLES, type Role } from '../../domain/roles.ts';

/** `--role`, which must be given. */
export function roleOption(): Option {
  return new Option('--role <role>', 'what it may do: each role may what those before it may')
    .choices(ROLES)
    .makeOptionMandatory();
}

/** The role that was given. */
export function roleFlag(flags: Readonly<Record<string, unknown>>): Role {
  return flags['role'] as Role;
}
