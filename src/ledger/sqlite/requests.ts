import type { DatabaseSync } from 'node:sqlite';
import type { BegunRequest, NewRequest, RequestKey } from '../requests.ts';
import { loadStatements } from './statements.ts';

interface Row {
  digest: string;
  /** Null: nobody handles it. */
  process: string | null;
  status: number | null;
  answer: string | null;
}

/** The operations of requests.ts. */
export function requestOperations(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./requests.sql', import.meta.url));
  return {
    beginRequest(request: NewRequest): BegunRequest {
      const { principal, key, digest, process, now, forgetBefore } = request;
      sql('forget_old').run(forgetBefore);
      if (sql('begin').run(principal, key, digest, process, now).changes > 0) return { begun: 'now' };
      return knownOf(sql('one').get(principal, key) as unknown as Row, request);
    },
    answerRequest({ principal, key, status, answer }: RequestKey & { status: number; answer: string }): void {
      sql('answer').run(principal, key, status, answer);
    },
    leaveRequest({ principal, key }: RequestKey): void {
      sql('leave').run(principal, key);
    },
    forgetRequest({ principal, key }: RequestKey): void {
      sql('forget').run(principal, key);
    },
  };
}

/** A request of another process was left: a home has one server of pages. */
function knownOf(row: Row, { digest, process }: NewRequest): BegunRequest {
  if (row.digest !== digest) return { begun: 'other' };
  if (row.status !== null) return { begun: 'answered', status: row.status, answer: row.answer ?? '' };
  return { begun: row.process === process ? 'running' : 'left' };
}
