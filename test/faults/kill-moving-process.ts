import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/*
 * Preloaded into a process (--import), it kills it before or after a statement of either engine: KILL_MOVE is such as
 * "after sqlite COMMIT 2", the second one whose text begins so.
 */

const [, when = '', engine = '', begin = '', nth = ''] =
  /^(before|after) (sqlite|postgres) (.*) (\d+)$/.exec(process.env['KILL_MOVE'] ?? '') ?? [];
let left = Number(nth);

/** Runs it, and dies before or after when it is the one. */
function watched<Result>(of: string, text: string, run: () => Result): Result {
  const isIt = of === engine && text.trimStart().startsWith(begin) && --left === 0;
  if (isIt && when === 'before') process.kill(process.pid, 'SIGKILL');
  const result = run();
  if (isIt) void Promise.resolve(result).then(() => process.kill(process.pid, 'SIGKILL'));
  return result;
}

const exec = Reflect.get(DatabaseSync.prototype, 'exec');
DatabaseSync.prototype.exec = function execute(sql: string) {
  return watched('sqlite', sql, () => exec.call(this, sql));
};
const query = Reflect.get(pg.Client.prototype, 'query') as (...given: unknown[]) => unknown;
Reflect.set(pg.Client.prototype, 'query', function ask(this: pg.Client, ...given: unknown[]) {
  const [first] = given;
  const text = typeof first === 'string' ? first : String((first as { text?: string } | undefined)?.text);
  return watched('postgres', text, () => query.apply(this, given));
});
