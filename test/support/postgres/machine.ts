import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../temp-home.ts';

/**
 * The settings of a machine that reaches its ledger at this address of Postgres: a home of its own, and the address's password in
 * a file. Each call is another machine.
 */
export function machineSettings(address: string, on: 'memory' | 'disk' = 'memory'): Record<string, string> {
  const folder = makeTempDir(on);
  const url = new URL(address);
  const password = join(folder, 'password');
  writeFileSync(password, `${url.password}\n`, { mode: 0o600 });
  url.password = '';
  return {
    TUMA_HOME: join(folder, 'home'),
    XDG_STATE_HOME: join(folder, 'state'),
    TUMA_DATABASE_URL: url.href,
    TUMA_DATABASE_PASSWORD_FILE: password,
  };
}

const ROLES = ['owner', 'worker', 'collector'] as const;
/** A user that deploy/postgres-roles.sql makes. */
export type PostgresRole = (typeof ROLES)[number];

/** The statements that give them passwords, which no process may print. */
export function rolePasswords(): string {
  return ROLES.map((role) => `ALTER ROLE tuma_${role} PASSWORD 'CANARY-${role}'`).join(';');
}

/** This address for that user. */
export function asRole(address: string, role: PostgresRole): string {
  const url = new URL(address);
  url.username = `tuma_${role}`;
  url.password = `CANARY-${role}`;
  return url.href;
}
