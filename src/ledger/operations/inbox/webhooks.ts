import { hash } from 'node:crypto';
import type { Connection } from '../../connection.ts';
import type { NewReply } from '../../contracts/replies.ts';
import type { Memory } from '../memory.ts';
import type { Came, ReplyBook } from './replies.ts';
import type { NewReport, NewWebhook, StoredWebhook, WebhookKind } from '../../contracts/records.ts';
import type { EncodedWebhook } from '../../thread/thread-codec.ts';
import type { ReportMatcher, UnjoinedCursor } from './report-matcher.ts';
import { loadStatements, type Sql } from '../../statements.ts';
import { operation } from '../operation.ts';

/** Raw webhooks, stored before they are answered, and their content once a worker has read them. */

/** Waiting reports tried in one transaction. */
const WAITING_PAGE = 500;
/** 128 bits tell any two webhooks apart, and keep the index half as wide. */
const DIGEST_BYTES = 16;

const START: UnjoinedCursor = { plainId: '', id: 0 };

/** The content of a webhook. Time in milliseconds. */
export interface ReportRecord {
  webhook: number;
  kind: WebhookKind;
  reports: NewReport[];
  replies?: NewReply[];
  now: number;
}

/** The records that webhooks share with other operations. */
export interface WebhookRecords {
  matcher: ReportMatcher;
  replies: ReplyBook;
  /** Throws `ledger_full` while the disk has too little room for webhooks. */
  requireRoom: () => void;
  memory: Memory;
}

/** Webhooks (ledger.ts): stored raw, read in their order, recorded. */
export function webhookOperations(
  database: Connection,
  { matcher, replies: book, requireRoom, memory }: WebhookRecords,
) {
  const sql = loadStatements(database, new URL('./webhooks.sql', import.meta.url));
  /** The start of the next look at waiting reports. It goes round, so that unknown ids block no others. */
  const waitingCursor = memory.remember(START);

  return {
    storeWebhook: operation(
      { gate: 'needs its place', patienceMs: 5_000 },
      async (webhook: EncodedWebhook) => {
        requireRoom();
        await store(sql, webhook);
      },
    ),

    tryInbox: operation({ gate: 'needs its place', patienceMs: 5_000 }, async (now: number) => {
      requireRoom();
      await sql('note_trial').run(now);
    }),

    async newWebhooks(limit: number): Promise<StoredWebhook[]> {
      return (await sql('new_webhooks').all(limit)) as unknown as StoredWebhook[];
    },

    /** When two workers read the same webhook, the first one's record counts. */
    async recordReports(record: ReportRecord): Promise<void> {
      const { webhook, kind, reports, replies = [], now } = record;
      const [stored] = (await sql('set_kind').all(webhook, kind)) as unknown as (Came & {
        counted: number;
      })[];
      if (stored === undefined) return;
      const { receivedAt, firstAt, counted } = stored;
      for (const reply of replies) await book.add(reply, { webhook, receivedAt, firstAt, now });
      // The webhook came again for its replies; its reports are already recorded.
      if (counted === 1) return;
      for (const report of reports) await matcher.add({ ...report, webhook, receivedAt, now });
    },

    /** Tries the next `WAITING_PAGE` waiting reports after the last call. */
    async joinWaiting(now: number): Promise<number> {
      const page = { after: waitingCursor.value, count: WAITING_PAGE, now };
      const { joined, last } = await matcher.tryUnjoined(page);
      waitingCursor.set(last ?? START);
      return joined;
    },
  };
}

async function store(
  sql: Sql,
  [receivedAt, method, contentType, query, text, ip, isUrgent]: EncodedWebhook,
): Promise<void> {
  const urgent = isUrgent ? 1 : 0;
  const body = Buffer.from(text, 'latin1');
  const digest = digestOf({ method, contentType, query, body, ip });
  const row = [receivedAt, digest, method, contentType, query, body, ip, urgent];
  if ((await sql('store_webhook').run(...row)).changes === 1) return;
  await sql('read_again').run(digest, query, body, urgent);
  await sql('came_again').run(digest, receivedAt, urgent);
}

/**
 * The digest of all parts that make two webhooks equal. Each part has its length, so that parts cannot run
 * together. The address is a part, because a forged copy must not replace the provider's own webhook.
 */
function digestOf({
  method,
  contentType,
  query,
  body,
  ip,
}: Pick<NewWebhook, 'method' | 'contentType' | 'query' | 'body' | 'ip'>) {
  const parts = [method, contentType, query, ip].map((part) => `${part.length}:${part}`).join('');
  return hash('sha256', Buffer.concat([Buffer.from(parts), body]), 'buffer').subarray(0, DIGEST_BYTES);
}
