/** Where a ledger on Postgres is. Crosses to the ledger's thread. */
export interface PostgresAddress {
  /** postgres://user@host:port/database?sslmode=…, without a password. */
  url: string;
  password: string | null;
  /** The schema of the ledger's tables. */
  schema: string;
}

const DEFAULT_SCHEMA = 'tuma';

/** Takes TUMA_DATABASE_URL apart, as `readLedgerUrl` has let it through. `?schema=` names the schema; left out: "tuma". */
export function postgresAddress(text: string, password: string | null): PostgresAddress {
  const url = new URL(text);
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA;
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
