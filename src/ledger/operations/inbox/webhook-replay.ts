import type { Connection } from '../../connection.ts';
import type { WebhookRecord } from '../../contracts/ledger.ts';
import type { StoredWebhook } from '../../contracts/records.ts';
import type { ReplyLedger, VoidCounts } from '../../contracts/replies.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { ReportMatcher } from './report-matcher.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import type { OptOutBook } from './opt-outs.ts';
import type { Came } from '../../decide/wishes.ts';
import type { ReplyBook } from './replies.ts';
import { type Sql, loadStatements } from '../../statements.ts';

/**
 * Raw webhooks are the source, and reports are only read from them. So reports can be dropped and read again,
 * or taken back for good, and their consequences are recomputed.
 */

/** The webhooks that one transaction reads. */
const STEP_WEBHOOKS = 1_000;

/** One step of taking back the webhooks of an address. */
type VoidStep = Parameters<ReplyLedger['voidWebhooks']>[0] & { after: number };

interface Context {
  sql: Sql;
  campaigns: CampaignRecords;
  matcher: ReportMatcher;
  optOuts: OptOutBook;
  replies: ReplyBook;
}

type DroppedReport = { messageId: string } & (MessagePlace | { campaign: null; seq: null });

/** Dropped reports: their ids, and their messages. */
interface Dropped {
  count: number;
  messageIds: Set<string>;
  messages: Map<string, MessagePlace>;
}

/** Webhooks that are read again or taken back (contracts/replies.ts), step by step. */
export function replayOperations(database: Connection, records: Omit<Context, 'sql'>) {
  const sql = loadStatements(database, new URL('./webhook-replay.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    storedWebhooks: async ({ after, limit }: { after: number; limit: number }) =>
      await sql<StoredWebhook>('stored_webhooks').all(after, limit),
    rereadWebhook: (record: WebhookRecord) => reread(context, record),
    voidStep: (step: VoidStep) => voidStep(context, step),
  };
}

/** Replaces the reports of a raw webhook. The same reading again changes nothing. */
async function reread(context: Context, record: WebhookRecord): Promise<void> {
  const { sql, matcher, replies: book } = context;
  const { webhook, kind, reports, replies = [], now } = record;
  const [stored] = await sql<Came>('set_kind_again').all(webhook, kind);
  if (stored === undefined) return;
  const { receivedAt, firstAt } = stored;
  const dropped = await drop(sql, [webhook]);
  await matcher.add(reports.map((report) => ({ ...report, webhook, receivedAt, now })));
  const came = { webhook, receivedAt, firstAt, now, isReread: true };
  await book.add(replies.map((reply) => ({ ...reply, ...came })));
  const ids = new Set(reports.map(({ messageId }) => messageId));
  for (const message of dropped.messages.values()) {
    const messageId = await unprovedId(context, message, ids);
    if (messageId === null) {
      await matcher.recomputeDeliveries([message]);
      continue;
    }
    await takeBackOne(context, message, now);
    await joinAgain(context, messageId, now);
  }
}

/** The id of a message that only a dropped report had proved; null: it needs no report, or still has one. */
async function unprovedId(
  { sql, matcher }: Context,
  message: MessagePlace,
  ids: Set<string>,
): Promise<string | null> {
  const found = await sql<{ messageId: string }>('unproved').get(message.campaign, message.seq);
  if (found === undefined) return null;
  const { messageId } = found;
  // A remaining report may join nothing, because another message has the same id.
  const isShared = ids.has(messageId) && (await matcher.ids.exact(messageId, 2)).length > 1;
  return isShared ? null : messageId;
}

async function voidStep(context: Context, step: VoidStep): Promise<VoidCounts & { after: number | null }> {
  const { sql, campaigns, replies } = context;
  const { ip, since, after, now, by } = step;
  if (after === 0) await campaigns.audit({ now, by, verb: 'void', campaign: null, detail: { ip, since } });
  const until = after + STEP_WEBHOOKS;
  const found = await sql<{ id: number }>('voidable').all(ip, since ?? 0, after, until);
  const webhooks = found.map(({ id }) => id);
  let taken = 0;
  for (const webhook of webhooks) {
    await sql('mark_void').run(webhook, now);
    taken += await replies.void(webhook, { now, by });
  }
  const dropped = await drop(sql, webhooks);
  const uncertain = await takeBack(context, dropped, now);
  const more = until < Number((await sql('last_webhook').get())?.['last']);
  return {
    webhooks: webhooks.length,
    reports: dropped.count,
    replies: taken,
    uncertain,
    after: more ? until : null,
  };
}

async function drop(sql: Context['sql'], webhooks: number[]): Promise<Dropped> {
  const dropped: Dropped = { count: 0, messageIds: new Set(), messages: new Map() };
  for (const webhook of webhooks) {
    for (const { messageId, ...place } of await sql<DroppedReport>('reports_of_webhook').all(webhook)) {
      dropped.count += 1;
      dropped.messageIds.add(messageId);
      if (place.campaign !== null) dropped.messages.set(`${place.campaign} ${place.seq}`, place);
    }
    await sql('drop_reports').run(webhook);
  }
  return dropped;
}

/** Returns how many more messages are uncertain, because a remaining report may prove one again. */
async function takeBack(context: Context, { messageIds, messages }: Dropped, now: number): Promise<number> {
  let uncertain = 0;
  for (const messageId of messageIds) {
    const proved = await provedByReport(context, messageId);
    if (proved.length === 0) continue;
    for (const message of proved) {
      await takeBackOne(context, message, now);
      messages.delete(`${message.campaign} ${message.seq}`);
    }
    await joinAgain(context, messageId, now);
    uncertain += proved.length - (await provedByReport(context, messageId)).length;
  }
  await context.matcher.recomputeDeliveries([...messages.values()]);
  return uncertain;
}

async function provedByReport({ sql }: Context, messageId: string): Promise<MessagePlace[]> {
  return await sql<MessagePlace>('proved_by_report').all(messageId);
}

async function takeBackOne(
  { sql, optOuts }: Context,
  { campaign, seq }: MessagePlace,
  now: number,
): Promise<void> {
  await sql('unjoin').run(campaign, seq);
  await sql('clear_conflict').run(campaign, seq);
  const mobile = String((await sql('take_back').get(campaign, seq, now))?.['mobile']);
  await optOuts.learn([{ mobile, campaign, seq, effect: null, at: now, delivered: false }]);
}

/** The remaining reports of the id's family may now join another message, or decide the uncertain one. */
async function joinAgain({ sql, matcher }: Context, messageId: string, now: number): Promise<void> {
  const [only, other] = await matcher.ids.exact(messageId, 2);
  if (only !== undefined && other === undefined) await sql('clear_conflict').run(only.campaign, only.seq);
  await matcher.joinAgain(messageId, now);
}
