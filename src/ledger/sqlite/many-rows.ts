import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Connection, Statement, Values } from '../connection.ts';

/** More of them save nothing. */
const ROWS_A_STATEMENT = 20;
const ONE_ROW = /^(INSERT [^(]+\([^)]+\)\s*VALUES\s*)(\([^)]+\))([^;?]*);\s*$/m;

/**
 * The connection, on which an INSERT of one row takes many rows at a time: the start of a statement, and of the triggers
 * of its table, costs a fifth of its row.
 */
export function manyRowsConnection(database: DatabaseSync): Connection {
  return {
    prepare(sql) {
      const one = database.prepare(sql);
      const text = manyRows(sql);
      return text === null ? one : inserting(one, () => database.prepare(text));
    },
  };
}

/** Node finds numbered places by a search among all of them, so these have none. Null: they do not stand in order. */
function manyRows(sql: string): string | null {
  const [, into, row, rest] = ONE_ROW.exec(sql.replaceAll(/^--.*\n/gm, '')) ?? [];
  const places = [...(row ?? '').matchAll(/\?(\d+)/g)];
  if (row === undefined || places.some(([, place], index) => Number(place) !== index + 1)) return null;
  return `${into}${Array(ROWS_A_STATEMENT).fill(row.replaceAll(/\?\d+/g, '?')).join(', ')}${rest}`;
}

function inserting(one: StatementSync, prepare: () => StatementSync): Statement {
  let many: StatementSync | null = null;
  return {
    get: (...values) => one.get(...values),
    all: (...values) => one.all(...values),
    run: (...values) => one.run(...values),
    setReturnArrays: (on) => one.setReturnArrays(on),
    async runEach(rows: readonly Values[]) {
      let changes = 0;
      let at = 0;
      for (; at + ROWS_A_STATEMENT <= rows.length; at += ROWS_A_STATEMENT) {
        many ??= prepare();
        const values: SQLInputValue[] = rows.slice(at, at + ROWS_A_STATEMENT).flat();
        changes += Number(many.run(...values).changes);
      }
      for (; at < rows.length; at += 1) changes += Number(one.run(...(rows[at] as Values)).changes);
      return changes;
    },
  };
}
