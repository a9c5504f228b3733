import type { Connection } from '../../connection.ts';
import type { BegunRequest, NewRequest, RequestKey } from '../../contracts/requests.ts';
import { loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

interface Row {
  digest: string;
  /** Null: nobody handles it. */
  process: string | null;
  status: number | null;
  answer: string | null;
}

type AnsweredRequest = RequestKey & { status: number; answer: string };

/** The operations of requests.ts. */
export function requestOperations(database: Connection) {
  const sql = loadStatements(database, new URL('./requests.sql', import.meta.url));
  return {
    async beginRequest(request: NewRequest): Promise<BegunRequest> {
      const { principal, key, digest, process, now, forgetBefore } = request;
      await sql('forget_old').run(forgetBefore);
      if ((await sql('begin').run(principal, key, digest, process, now)).changes > 0) return { begun: 'now' };
      return knownOf((await sql('one').get(principal, key)) as unknown as Row, request);
    },
    answerRequest: operation({ right: 'none' }, async ({ principal, key, ...answered }: AnsweredRequest) => {
      await sql('answer').run(principal, key, answered.status, answered.answer);
    }),
    leaveRequest: operation({ right: 'none' }, async ({ principal, key }: RequestKey): Promise<void> => {
      await sql('leave').run(principal, key);
    }),
    forgetRequest: operation({ right: 'none' }, async ({ principal, key }: RequestKey): Promise<void> => {
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
