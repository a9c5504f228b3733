import type { DatabaseSync } from 'node:sqlite';
import type { BegunRequest, NewRequest, RequestKey } from '../requests.ts';
import { loadStatements } from './statements.ts';

interface Row {
  digest: string;
  /** Null: nobody handles it. */
  process: string | null;
  preparation: string | null;
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
      const row = sql('one').get(principal, key) as unknown as Row;
      const known = knownOf(row, request);
      if (known.begun === 'left') sql('take').run(principal, key, process);
      return known;
    },
    bindRequest({ principal, key, preparation }: RequestKey & { preparation: string }): void {
      sql('bind').run(principal, key, preparation);
    },
    answerRequest(request: RequestKey & { status: number; answer: string; campaign: string | null }): void {
      const { principal, key, status, answer, campaign } = request;
      sql('answer').run(principal, key, status, answer, campaign);
    },
    leaveRequest({ principal, key }: RequestKey): void {
      sql('take').run(principal, key, null);
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
  return row.process === process ? { begun: 'running' } : { begun: 'left', preparation: row.preparation };
}
