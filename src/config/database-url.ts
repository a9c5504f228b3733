import { readFileSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';
import { Secret } from './secret.ts';
import { type Parsed, readPath } from './values.ts';

/* Where the ledger is: a file of SQLite, or a schema of Postgres. */

/** What TUMA_DATABASE_URL may ask of Postgres besides its host and database. */
const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'schema']);
/** What Postgres calls `require` encrypts and trusts everybody, so whoever stands between could read along. */
const TLS_MODES = new Set(['disable', 'verify-full']);
const FILES = ['sslrootcert', 'sslcert', 'sslkey', 'host'];
const SCHEMA = /^[a-z_][a-z\d_]{0,62}$/;
const SQLITE = /^sqlite:(?!\/\/)(?:\$\{?TUMA_HOME\}?(?=\/))?(.+)$/su;

/** Reads `sqlite:FILE`, which may begin with `$TUMA_HOME`, or `postgres://user@host/database?sslmode=verify-full`. */
export function readLedgerUrl(text: string): Parsed<string> {
  if (isPostgres(text)) return readPostgresUrl(text);
  const file = SQLITE.exec(text)?.[1];
  if (file === undefined) return { problem: 'is not sqlite:FILE or postgres://user@host/database' };
  const path = readPath(file);
  return 'value' in path ? { value: text } : path;
}

/** Whether this setting names a ledger on Postgres. */
export function isPostgres(text: string): boolean {
  return /^postgres(?:ql)?:/.test(text);
}

/** Reads the address of a ledger on Postgres. A password in it is refused, because command lines and logs would show it. */
function readPostgresUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  if (url === null || url.pathname.length < 2) return { problem: 'is not postgres://user@host/database' };
  const { password, username, searchParams } = url;
  if (password !== '' || searchParams.has('password'))
    return { problem: 'holds a password; put it into a file that TUMA_DATABASE_PASSWORD_FILE names' };
  if (username === '') return { problem: 'names no user; write postgres://user@host/database' };
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) return { problem: `asks for more than ${[...PARAMETERS].join(', ')}` };
  if (!TLS_MODES.has(searchParams.get('sslmode') ?? 'disable'))
    return { problem: 'has another sslmode than verify-full or disable' };
  const relative = FILES.find((name) => searchParams.get(name)?.startsWith('/') === false);
  if (relative !== undefined) return { problem: `has no whole path as ${relative}` };
  if (!SCHEMA.test(searchParams.get('schema') ?? 'tuma'))
    return { problem: 'has a schema of more than small letters, digits and _' };
  return { value: url.href };
}

/** The password in this file, without the end of its line. Throws `config_invalid`. */
export function readPasswordFile(file: string): Secret {
  const refuse = (message: string, cause?: unknown) =>
    new TumaError('config_invalid', {
      message,
      hint: 'TUMA_DATABASE_PASSWORD_FILE names a file that holds the password of the database and nothing else.',
      where: file,
      cause,
    });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse('The file with the password of the database cannot be read.', error);
  }
  const password = text.replace(/\r?\n$/, '');
  if (password === '' || /\p{Cc}/u.test(password))
    throw refuse('The file with the password of the database holds no password, or more than one line.');
  return new Secret(password);
}
