import type { DatabaseSync } from 'node:sqlite';
import type { ParameterType } from '../postgres/values.ts';

/* The tables of a ledger as both engines have them, so that each row can be read in the same order from both. */

/** A column; the database computes a generated one. */
export interface Column {
  name: string;
  type: ParameterType;
  isGenerated: boolean;
}

/** A table, and the order of its rows. */
export interface Table {
  name: string;
  columns: readonly Column[];
  /** How many it has. */
  rows: number;
  /** What an ORDER BY says: the primary key, or all columns where there is none. */
  order: string;
}

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
const COLUMNS = 'SELECT name, type, pk, hidden FROM pragma_table_xinfo(?1) ORDER BY cid';
const TYPES: Readonly<Record<string, ParameterType>> = {
  INTEGER: 'bigint',
  REAL: 'float8',
  TEXT: 'text',
  BLOB: 'bytea',
};

/** Facts that each engine has for itself; `move` and `arriving` are the marks of the move. */
const OWN_FACTS = "name NOT IN ('move', 'arriving', 'schema_version')";

/** All tables of the ledger in this file. */
export function tablesOf(database: DatabaseSync): Table[] {
  const columns = database.prepare(COLUMNS);
  return database
    .prepare(TABLES)
    .all()
    .map((row) => tableOf(String(row['name']), columns.all(String(row['name']))))
    .map((table) => ({ ...table, rows: Number(database.prepare(countOf(table)).get()?.['rows']) }));
}

function countOf(table: Pick<Table, 'name'>): string {
  return `SELECT count(*) AS rows FROM "${table.name}"${whichOf(table)}`;
}

function whichOf({ name }: Pick<Table, 'name'>): string {
  return name === 'fact' ? ` WHERE ${OWN_FACTS}` : '';
}

/** A statement that reads the rows, in their order. */
export function selectFrom(table: Table, columns: readonly Column[]): string {
  return `SELECT ${listed(columns)} FROM "${table.name}"${whichOf(table)} ORDER BY ${table.order}`;
}

/** The names of columns, as SQL lists them. */
export function listed(columns: readonly Pick<Column, 'name'>[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

function tableOf(name: string, found: readonly Record<string, unknown>[]): Omit<Table, 'rows'> {
  const columns = found.map((each) => ({
    name: String(each['name']),
    type: TYPES[String(each['type'])] ?? unknownType(name, each),
    isGenerated: Number(each['hidden']) > 0,
  }));
  const key = found
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
    .map((each) => `"${String(each['name'])}"`);
  const all = columns.map((column) => `"${column.name}" NULLS FIRST`);
  return { name, columns, order: (key.length > 0 ? key : all).join(', ') };
}

function unknownType(table: string, column: Record<string, unknown>): never {
  throw new Error(`the column ${table}.${String(column['name'])} has the type ${String(column['type'])}`);
}
