import { type Connection, getEach, runEach, type Values } from '../../connection.ts';
import type { Campaign, CampaignSettings } from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { Ledger } from '../../contracts/ledger.ts';
import type { Activation, DuplicateRow, NewCampaign, SuppressedRow } from '../../contracts/records.ts';
import type { Suppression } from '../../../domain/row-reason.ts';
import { MOST_ROWS } from './batches.ts';
import { type CampaignRecords, type CampaignRow, campaignFrom } from './campaigns.ts';
import type { CanaryGate } from '../sending/canary.ts';
import type { Counters } from '../keeping/counters.ts';
import { CLAIM_AHEAD_MS } from '../../../domain/protocol-times.ts';
import { type DecodedRow, type EncodedRows, decodeRows } from '../../thread/thread-codec.ts';
import { FirstLines, nameOf } from '../../decide/duplicate-rows.ts';
import { OtherNumbers } from './other-numbers.ts';
import type { OptOutBook } from '../inbox/opt-outs.ts';
import type { MadeApprover, PreparationBook } from './preparations.ts';
import type { Reminders } from './reminders.ts';
import type { FiredDraft } from '../orders/schedules.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** Drafts and their launch. Batches grow with the rows, so that even a large plan launches at once. */

type AboutRows = Parameters<Ledger['addMessages']>[2];

interface AddMessages extends AboutRows {
  campaign: number;
  rows: EncodedRows;
}

/** The records that planning shares with other operations. */
export interface PlanRecords {
  campaigns: CampaignRecords;
  canary: CanaryGate;
  counters: Counters;
  optOuts: OptOutBook;
  preparations: PreparationBook;
  reminders: Reminders;
  /** False: another process decided about the firing. */
  recordFiring: (fired: FiredDraft) => Promise<boolean>;
  /** Throws while the disk is nearly full. */
  requireSpace: () => void;
}

interface Context extends PlanRecords {
  sql: Sql;
  otherNumbers: OtherNumbers;
  /** The last added rows had twins: the next ones may, too. */
  hadTwins: boolean;
}

/** Drafts (contracts/ledger.ts): made, filled, activated or discarded. */
export function planOperations(database: Connection, records: PlanRecords) {
  const sql = loadStatements(database, new URL('./plan.sql', import.meta.url));
  const context = { sql, otherNumbers: new OtherNumbers(database), hadTwins: false, ...records };
  return {
    createDraft: (draft: NewCampaign) => createDraft(context, draft),
    addMessages: operation(
      { durable: false, joins: true },
      (campaign: number, rows: EncodedRows, about: AboutRows) =>
        addMessages(context, { campaign, rows, ...about }),
    ),
    activate: operation({ gate: 'leads to messages' }, (activation: Activation) =>
      activate(context, activation),
    ),
    discardChunk: operation({ durable: false, right: 'none' }, (campaign: number) =>
      discardChunk(context, campaign),
    ),
    ...records.preparations.operations(),
  };
}

async function createDraft({ sql, campaigns }: Context, draft: NewCampaign): Promise<Campaign> {
  const { id, name, kind, sender, template, settings, hashes, now } = draft;
  const { job, template: templateHash, contacts } = hashes;
  const texts = [id, name, kind, sender, template, JSON.stringify(settings)];
  const created = await sql('create_draft').get(
    ...texts,
    settings.ratePerSecond,
    job,
    templateHash,
    contacts,
    now,
  );
  return campaignFrom(await campaigns.require(Number(created?.['n']), { launched: false }));
}

async function addMessages(
  context: Context,
  { campaign, rows, now, sender }: AddMessages,
): Promise<(DuplicateRow | SuppressedRow)[]> {
  const { sql, campaigns, counters, otherNumbers, optOuts, requireSpace } = context;
  requireSpace();
  const crossed = decodeRows(rows);
  if (crossed.length > MOST_ROWS) throw new RangeError(`at most ${MOST_ROWS} rows at a time`);
  const { settings } = await campaigns.require(campaign, { launched: false });
  const mobiles = crossed.map(({ mobile }) => mobile);
  const suppressed = sender === undefined ? NOBODY : await optOuts.suppressed(mobiles, sender);
  const lastSeq = await campaigns.lastSeq(campaign);
  const adding = { campaign, crossed, suppressed, lastSeq, now };
  const { kept, leftOut } = await addRows(context, adding);
  counters.born(
    campaign,
    kept.map(({ segments }) => segments),
  );
  await otherNumbers.addEach(
    kept.flatMap(({ others }, index) =>
      others.length === 0 ? [] : [{ campaign, seq: lastSeq + 1 + index, others: JSON.stringify(others) }],
    ),
  );
  const { batchSize, canary } = JSON.parse(settings) as CampaignSettings;
  const toSeq = lastSeq + kept.length;
  await growBatches(sql, { campaign, toSeq, batchSize, firstSize: canary?.first ?? batchSize, now });
  return leftOut;
}

interface AddedRows {
  campaign: number;
  crossed: readonly DecodedRow[];
  suppressed: ReadonlyMap<string, Suppression>;
  /** Of the draft so far. */
  lastSeq: number;
  now: number;
}

/**
 * Inserts the rows that become messages. A look for twins takes longer than the insert. So nobody looks for them, neither
 * among these rows nor in earlier calls, until the index refuses one, and for as long as there are some.
 */
async function addRows(context: Context, rows: AddedRows): Promise<ReturnType<typeof sortOut>> {
  const { sql } = context;
  const { campaign, crossed, suppressed, lastSeq } = rows;
  const known = () => knownTo(sql, campaign, crossed);
  let sorted = sortOut(crossed, { suppressed, known: context.hadTwins ? await known() : null });
  if ((await insert(sql, rows, sorted.kept)) !== sorted.kept.length) {
    await sql('take_back').run(campaign, lastSeq);
    sorted = sortOut(crossed, { suppressed, known: await known() });
    await insert(sql, rows, sorted.kept);
  }
  context.hadTwins = sorted.leftOut.some((row) => 'keptLine' in row);
  return sorted;
}

async function insert(
  sql: Sql,
  { campaign, lastSeq, now }: AddedRows,
  kept: readonly DecodedRow[],
): Promise<number> {
  let seq = lastSeq;
  return await runEach(sql('add_message'), kept, (row) => {
    const { line, mobile, key, occurrence, fields, segments, textHash } = row;
    seq += 1;
    return [campaign, seq, line, mobile, key, occurrence, fields, segments, now, textHash];
  });
}

/** The rows of these identities that the draft has already. */
async function knownTo(sql: Sql, campaign: number, rows: readonly DecodedRow[]): Promise<FirstLines> {
  const known = new FirstLines();
  const lines = await getEach(sql('line_of'), rows, ({ mobile, key, occurrence }) => {
    return [campaign, mobile, key, occurrence];
  });
  for (const [index, { mobile, key, occurrence }] of rows.entries()) {
    const found = lines[index];
    if (found !== undefined) known.know(nameOf(mobile, key, occurrence), Number(found['line']));
  }
  return known;
}

const NOBODY: ReadonlyMap<string, Suppression> = new Map();

/** The rows that become messages, and why each of the others does not. `known` null: nobody looks for twins. */
function sortOut(
  rows: readonly DecodedRow[],
  { suppressed, known }: { suppressed: ReadonlyMap<string, Suppression>; known: FirstLines | null },
): { kept: DecodedRow[]; leftOut: (DuplicateRow | SuppressedRow)[] } {
  const kept: DecodedRow[] = [];
  const leftOut: (DuplicateRow | SuppressedRow)[] = [];
  for (const row of rows) {
    const { line, mobile, key, occurrence } = row;
    const suppression = suppressed.get(mobile);
    if (suppression !== undefined) {
      leftOut.push({ line, suppression });
      continue;
    }
    const keptLine = known?.take([nameOf(mobile, key, occurrence)], line) ?? null;
    if (keptLine === null) kept.push(row);
    else leftOut.push({ line, keptLine });
  }
  return { kept, leftOut };
}

interface Growth {
  campaign: number;
  toSeq: number;
  batchSize: number;
  /** The size of the first batch: the canary's messages are a batch of their own. */
  firstSize: number;
  now: number;
}

/** Puts the rows up to `toSeq` into batches: first into the last batch, then into new ones. */
async function growBatches(sql: Context['sql'], growth: Growth): Promise<void> {
  const { campaign, toSeq, batchSize, firstSize, now } = growth;
  const endOf = (first: number) => Math.min(first + (first === 1 ? firstSize : batchSize) - 1, toSeq);
  type Last = { id: number; first_seq: number; last_seq: number };
  const last = await sql<Last>('last_batch').get(campaign);
  let next = 1;
  if (last !== undefined) {
    const grown = endOf(last.first_seq);
    if (grown > last.last_seq) await sql('grow_batch').run(last.id, grown);
    next = grown + 1;
  }
  const added: Values[] = [];
  for (; next <= toSeq; next = endOf(next) + 1) added.push([campaign, next, endOf(next), now]);
  await runEach(sql('add_batch'), added);
}

async function activate(context: Context, activation: Activation): ReturnType<Ledger['activate']> {
  const { sql, campaigns, canary } = context;
  const { campaign, now, by, account, counts, startAt, startDeadlineMs, budgetMicro } = activation;
  const draft = await campaigns.require(campaign, { launched: false });
  const rival = await rivalOf(context, activation, draft.name);
  if (rival !== null) return { activated: false, open: campaignFrom(rival) };
  const rows = await campaigns.lastSeq(campaign);
  if (counts.planned !== rows)
    throw new RangeError(`the draft holds ${rows} messages, not ${counts.planned}`);
  const settings = JSON.parse(draft.settings) as CampaignSettings;
  if (settings.remind !== undefined) await refuseReminded(sql, activation);
  const approval = await prepared(context, { draft, settings, activation });
  await sql('add_account').run(account);
  if (settings.canary !== undefined) await canary.open({ campaign, rule: settings.canary, planned: rows });
  const state = startAt === null || activation.firing !== undefined ? 'running' : 'scheduled';
  const money = [budgetMicro, activation.estimatedMicro];
  const price = activation.priceMicro ?? null;
  await sql('activate').run(campaign, state, account, ...money, startAt, startDeadlineMs, now, price);
  if (settings.every !== undefined) await sql('add_schedule').run(campaign, startAt);
  await campaigns.addUpload(campaign, counts, now);
  await campaigns.audit({
    now,
    by,
    verb: 'launch',
    campaign,
    detail: { account, startAt, budgetMicro, counts, ...(settings.isTest && { isTest: 1 }), ...approval },
  });
  return { activated: true };
}

/** The preparation becomes launched with its campaign, and the rule of approval holds. */
async function prepared(
  { preparations }: Context,
  { draft, settings, activation }: { draft: CampaignRow; settings: CampaignSettings; activation: Activation },
): Promise<{ approver?: MadeApprover }> {
  const { preparation = null, since = null, now, by, counts } = activation;
  if (settings.isTest !== undefined) {
    await preparations.allowTest({ messages: counts.planned, now, by });
    return {};
  }
  const contacts = draft.hash_contacts;
  const approval = await preparations.launch({ campaign: draft.id, contacts, since, preparation, now, by });
  if (settings.every?.reread !== undefined) await preparations.refuseReread();
  return approval;
}

/** The campaign in whose place this one would be: of the same name or files, or fired by another process. */
async function rivalOf(
  context: Context,
  { campaign, since, firing }: Activation,
  name: string,
): Promise<CampaignRow | null> {
  const { sql, campaigns, recordFiring } = context;
  if (firing !== undefined) {
    const fired = await recordFiring({ draft: campaign, firing });
    return fired ? null : await campaigns.require(firing.schedule, { launched: true });
  }
  const named = await sql<CampaignRow>('open_named').get(name);
  return named ?? (await sql<CampaignRow>('launched_since').get(campaign, since ?? Infinity)) ?? null;
}

/**
 * Refuses a launch when an earlier campaign of the name changed during planning. Both would send a reminder
 * that the earlier one retried. Neither would send one that a person resolved as not sent.
 */
async function refuseReminded(sql: Context['sql'], { campaign, since, now }: Activation): Promise<void> {
  const asked = [campaign, now + CLAIM_AHEAD_MS, since ?? Infinity];
  const other = await sql<{ id: string; name: string }>('reminded_since').get(...asked);
  if (other === undefined) return;
  throw new TumaError('campaign_changed', {
    message: `Campaign ${other.id} (${other.name}) sent reminders, or had some called not sent, while these contacts were compared with it. Nothing was launched.`,
    hint: 'Launch the same again: it is compared anew.',
    where: other.id,
  });
}

/**
 * Deletes up to `MOST_ROWS` messages of a draft, and the empty draft itself. True: the draft is gone. After a
 * crash in between, the rest is still a draft, and another discard continues.
 */
async function discardChunk(
  { sql, campaigns, counters, reminders }: Context,
  campaign: number,
): Promise<boolean> {
  if ((await campaigns.find(campaign)) === null || (await sql('is_applied').get(campaign)) !== undefined)
    return true;
  await campaigns.require(campaign, { launched: false });
  if (await reminders.discardStaged(campaign)) return false;
  if ((await sql('discard_messages').run(campaign, MOST_ROWS)).changes > 0) return false;
  await sql('discard_batches').run(campaign);
  await campaigns.discard(campaign);
  await counters.forget(campaign);
  return true;
}
