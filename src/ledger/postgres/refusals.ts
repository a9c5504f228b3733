import { TumaError } from '../../domain/errors.ts';
import { placeOf, type PostgresAddress } from './address.ts';
import { FORBIDDEN, NO_RIGHT } from './postgres-errors.ts';

/* What a person reads when a connection to Postgres cannot be opened, or must not be used. */

/** The refusal of a server that breaks the ledger's promises. */
export function unfit(message: string, hint: string): TumaError {
  return new TumaError('database_refused', { message, hint, where: 'TUMA_DATABASE_URL' });
}

/** The refusal of a proxy that gives each transaction another session. */
export function pooled(): TumaError {
  return unfit(
    'Between this machine and Postgres stands a proxy that gives each transaction another session.',
    'Name the server itself, or let the proxy pool sessions (pool_mode = session).',
  );
}

/** `said`: the SQLSTATE, the code of the network, or the words of `pg`. */
interface Refusal {
  said: RegExp;
  code: 'database_refused' | 'database_unreachable';
  message: string;
  hint: string;
}

/** The first that fits holds. What may pass by itself is `database_unreachable`, and is waited for. */
const REFUSALS: readonly Refusal[] = [
  {
    said: /^28P01$/,
    code: 'database_refused',
    message: 'Postgres refuses the password.',
    hint: 'See the user in TUMA_DATABASE_URL. TUMA_DATABASE_PASSWORD_FILE must name a file with the password.',
  },
  {
    said: /^28000$/,
    code: 'database_refused',
    message: 'Postgres refuses this user from this machine.',
    hint: 'See the user in TUMA_DATABASE_URL, and pg_hba.conf there. A server that wants TLS needs sslmode=verify-full in TUMA_DATABASE_URL.',
  },
  {
    said: /^3D000$/,
    code: 'database_refused',
    message: 'There is no database of that name.',
    hint: 'See the name in TUMA_DATABASE_URL, or make it: createdb --encoding=UTF8 NAME.',
  },
  { said: new RegExp(`^${NO_RIGHT}$`), ...FORBIDDEN },
  {
    said: /^The server does not support SSL connections/,
    code: 'database_refused',
    message: 'This Postgres does not speak TLS.',
    hint: 'Switch it on there (ssl = on), or take sslmode out of TUMA_DATABASE_URL.',
  },
  {
    said: /client password must be a (?:non-empty )?string/,
    code: 'database_refused',
    message: 'Postgres wants a password, and none is given.',
    hint: 'Write it into a file that TUMA_DATABASE_PASSWORD_FILE names.',
  },
  {
    said: /CERT|SELF_SIGNED|ALTNAME|UNABLE_TO|SSL|TLS/,
    code: 'database_refused',
    message: 'The certificate of this Postgres is not trusted (<said>).',
    hint: 'Name the file of its authority as sslrootcert in TUMA_DATABASE_URL, and the server by the name in its certificate.',
  },
  {
    said: /^53300$/,
    code: 'database_unreachable',
    message: 'Postgres takes no more connections of this user.',
    hint: 'Each process of Tuma holds two. See max_connections there, and CONNECTION LIMIT of the user.',
  },
  {
    said: /^(?:ENOTFOUND|EAI_)/,
    code: 'database_unreachable',
    message: 'The host of Postgres is not known here (<said>).',
    hint: 'See its name in TUMA_DATABASE_URL, and the DNS of this machine.',
  },
];
const NO_ANSWER: Omit<Refusal, 'said'> = {
  code: 'database_unreachable',
  message: 'Postgres does not answer (<said>).',
  hint: 'See that it runs, and the host and the port in TUMA_DATABASE_URL.',
};

/** The error for a person. A TumaError stays unchanged. */
export function refusal(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof TumaError) return error;
  const text = codeText(error);
  const { code, message, hint } = REFUSALS.find(({ said }) => said.test(text)) ?? NO_ANSWER;
  const where = placeOf(address);
  return new TumaError(code, { message: message.replace('<said>', text), hint, where, cause: error });
}

/** The code of an error, else the beginning of its words. */
export function codeText(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 80);
}
