import type { Connection } from '../../connection.ts';
import type { BegunRequest, NewRequest, RequestLedger } from '../../contracts/requests.ts';
import { loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

interface Row {
  digest: string;
  /** Null: nobody handles it. */
  process: string | null;
  status: number | null;
  answer: string | null;
}

/** Orders of programs with a key. */
export function requestOperations(database: Connection): RequestLedger {
  const sql = loadStatements(database, new URL('./requests.sql', import.meta.url));
  return {
    async beginRequest(request) {
      const { principal, key, digest, process, now, forgetBefore } = request;
      await sql('forget_old').run(forgetBefore);
      if ((await sql('begin').run(principal, key, digest, process, now)).changes > 0) return { begun: 'now' };
      return knownOf((await sql<Row>('one').get(principal, key)) as Row, request);
    },
    answerRequest: operation({ right: 'none' }, async ({ principal, key, status, answer }) => {
      await sql('answer').run(principal, key, status, answer);
    }),
    leaveRequest: operation({ right: 'none' }, async ({ principal, key }) => {
      await sql('leave').run(principal, key);
    }),
    forgetRequest: operation({ right: 'none' }, async ({ principal, key }) => {
      await sql('forget').run(principal, key);
    }),
  };
}

/** A request of another process was left: a home has one server of pages. */
function knownOf(row: Row, { digest, process }: NewRequest): BegunRequest {
  if (row.digest !== digest) return { begun: 'other' };
  if (row.status !== null) return { begun: 'answered', status: row.status, answer: row.answer ?? '' };
  return { begun: row.process === process ? 'running' : 'left' };
}
