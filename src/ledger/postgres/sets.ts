import type { ParameterType } from './values.ts';

/*
 * One statement for many rows. Its set form is made from its own text: the parameters become columns of `unnest`, one
 * array each, and the statement runs once for all of them.
 */

/** A statement's set form. Its parameters are arrays, one for each parameter of the statement. */
export interface SetForm {
  sql: string;
  /** Of an UPDATE or DELETE: the parameters (from 0) that choose its rows. Two rows of values may not agree in them. */
  keys: readonly number[];
}

/** `statement`: without comments and hints, with ?1, ?2 …. Throws where it has no set form. */
export function setForm(statement: string, types: readonly ParameterType[]): SetForm {
  const sql = statement.replaceAll(/\?(\d+)/g, 'o.p$1');
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? '';
  switch (verb) {
    case 'SELECT':
      return { sql: selectForm(sql, types), keys: [] };
    case 'INSERT':
      return { sql: insertForm(sql, types), keys: [] };
    case 'UPDATE':
    case 'DELETE':
      return {
        sql: changeForm(sql, { verb, types }),
        keys: parametersIn(statement.slice(startOf(statement, 'WHERE'))),
      };
    default:
      throw new Error(`a statement that begins with "${verb}" has no set form`);
  }
}

/** The column of a SELECT's set form that says which row of values a row belongs to, from 1. */
export const PLACE = 'o_place';

function selectForm(sql: string, types: readonly ParameterType[]): string {
  return `SELECT o.${PLACE}, each.* FROM ${rows(types)}, LATERAL (${sql}) AS each ORDER BY o.${PLACE}`;
}

function insertForm(sql: string, types: readonly ParameterType[]): string {
  const conflict = startOf(sql, 'ON CONFLICT');
  const head = sql.slice(0, conflict);
  const tail = sql.slice(conflict);
  if (/\bo\.p\d/.test(tail)) throw new Error(`behind ON CONFLICT stands a parameter: ${sql}`);
  const values = startOf(head, 'VALUES');
  const select =
    values === head.length ? head.slice(startOf(head, 'SELECT')) : `SELECT ${inParentheses(head, values)}`;
  const into = head.slice(0, values === head.length ? startOf(head, 'SELECT') : values);
  return `${into} SELECT each.* FROM ${rows(types)}, LATERAL (${select}) AS each ORDER BY o.${PLACE} ${tail}`;
}

function inParentheses(sql: string, values: number): string {
  const text = sql.slice(values + 'VALUES'.length).trim();
  return text.slice(1, -1);
}

function changeForm(
  sql: string,
  { verb, types }: { verb: 'UPDATE' | 'DELETE'; types: readonly ParameterType[] },
): string {
  const where = startOf(sql, 'WHERE');
  const from = startOf(sql.slice(0, where), verb === 'UPDATE' ? 'FROM' : 'USING');
  const word = verb === 'UPDATE' ? 'FROM' : 'USING';
  const others = from === where ? '' : `,${sql.slice(from + word.length, where)}`;
  return `${sql.slice(0, from)} ${word} ${rows(types)}${others} ${sql.slice(where)}`;
}

function rows(types: readonly ParameterType[]): string {
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  const names = types.map((_, index) => `p${index + 1}`);
  return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS o(${[...names, PLACE].join(', ')})`;
}

/** Where the first `word` outside of parentheses and texts begins; the text's end: there is none. */
function startOf(sql: string, word: string): number {
  let depth = 0;
  for (const { 0: found, index } of sql.matchAll(/'(?:[^']|'')*'|[()]|\b[A-Z]+(?: CONFLICT)?\b/g)) {
    if (found === '(') depth += 1;
    else if (found === ')') depth -= 1;
    else if (depth === 0 && found === word) return index;
  }
  return sql.length;
}

function parametersIn(text: string): number[] {
  return [...new Set([...text.matchAll(/\?(\d+)/g)].map(([, place]) => Number(place) - 1))];
}
