import type { Connection } from '../../connection.ts';
import type { ReminderSkip } from '../../../domain/message-reason.ts';
import type { Upload } from '../../contracts/schedules.ts';
import {
  comesBack,
  isCanceledElsewhen,
  type Known,
  type KnownPerson,
  remindedAlready,
  type ReminderRecords,
  type Reminders,
  ROWS_A_STEP,
  ruleOf,
  type StagedRow,
} from './reminders.ts';
import type { PreparationBook } from './preparations.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { findInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/**
 * A corrected upload, laid over an open campaign. One commit accepts it: a kill before leaves the old plan.
 * After it, no message of the campaign is claimed until every step is done. So a kill in the middle never
 * sends from half a plan, and the next process continues at the place in `applying`.
 * - lay: each staged row finds its message or becomes one.
 * - cancel: messages that the contacts no longer name are canceled.
 * - clean: the staged rows are removed; claims are free again.
 * An upload to a campaign that was canceled meanwhile is laid, too, and its messages are canceled. So the
 * file of unreached people agrees with the last contacts.
 */

interface Applying {
  campaign: number;
  draft: number;
  upload: number;
  phase: 'lay' | 'cancel' | 'clean';
  after_moment: number;
  after_line: number;
  after_seq: number;
  accepted_at: number;
}

/** The result of a step over accepted uploads: none left, more to do, or a wait for a message in flight. */
export type UploadStep = 'none' | 'again' | 'wait';

/** The last staged row that was read. */
interface StagedCursor {
  draft: number;
  moment: number;
  line: number;
}

/** One step over the due rows of accepted uploads. */
export interface SkipStagedStep {
  after: StagedCursor | null;
  now: number;
}

interface UploadRecords extends ReminderRecords {
  reminders: Reminders;
  preparations: PreparationBook;
}

interface Context extends UploadRecords {
  sql: Sql;
}

/** Corrected contacts (contracts/schedules.ts): accepted at once, laid into the campaign step by step. */
export function uploadOperations(database: Connection, records: UploadRecords) {
  const sql = loadStatements(database, new URL('./uploads.sql', import.meta.url));
  const context = { sql, ...records };
  return {
    beginUpload: operation({ gate: 'leads to messages' }, (upload: Upload) => beginUpload(context, upload)),
    uploadStep: operation({ gate: 'leads to messages' }, (now: number) => uploadStep(context, now)),
    /** One step of skipping due rows of accepted uploads; they become skipped messages when they are laid. */
    skipStagedStep: (step: SkipStagedStep) => skipStagedStep(context, step),
  };
}

/** `after` null: from the first row. Returns the start of the next step; null: this was the last. */
async function skipStagedStep(
  { sql }: Context,
  { after, now }: SkipStagedStep,
): Promise<StagedCursor | null> {
  const from = after ?? (await laying(sql, 0));
  if (from === undefined) return null;
  const { draft, moment, line } = from;
  type Last = Omit<StagedCursor, 'draft'> & { count: number };
  const last = await sql<Last>('due_staged').get(draft, moment, line, now, ROWS_A_STEP);
  if (last !== undefined) await sql('skip_staged').run(draft, moment, line, last.moment, last.line, now);
  if (last === undefined || last.count < ROWS_A_STEP) return (await laying(sql, draft + 1)) ?? null;
  return { draft, moment: last.moment, line: last.line };
}

async function laying(sql: Sql, from: number): Promise<StagedCursor | undefined> {
  return await sql<StagedCursor>('laying').get(from);
}

async function beginUpload(
  { sql, campaigns, batches, preparations, requireSpace }: Context,
  upload: Upload,
): Promise<boolean> {
  const { campaign, draft, before, since, counts, estimatedMicro, preparation = null, now, by } = upload;
  requireSpace();
  const planned = await campaigns.require(draft, { launched: false });
  ruleOf(planned.settings);
  if ((await sql('open_campaign').get(campaign, before, since)) === undefined) return false;
  const { id } = await campaigns.require(campaign, { launched: true });
  const { hash_contacts: contacts } = planned;
  const approval = await preparations.launch({ campaign: id, contacts, since: null, preparation, now, by });
  const read = counts.duplicate + counts.invalid + counts.suppressed;
  const number = await campaigns.addUpload(campaign, { ...counts, read, planned: 0, unchanged: 0 }, now);
  await sql('accept').run(campaign, draft, estimatedMicro);
  await sql('begin').run(campaign, draft, number);
  await batches.endLeases(campaign);
  await campaigns.audit({
    now,
    by,
    verb: 'upload',
    campaign,
    detail: { upload: number, counts, ...approval },
  });
  return true;
}

/** One step of the accepted uploads. `wait`: a message is in flight, and its verdict decides about others. */
async function uploadStep(context: Context, now: number): Promise<UploadStep> {
  const { sql } = context;
  const all = await sql<Applying>('applying').all();
  if (all.length === 0) return 'none';
  const isReady = async ({ campaign, phase }: Applying) =>
    phase !== 'lay' || (await sql('on_the_wire').get(campaign)) === undefined;
  const ready = await findInOrder(all, isReady);
  if (ready === undefined) return 'wait';
  if (ready.phase === 'lay') await lay(context, ready, now);
  else if (ready.phase === 'cancel') await cancelMissing(context, ready, now);
  else await clean(context, ready);
  return 'again';
}

async function lay(context: Context, applying: Applying, now: number): Promise<void> {
  const { sql, campaigns, reminders, requireSpace } = context;
  const { campaign, draft, upload, accepted_at: acceptedAt } = applying;
  requireSpace();
  const personOf = reminders.personFinder(await campaigns.require(campaign, { launched: true }), now);
  const rows = await reminders.staged(draft, { moment: applying.after_moment, line: applying.after_line });
  const last = rows.at(-1);
  if (last === undefined) return void (await sql('looked').run(campaign, 'cancel', 0));
  const fresh: StagedRow[] = [];
  for (const row of rows) {
    const person = await personOf({ ...row, others: JSON.parse(row.others) as string[] });
    // A number that the correction leaves out stays the person's: an opt-out of it holds.
    const known = { ...row, others: person.numbers };
    const place = await layRow(context, { campaign, draft, row: known, now: acceptedAt, ...person });
    if (place !== null) fresh.push(place);
  }
  await reminders.append(campaign, fresh, acceptedAt);
  await sql('grow_upload').run(campaign, upload, fresh.length, rows.length - fresh.length);
  await sql('laid').run(campaign, last.not_before, last.line);
}

interface Laying extends KnownPerson {
  campaign: number;
  draft: number;
  row: StagedRow;
  now: number;
}

/** Returns the new message of the row; null: the row has a message already. */
async function layRow(context: Context, laying: Laying): Promise<StagedRow | null> {
  const { row, same, rest } = laying;
  const reminded = await remindedAlready(laying);
  if (!reminded) await laying.skipExpired();
  for (const message of rest) {
    if (await isOfAnotherRow(context, laying, message)) continue;
    const { seq, state } = message;
    if (state === 'queued' || state === 'canceled')
      await context.sql('cancel_moved').run(laying.campaign, seq, laying.now);
    else if (state === 'rejected') await context.sql('forget_rejected').run(laying.campaign, seq);
    else await context.sql('name_uncertain').run(laying.campaign, seq);
  }
  await keepCanceled(context, laying, same);
  if (same === undefined) return reminded ? { ...row, skip: await skipOf(laying) } : row;
  await layOver(context, laying, { ...same, reminded });
  return null;
}

/** A message at another number of this person may be the own one of another row, to which it is left. */
async function isOfAnotherRow(
  { sql }: Context,
  { draft, row, keyed }: Laying,
  message: Known,
): Promise<boolean> {
  if (message.own === 1) return false;
  const about = keyed ? '' : message.occurrence;
  return (await sql('own_row').get(draft, message.mobile, row.key, about)) !== undefined;
}

/**
 * With a key, another date is the same reminder, so what a person canceled stays canceled under it. So it does at
 * another number of the same person.
 */
async function keepCanceled({ sql }: Context, laying: Laying, same?: Known): Promise<void> {
  const { campaign, row } = laying;
  if (same !== undefined && same.state !== 'queued' && !comesBack(same)) return;
  const isAtOtherNumber =
    (await laying.isCanceledPerson(row.occurrence)) && !(await laying.isMarkedHere(row.occurrence));
  if (isAtOtherNumber || (await isCanceledElsewhen(laying)))
    await sql('cancel_new_date').run(campaign, row.mobile, row.key, row.occurrence);
}

/** The reason to skip a reminded person's row. A correction may undo a past moment, but no reminder. */
async function skipOf({ row, before }: Laying): Promise<ReminderSkip> {
  return row.skip === null || (await before()) ? 'already reminded' : row.skip;
}

/** True: an order to cancel this person holds for the row's reminder. */
async function isCanceledNow(laying: Laying): Promise<boolean> {
  return (await laying.isCanceledPerson(laying.row.occurrence)) || (await isCanceledElsewhen(laying));
}

/** Lays a row over its message. */
async function layOver(context: Context, laying: Laying, same: Known & { reminded: boolean }): Promise<void> {
  const { campaign, row } = laying;
  await context.reminders.addOtherNumbers({ campaign, seq: same.seq }, row.others);
  if (same.state === 'queued') {
    // Contacts that say that two numbers are one person's may come after the order.
    if (await isCanceledNow(laying))
      return void (await context.sql('cancel_by_hand').run(campaign, same.seq, laying.now));
    const changed = await refresh(context, laying, same.seq);
    // Another number of the person got it, as these contacts say for the first time.
    if (same.reminded) await context.reminders.skip(campaign, same.seq, laying.now);
    else if (changed) await makeDue(context, laying, same.seq);
    return;
  }
  if (same.state === 'rejected') await nameRejected(context, laying, same.seq);
  if (same.undecided === 1) await context.sql('name_uncertain').run(laying.campaign, same.seq);
  if (laying.row.skip === null && comesBack(same)) await revive(context, laying, same);
}

/**
 * An earlier upload left the message out, moved it, or found its person reminded. It takes the content of
 * this upload even if it stays skipped, because `resolve --not-sent` may bring it back.
 */
async function revive(
  context: Context,
  laying: Laying,
  { seq, reminded }: { seq: number; reminded: boolean },
): Promise<void> {
  const { campaign, now } = laying;
  await context.sql('revive').run(campaign, seq, now);
  await refresh(context, laying, seq);
  if (reminded) await context.reminders.skip(campaign, seq, now);
  else await makeDue(context, laying, seq);
}

/** A retry sends the last named of two rejected dates, with its last content. */
async function nameRejected({ sql }: Context, { campaign, row, now }: Laying, seq: number): Promise<void> {
  const { line, fields, segments, not_after, text_hash } = row;
  await sql('name_rejected').run(campaign, seq, now, line, fields, segments, not_after, text_hash);
}

/** True: the message changed. */
async function refresh({ sql }: Context, { campaign, row }: Laying, seq: number): Promise<boolean> {
  const { line, fields, segments, not_before, not_after, text_hash } = row;
  const said = [fields, segments, not_before, not_after, text_hash];
  return (await sql('refresh').run(campaign, seq, line, ...said)).changes === 1;
}

async function makeDue({ batches }: Context, { campaign, row }: Laying, seq: number): Promise<void> {
  await batches.makeDue((await batches.touched().of(campaign, seq)).id, row.not_before);
}

async function cancelMissing(context: Context, applying: Applying, now: number): Promise<void> {
  const { sql, campaigns, batches } = context;
  const { campaign, draft } = applying;
  const { settings, state } = await campaigns.require(campaign, { launched: true });
  const keyed = ruleOf(settings).keyed ? 1 : 0;
  const stopped = state === 'canceled';
  const step = await batches.walk({ campaign, after: applying.after_seq }, async (batch) => {
    const span = [batch.first_seq, batch.last_seq] as const;
    await sql('forget_missing').run(campaign, ...span, draft, keyed);
    if (batch.settled_at !== null && !stopped) return 0;
    const { changes } = await sql('cancel_missing').run(campaign, ...span, draft, keyed, now);
    if (stopped) await sql('cancel_stopped').run(campaign, ...span, now);
    await batches.settleIfEmpty(batch.id, now);
    return Number(changes);
  });
  await sql('looked').run(campaign, step.after === null ? 'clean' : 'cancel', step.after ?? 0);
}

async function clean({ sql, campaigns, reminders }: Context, { campaign, draft }: Applying): Promise<void> {
  if (await reminders.discardStaged(draft)) return;
  await campaigns.discard(draft);
  await sql('finish').run(campaign);
}
