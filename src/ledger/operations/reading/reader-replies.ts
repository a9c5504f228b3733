import type { Connection } from '../../connection.ts';
import type {
  MismatchedReports,
  OptOutEvent,
  OptOutRow,
  RawWebhookRow,
  RepliesQuery,
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
export function replyReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-replies.sql', import.meta.url));
  return {
    async replies({ campaign, since, before, inDoubt = false, limit }: RepliesQuery): Promise<ReplyRow[]> {
      const [writtenAt, id] = [before?.writtenAt ?? null, before?.id ?? null];
      const found = await sql('replies').all(campaign, since, writtenAt, id, inDoubt ? 1 : 0, limit);
      return (found as unknown as ReplyRecord[]).map(replyFrom);
    },

    repliesInDoubt: async () => Number((await sql('replies_in_doubt').get())?.['count']),

    async chatDetail(recordId: string): Promise<Record<string, string> | null> {
      const row = (await sql('chat_detail').get(recordId)) as { detail: string } | undefined;
      return row === undefined ? null : (JSON.parse(row.detail) as Record<string, string>);
    },

    async optOuts({ after, limit }: { after: OptOutRow | null; limit: number }): Promise<OptOutRow[]> {
      const { mobile, kind, sender } = after ?? { mobile: '', kind: '', sender: '' };
      const look = limit + MORE_OF_ONE_NUMBER;
      return (await sql('opt_outs').all(mobile, kind, sender, limit, look)) as unknown as OptOutRow[];
    },

    optOutHistory: async (mobile: string) =>
      (await sql('opt_out_history').all(mobile)) as unknown as OptOutEvent[],

    unknownWords: async (limit: number) =>
      (await sql('unknown_words').all(limit)) as unknown as UnknownWord[],

    openWords: async () => Number((await sql('open_words').get())?.['count']),

    async mismatchedReports(limit: number): Promise<MismatchedReports> {
      const found = (await sql('mismatched_reports').get(limit)) as unknown as MismatchedRow;
      return { ...found, webhooks: JSON.parse(found.webhooks) as number[] };
    },

    async webhookShapes(limit: number): Promise<WebhookShape[]> {
      const odd = (await sql('odd_webhooks').all(SHAPES_AMONG, SHAPES_READ)) as unknown as OddWebhook[];
      return groupShapes(odd).slice(0, limit);
    },

    rawWebhook: async (webhook: number) =>
      ((await sql('raw_webhook').get(webhook)) ?? null) as unknown as RawWebhookRow | null,
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
