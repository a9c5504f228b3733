import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import type { CustomTypesConfig } from 'pg';

/*
 * Values as they cross to Postgres and back. Operations see what SQLite gives: numbers, texts, bytes and null, with 1 and 0
 * for the truth. A whole number that JavaScript cannot hold is refused, because it would be another number.
 */

/** The types of a statement's parameters (docs/decisions/0013). */
export type ParameterType = 'bigint' | 'float8' | 'text' | 'bytea';

const LARGEST = '9223372036854775807';
const SMALLEST = '-9223372036854775808';

/** A value as Postgres takes it. An endless bound is the last whole number. */
export function toPostgres(value: SQLInputValue, type: ParameterType | undefined): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (typeof value === 'number' && type === 'bigint') {
    if (value === Infinity) return LARGEST;
    if (value === -Infinity) return SMALLEST;
  }
  // `pg` would write any object as JSON, and nobody would know.
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    throw new TypeError('a statement is given an object, which is no value');
  return value;
}

/** The types that statements give back, by their number in Postgres's catalog. */
const PARSERS = new Map<number, (text: string) => SQLOutputValue>([
  [16, (text) => (text === 't' ? 1 : 0)], // boolean
  [17, (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'))], // bytea
  [19, (text) => text], // name
  [20, wholeNumber], // bigint
  [21, wholeNumber], // smallint
  [23, wholeNumber], // integer
  [25, (text) => text], // text
  [26, wholeNumber], // oid
  [114, (text) => text], // json
  [701, Number], // double precision
  [705, (text) => text], // unknown
  [1043, (text) => text], // character varying
  [1700, (text) => (text.includes('.') ? Number(text) : wholeNumber(text))], // numeric
  [2278, () => null], // void
  [3802, (text) => text], // jsonb
]);

/** How `pg` reads the values of rows. Throws on a type that no statement should give. */
export const READS: CustomTypesConfig = {
  getTypeParser: ((type: number) =>
    PARSERS.get(type) ??
    (() => {
      throw new Error(`a statement gives a value of the type ${type}, which has no parser`);
    })) as CustomTypesConfig['getTypeParser'],
};

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is too large for a number`);
  return value;
}
