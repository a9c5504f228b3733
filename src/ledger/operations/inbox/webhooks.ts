import { hash } from 'node:crypto';
import { changeEach, type Connection, getEach, runEach } from '../../connection.ts';
import type { Ledger, WebhookRecord } from '../../contracts/ledger.ts';
import type { Memory } from '../memory.ts';
import { roundsOf } from '../../decide/rounds.ts';
import type { Came } from '../../decide/wishes.ts';
import type { ReplyBook } from './replies.ts';
import type { NewWebhook, StoredWebhook } from '../../contracts/records.ts';
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

/** A webhook that nobody has read; `counted`: its reports were recorded before it came again. */
type UnreadWebhook = Came & { counted: number };

/** The records that webhooks share with other operations. */
export interface WebhookRecords {
  matcher: ReportMatcher;
  replies: ReplyBook;
  /** Throws `ledger_full` while the disk has too little room for webhooks. */
  requireRoom: () => void;
  memory: Memory;
}

/** Webhooks (contracts/ledger.ts): stored raw, read in their order, recorded. */
export function webhookOperations(
  database: Connection,
  { matcher, replies: book, requireRoom, memory }: WebhookRecords,
): Pick<Ledger, 'tryInbox' | 'newWebhooks' | 'recordReports' | 'joinWaiting'> & {
  storeWebhook: (...webhooks: EncodedWebhook[]) => Promise<void>;
} {
  const sql = loadStatements(database, new URL('./webhooks.sql', import.meta.url));
  /** The start of the next look at waiting reports. It goes round, so that unknown ids block no others. */
  const waitingCursor = memory.remember(START);

  return {
    storeWebhook: operation(
      { gate: 'needs its place', patienceMs: 5_000, together: true },
      async (...webhooks) => {
        requireRoom();
        // The same webhook twice: the later one finds the earlier one stored.
        const rounds = roundsOf(webhooks.map(rowOf), ({ digest }) => [digest.toString('latin1')]);
        for (const round of rounds) await store(sql, round);
      },
    ),

    tryInbox: operation({ gate: 'needs its place', patienceMs: 5_000 }, async (now) => {
      requireRoom();
      await sql('note_trial').run(now);
    }),

    newWebhooks: async (limit) => await sql<StoredWebhook>('new_webhooks').all(limit),
    recordReports: (records) => record({ sql, matcher, book }, records),

    /** Tries the next `WAITING_PAGE` waiting reports after the last call. */
    async joinWaiting(now) {
      const page = { after: waitingCursor.value, count: WAITING_PAGE, now };
      const { joined, last } = await matcher.tryUnjoined(page);
      waitingCursor.set(last ?? START);
      return joined;
    },
  };
}

type WebhookRow = ReturnType<typeof rowOf>;

function rowOf([receivedAt, method, contentType, query, text, ip, isUrgent]: EncodedWebhook) {
  const body = Buffer.from(text, 'latin1');
  const digest = digestOf({ method, contentType, query, body, ip });
  return { receivedAt, digest, method, contentType, query, body, ip, urgent: isUrgent ? 1 : 0 };
}

/** Stores webhooks, each another one. */
async function store(sql: Sql, rows: readonly WebhookRow[]): Promise<void> {
  const stored = await getEach(sql('stored'), rows, ({ digest }) => [digest]);
  const anew = rows.filter((_, index) => stored[index] === undefined);
  await changeEach(sql('store_webhook'), anew, (row) => {
    const { receivedAt, digest, method, contentType, query, body, ip, urgent } = row;
    return [receivedAt, digest, method, contentType, query, body, ip, urgent];
  });
  const again = rows.filter((_, index) => stored[index] !== undefined);
  await runEach(sql('read_again'), again, ({ digest, query, body, urgent }) => [digest, query, body, urgent]);
  await changeEach(sql('came_again'), again, ({ digest, receivedAt, urgent }) => [
    digest,
    receivedAt,
    urgent,
  ]);
}

/** Two workers may read one webhook: the first one's record counts. */
async function record(
  { sql, matcher, book }: { sql: Sql; matcher: ReportMatcher; book: ReplyBook },
  records: readonly WebhookRecord[],
): Promise<void> {
  const [firsts = []] = roundsOf(records, ({ webhook }) => [String(webhook)]);
  const stored = await getEach(sql<UnreadWebhook>('unread'), firsts, ({ webhook }) => [webhook]);
  const unread = firsts.flatMap((each, index) => {
    const found = stored[index];
    return found === undefined ? [] : [{ ...each, ...found }];
  });
  await runEach(sql('set_kind'), unread, ({ webhook, kind }) => [webhook, kind]);
  const replies = unread.flatMap(({ webhook, receivedAt, firstAt, now, replies: all = [] }) =>
    all.map((reply) => ({ ...reply, webhook, receivedAt, firstAt, now, isReread: false })),
  );
  await book.add(replies);
  // A webhook that came again for its replies has its reports already.
  const anew = unread.filter(({ counted }) => counted !== 1);
  const reports = anew.flatMap(({ webhook, receivedAt, now, reports: all }) =>
    all.map((report) => ({ ...report, webhook, receivedAt, now })),
  );
  await matcher.add(reports);
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
