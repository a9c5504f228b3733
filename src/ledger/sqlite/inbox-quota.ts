import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import { prepareStatements } from './statements.ts';

/**
 * A flood of webhooks must not take the disk from the verdicts of what is on the wire, nor grow without end what a worker
 * has to read. Beyond either bound nothing is acknowledged, and an honest sender comes again.
 */

/** Webhooks that nobody has read yet: hours of honest reports. */
const MOST_UNREAD = 10_000_000;
const CHECK_EVERY_MS = 1_000;

/** What is watched, and the bounds; tests have smaller ones. */
export interface InboxOptions {
  /** Throws `ledger_full` while the disk has too little room for webhooks. */
  requireRoom: () => void;
  mostUnread?: number;
  checkEveryMs?: number;
}

/** A function that throws `ledger_full` or `inbox_full` when no webhook may be stored; it looks once a second. */
export function inboxQuota(
  database: DatabaseSync,
  { requireRoom, mostUnread = MOST_UNREAD, checkEveryMs = CHECK_EVERY_MS }: InboxOptions,
): () => void {
  const sql = prepareStatements(database, new URL('./inbox-quota.sql', import.meta.url), ['unread_span']);
  let checkedAt = -Infinity;
  let unread = 0;
  return () => {
    requireRoom();
    const now = performance.now();
    if (now - checkedAt >= checkEveryMs) {
      checkedAt = now;
      unread = Number(sql.unread_span.get()?.['unread'] ?? 0);
    }
    if (unread < mostUnread) return;
    throw new TumaError('inbox_full', {
      message: `${unread} webhooks wait to be read.`,
      hint: 'Start a worker (tuma serve): it reads them.',
    });
  };
}
