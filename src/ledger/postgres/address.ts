import { TumaError } from '../../domain/errors.ts';

/** Where a ledger on Postgres is. Crosses to the ledger's thread. */
export interface PostgresAddress {
  /** postgres://user@host:port/database?sslmode=…, without a password. */
  url: string;
  password: string | null;
  /** The schema of the ledger's tables. */
  schema: string;
}

const DEFAULT_SCHEMA = 'tuma';
/** Postgres cuts longer names. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/**
 * Reads TUMA_DATABASE_URL. `?schema=` names the schema; left out: "tuma". Throws `config_invalid`. Errors never repeat
 * the address, because people write passwords into it.
 */
export function postgresAddress(text: string, password: string | null): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['postgres:', 'postgresql:'].includes(url.protocol))
    throw wrong('The address of the database is no postgres:// address.');
  if (url.password !== '' || url.searchParams.has('password'))
    throw wrong(
      'The address of the database holds a password, which other programs of this machine could see.',
    );
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
  if (!SCHEMA_NAME.test(schema))
    throw wrong('The schema in the address of the database has more than small letters, digits and _.');
  url.searchParams.delete('schema');
  return { url: url.toString(), password, schema };
}

/** The address for people: host, port, database and schema. */
export function placeOf({ url, schema }: PostgresAddress): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = hostname === '' ? (searchParams.get('host') ?? 'this machine') : hostname;
  return `${host}${port === '' ? '' : `:${port}`}${pathname}, schema ${schema}`;
}

/** The place of a ledger there, in the notes of its claims. */
export function homePlaceOf(address: PostgresAddress): string {
  return `postgres ${placeOf(address)}`;
}

function wrong(message: string): TumaError {
  return new TumaError('config_invalid', {
    message,
    hint: 'Write it as postgres://user@host:5432/database, and the password into a file that TUMA_DATABASE_PASSWORD_FILE names.',
    where: 'TUMA_DATABASE_URL',
  });
}
