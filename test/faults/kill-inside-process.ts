import { DatabaseSync, type StatementSync } from 'node:sqlite';

/*
 * Preloaded into a process (--import), it kills it inside a transaction of its ledger: KILL_INSIDE says what that has
 * done by then, and the how manyth such transaction it is.
 */

const DONE_BY: Record<string, RegExp> = {
  claim: /^UPDATE message\s+SET state = 'sending'/m,
  outcomes: /^UPDATE message\s+SET state = 'sent'/m,
};
const [what = '', nth = ''] = (process.env['KILL_INSIDE'] ?? '').split(' ');
let left = Number(nth);
let isDone = false;

const prepare = Reflect.get(DatabaseSync.prototype, 'prepare');
DatabaseSync.prototype.prepare = function watched(sql: string) {
  const statement = prepare.call(this, sql);
  if (DONE_BY[what]?.test(sql) === true) before(statement, () => (isDone = true));
  if (sql === 'BEGIN IMMEDIATE') before(statement, () => (isDone = false));
  if (sql === 'COMMIT') before(statement, endIfDone);
  return statement;
};

function before(statement: StatementSync, happens: () => void): void {
  const run = statement.run.bind(statement);
  statement.run = ((...values: Parameters<StatementSync['run']>) => {
    happens();
    return run(...values);
  }) as StatementSync['run'];
}

function endIfDone(): void {
  if (!isDone) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}
