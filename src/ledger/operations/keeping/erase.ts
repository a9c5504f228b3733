import type { Engine } from '../../engine.ts';
import type { Connection, Row } from '../../connection.ts';
import type { Delivery, MessageState } from '../../../domain/message.ts';
import { numberIn } from '../../../domain/numbers/written-number.ts';
import type { ErasedCounts, EraseLedger, EraseReader, ErasureWaits } from '../../contracts/erase.ts';
import { MOST_ROWS } from '../planning/batches.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { rowKeyOf } from '../orders/canceled-people.ts';
import { PurgedReminders } from '../planning/purged-reminders.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { maskReports } from './masked-reports.ts';
import { operation } from '../operation.ts';

/*
 * Removes one person's data. What is found by an index goes in the first transaction, with all that decides whether
 * anything could be sent. Raw webhooks and reports are then looked through in steps.
 */

type EraseOrder = Parameters<EraseLedger['erasePerson']>[0];
type EraseStep = { mobile: string; now: number; after: number };

interface MessageOfPerson {
  campaign: number;
  seq: number;
  key: string;
  state: MessageState;
  /** 0: something of it may leave yet, or nobody knows whether it left. */
  isDone: 0 | 1;
  delivery: Delivery | null;
  /** Of the campaign. */
  id: string;
  isChanging: 0 | 1;
}

interface Context {
  engine: Engine;
  /** erase.sql, and the statements of a purge that take a span of one message or reply. */
  sql: Sql;
  purge: Sql;
  campaigns: CampaignRecords;
  reminders: PurgedReminders;
}

/** After every instant: what is purged by age goes here at any age. */
const ANY_AGE = Number.MAX_SAFE_INTEGER;
/** What came of an export whose file an erasure takes (campaign/tasks/task.ts). */
const EXPORT_ERASED = { kind: 'export_erased' };

/** The removal (contracts/erase.ts) as operations of the thread. */
export function eraseOperations(
  database: Connection,
  { campaigns, engine, purge }: { campaigns: CampaignRecords; engine: Engine; purge: Sql },
) {
  const sql = loadStatements(database, new URL('./erase.sql', import.meta.url));
  const context = { engine, sql, purge, campaigns, reminders: new PurgedReminders(database) };
  return {
    beginErasure: operation({ right: 'admin' }, (order: EraseOrder) => beginErasure(context, order)),
    // The begin of an erasure was the order. Broken off behind it, the number would stay.
    erasureStep: operation({ right: 'none' }, (step: EraseStep) => erasureStep(context, step)),
    openErasures: async (before: number) =>
      (await sql<{ mobile: string }>('open').all(before)).map(({ mobile }) => mobile),
    endErasure: operation({ right: 'none' }, async ({ mobile }: { mobile: string }): Promise<void> => {
      await sql('end').run(mobile);
      await sql('take_exports').run(JSON.stringify(EXPORT_ERASED));
    }),
  };
}

/** Reads what there is of a number. */
export function eraseReads(database: Connection): EraseReader {
  const sql = loadStatements(database, new URL('./erase.sql', import.meta.url));
  return {
    async personTraces(mobile) {
      const messages = await sql<MessageOfPerson>('messages').all(mobile);
      return {
        messages: messages.length,
        campaigns: [...new Set(messages.map(({ id }) => id))],
        replies: (await sql('replies').all(mobile)).length,
        awaited: messages.filter(({ delivery }) => delivery === 'pending').length,
        waits: await waitsOf(sql, mobile, messages),
      };
    },
  };
}

async function waitsOf(
  sql: Sql,
  mobile: string,
  messages: readonly MessageOfPerson[],
): Promise<ErasureWaits> {
  const count = (state: MessageState) =>
    messages.filter((each) => each.state === state && each.isDone === 0).length;
  return {
    queued: count('queued'),
    sending: count('sending'),
    uncertain: count('uncertain'),
    maybeStops: (await sql<{ waiting: number }>('maybe_stops').get(mobile))?.waiting ?? 0,
    changing: new Set(messages.filter(({ isChanging }) => isChanging === 1).map(({ id }) => id)).size,
  };
}

/** Null: something waits. */
async function beginErasure(context: Context, order: EraseOrder): Promise<ErasedCounts | null> {
  const { engine, sql, campaigns } = context;
  const { mobile, now, by } = order;
  const messages = await sql<MessageOfPerson>('messages').all(mobile);
  if (Object.values(await waitsOf(sql, mobile, messages)).some((waiting) => waiting > 0)) return null;
  // From now on this connection writes zeros over removed data.
  await engine.overwriteDeleted();
  const replies = await sql<{ id: number; webhook: number }>('replies').all(mobile);
  const isNew = (await sql('begin').run(mobile, now)).changes > 0;
  if (isNew) {
    const detail = { messages: messages.length, replies: replies.length };
    await campaigns.audit({ now, by, verb: 'erase', campaign: null, detail });
  }
  const webhooks = new Set(replies.map(({ webhook }) => webhook));
  let reports = 0;
  for (const message of messages) reports += await eraseMessage(context, message, webhooks);
  for (const { id } of replies) {
    await context.purge('drop_outlived_by_replies').run(id - 1, id, ANY_AGE);
    await context.purge('empty_replies').run(id - 1, id, ANY_AGE);
  }
  await sql('drop_failures').run(mobile);
  await sql('empty_audit').run(mobile);
  await sql('drop_marks').run(mobile);
  const { webhooks: emptied } = await emptyWebhooks(context, { webhooks, mobile, now });
  // The steps see the shared ones, too, and count them.
  return { messages: messages.length, replies: replies.length, reports, webhooks: emptied, shared: 0 };
}

/** Empties one message as a purge does. Returns the number of its reports. */
async function eraseMessage(
  { sql, purge, reminders }: Context,
  { campaign, seq, key }: MessageOfPerson,
  webhooks: Set<number>,
): Promise<number> {
  const reports = await sql<Row & { webhook: number }>('reports_of').all(campaign, seq);
  for (const { webhook } of reports) webhooks.add(webhook);
  await reminders.keep(campaign, [seq, seq]);
  await purge('drop_failures').run(campaign, seq, seq);
  await purge('drop_outlived_by_messages').run(campaign, seq, seq);
  if (key !== '') await sql('empty_audit_of_key').run(campaign, key, rowKeyOf(key));
  await purge('empty_messages').run(campaign, seq, seq);
  if (key !== '') await sql('drop_marks_of_key').run(campaign, key);
  await purge('empty_evidence').run(campaign, seq, seq);
  await sql('keep_unsent').run(campaign, seq);
  await sql('no_retry').run(campaign, seq);
  return await maskReports(purge('mask_report'), reports);
}

interface FoundWebhooks {
  webhooks: Iterable<number>;
  /** Those in whose text another number stands. */
  ofSeveral?: ReadonlySet<number>;
  mobile: string;
  now: number;
}

async function emptyWebhooks(
  { sql }: Context,
  { webhooks, ofSeveral, mobile, now }: FoundWebhooks,
): Promise<Pick<ErasedCounts, 'webhooks' | 'shared'>> {
  const counts = { webhooks: 0, shared: 0 };
  const isShared = async (webhook: number) =>
    (await sql('of_others').get(webhook, mobile)) !== undefined ||
    // Nothing was understood of it, so only its text tells whom else it is about.
    (ofSeveral?.has(webhook) === true && (await sql('has_rows').get(webhook)) === undefined);
  for (const webhook of webhooks)
    if (await isShared(webhook)) counts.shared += 1;
    else counts.webhooks += Number((await sql('empty_webhook').run(webhook, now)).changes);
  return counts;
}

/** What one step removed; `after`: where the next one begins, null: it was the last. `last`: the highest id. */
export type ErasureStepDone = Omit<ErasedCounts, 'messages' | 'replies'> & {
  after: number | null;
  last: number;
};

/** Looks through webhooks and reports with ids behind `after`. */
async function erasureStep(context: Context, { mobile, now, after }: EraseStep): Promise<ErasureStepDone> {
  const { engine, sql, purge } = context;
  await engine.overwriteDeleted();
  const until = after + MOST_ROWS;
  const to = await sql<{ webhook: number }>('webhooks_to').all(mobile, after, until);
  const naming = await webhooksNaming(sql, mobile, [after, until]);
  const webhooks = new Set([...to.map(({ webhook }) => webhook), ...naming.keys()]);
  const ofSeveral = new Set([...naming].flatMap(([id, hasAnother]) => (hasAnother ? [id] : [])));
  const counts = await emptyWebhooks(context, { webhooks, ofSeveral, mobile, now });
  const reports = await maskReports(purge('mask_report'), await sql('reports_to').all(mobile, after, until));
  const last = Number((await purge('last_ids').get())?.['last']);
  return { ...counts, reports, after: until < last ? until : null, last };
}

/** Raw webhooks that name the number, however it is written, and whether another one stands in them, too. */
async function webhooksNaming(
  sql: Sql,
  mobile: string,
  [after, until]: [number, number],
): Promise<Map<number, boolean>> {
  const rows = await sql<{ id: number; query: string; body: Uint8Array }>('raw').all(after, until);
  const found = rows.map(({ id, query, body }) => {
    const text = `${query}\0${Buffer.from(body).toString('utf8')}`;
    return { id, ...numberIn(text, mobile) };
  });
  return new Map(found.flatMap(({ id, isNamed, hasAnother }) => (isNamed ? [[id, hasAnother]] : [])));
}
