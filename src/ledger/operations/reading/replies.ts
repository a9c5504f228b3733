import type { Connection } from '../../connection.ts';
import type {
  MismatchedReports,
  OptOutEvent,
  OptOutRow,
  RawWebhookRow,
  ReplyReader,
  ReplyRow,
  UnknownWord,
  WebhookShape,
} from '../../contracts/replies.ts';
import { loadStatements } from '../../statements.ts';

/** The most senders that one number may be opted out of before a page of the list misses one. */
const MORE_OF_ONE_NUMBER = 200;
/** The raw webhooks that are searched for shapes: only the latest, so that no read takes long. */
const SHAPES_AMONG = 200_000;
const SHAPES_READ = 10_000;
const MOST_NAMES = 30;

/** A reply as its row comes. */
export type ReplyRecord = Omit<ReplyRow, 'detail' | 'campaign'> & {
  detail: string;
  campaignId: string | null;
  campaignName: string | null;
  line: number | null;
};

type MismatchedRow = Omit<MismatchedReports, 'webhooks'> & { webhooks: string };

interface OddWebhook extends Pick<RawWebhookRow, 'contentType' | 'query' | 'body' | 'times' | 'lastAt'> {
  id: number;
  kind: WebhookShape['kind'];
}

/** Reads replies, opted-out numbers, and webhooks that need a person. */
export function replyReads(database: Connection): Omit<ReplyReader, 'unmatchedReports' | 'repeatedIds'> {
  const sql = loadStatements(database, new URL('./replies.sql', import.meta.url));
  return {
    async replies({ campaign, since, before, inDoubt = false, limit }) {
      const [writtenAt, id] = [before?.writtenAt ?? null, before?.id ?? null];
      const values = [campaign, since, writtenAt, id, inDoubt ? 1 : 0, limit];
      return (await sql<ReplyRecord>('replies').all(...values)).map(replyFrom);
    },

    repliesInDoubt: async () => (await sql<{ count: number }>('replies_in_doubt').get())?.count ?? 0,
    openWords: async () => (await sql<{ count: number }>('open_words').get())?.count ?? 0,

    async chatDetail(recordId) {
      const row = await sql<{ detail: string }>('chat_detail').get(recordId);
      return row === undefined ? null : (JSON.parse(row.detail) as Record<string, string>);
    },

    async optOuts({ after, limit }) {
      const { mobile, kind, sender } = after ?? { mobile: '', kind: '', sender: '' };
      return await sql<OptOutRow>('opt_outs').all(mobile, kind, sender, limit, limit + MORE_OF_ONE_NUMBER);
    },

    optOutHistory: async (mobile) => await sql<OptOutEvent>('opt_out_history').all(mobile),
    unknownWords: async (limit) => await sql<UnknownWord>('unknown_words').all(limit),
    rawWebhook: async (webhook) => (await sql<RawWebhookRow>('raw_webhook').get(webhook)) ?? null,

    async mismatchedReports(limit) {
      const found = (await sql('mismatched_reports').get(limit)) as unknown as MismatchedRow;
      return { ...found, webhooks: JSON.parse(found.webhooks) as number[] };
    },

    webhookShapes: async (limit) =>
      groupShapes(await sql<OddWebhook>('odd_webhooks').all(SHAPES_AMONG, SHAPES_READ)).slice(0, limit),
  };
}

/** A reply in the shape of the contract. */
export function replyFrom({ campaignId, campaignName, line, detail, ...row }: ReplyRecord): ReplyRow {
  const campaign =
    campaignId === null ? null : { id: campaignId, name: campaignName ?? '', line: Number(line) };
  return { ...row, detail: JSON.parse(detail) as Record<string, string>, campaign };
}

function groupShapes(webhooks: OddWebhook[]): WebhookShape[] {
  const groups = new Map<string, WebhookShape>();
  for (const each of webhooks) {
    const shape = shapeOf(each);
    const key = `${each.kind} ${shape}`;
    const known = groups.get(key);
    const group = known ?? { kind: each.kind, shape, count: 0, lastAt: 0, webhook: each.id };
    if (known === undefined) groups.set(key, group);
    group.count += each.times;
    group.lastAt = Math.max(group.lastAt, each.lastAt);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || b.webhook - a.webhook);
}

/**
 * The names of the fields, but no values, because a value may be a number or a text. A body without names is
 * known by its media type, because each multipart form has another boundary.
 */
function shapeOf({ contentType, query, body }: OddWebhook): string {
  const text = new TextDecoder().decode(body).trim();
  const names = text.startsWith('{') || text.startsWith('[') ? jsonNames(text) : formNames(text || query);
  return names || contentType.split(';')[0]?.trim() || 'no content type';
}

function jsonNames(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    if (typeof first !== 'object' || first === null) return '';
    return listed(Object.keys(first));
  } catch {
    return '';
  }
}

function formNames(text: string): string {
  if (!/^[\w.%+-]+=/.test(text)) return '';
  return listed([...new URLSearchParams(text).keys()]);
}

function listed(names: string[]): string {
  return [...new Set(names)].toSorted().slice(0, MOST_NAMES).join(' ');
}
