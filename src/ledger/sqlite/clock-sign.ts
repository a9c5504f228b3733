import type { DatabaseSync } from 'node:sqlite';
import { prepareStatements } from './statements.ts';

/**
 * Makes a function that notes by what time something was written that others wait for. A clock that was ahead for less than it is
 * from one sign of life of a worker to the next, or while no worker ran, is seen by it when it is set right (clock-set-back.ts).
 */
export function clockSign(database: DatabaseSync): (now: number) => void {
  const sql = prepareStatements(database, new URL('./clock-sign.sql', import.meta.url), ['note_time']);
  return (now) => void sql.note_time.run(now);
}
