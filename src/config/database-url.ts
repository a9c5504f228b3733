import { readFileSync } from 'node:fs';
import { TumaError } from '../domain/errors.ts';
import { passwordIn, Secret } from './secret.ts';
import { type Parsed, readPath } from './values.ts';

/* Where the ledger is: a file of SQLite, or a schema of Postgres. */

/** What TUMA_DATABASE_URL may ask of Postgres besides its host and database. */
const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'host', 'schema']);
/** What Postgres calls `require` encrypts and trusts everybody, so whoever stands between could read along. */
const TLS_MODES = new Set(['disable', 'verify-full']);
/** `host` is the folder of a socket. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey', 'host'];
/** Postgres keeps names that begin with pg_ for itself, and cuts longer ones. */
const SCHEMA = /^(?!pg_)[a-z_][a-z\d_]{0,62}$/;
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
  const problem = RULES.find(([isBroken]) => isBroken(url))?.[1];
  return problem === undefined ? { value: url.href } : { problem };
}

const RULES: readonly [isBroken: (url: URL) => boolean, problem: string][] = [
  [
    ({ password, searchParams: asked }) => password !== '' || asked.has('password'),
    'holds a password; put it into a file that TUMA_DATABASE_PASSWORD_FILE names',
  ],
  [({ username }) => username === '', 'names no user; write postgres://user@host/database'],
  [
    ({ searchParams: asked }) => [...asked.keys()].some((name) => !PARAMETERS.has(name)),
    `asks for more than ${[...PARAMETERS].join(', ')}`,
  ],
  [
    ({ searchParams: asked }) => !TLS_MODES.has(asked.get('sslmode') ?? 'disable'),
    'has another sslmode than verify-full or disable',
  ],
  [
    ({ searchParams: asked }) => FILES.some((name) => asked.get(name)?.startsWith('/') === false),
    `has no whole path as ${FILES.join(', ')}`,
  ],
  [
    ({ searchParams: asked }) => !SCHEMA.test(asked.get('schema') ?? 'tuma'),
    'has a schema of more than small letters, digits and _, or one that begins with pg_',
  ],
];

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
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw refuse(`The file with the password of the database cannot be read (${code}).`, error);
  }
  const password = passwordIn(text);
  if (password === null)
    throw refuse('The file with the password of the database holds no password, or more than one line.');
  return new Secret(password);
}
