import { type Connection, getEach, runEach, type Values } from '../../connection.ts';
import type { CampaignSettings } from '../../../domain/campaign.ts';
import type { MessageState } from '../../../domain/message.ts';
import type { Reason, ReminderSkip } from '../../../domain/message-reason.ts';
import type { DuplicateRow } from '../../contracts/records.ts';
import type {
  NewReminder,
  RemindedQuery,
  ReminderComparison,
  ReminderIdentity,
} from '../../contracts/schedules.ts';
import { type BatchRecords, MOST_ROWS } from './batches.ts';
import type { CampaignRecords, CampaignRow } from './campaigns.ts';
import type { Counters } from '../keeping/counters.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import { PurgedReminders } from './purged-reminders.ts';
import { OtherNumbers } from './other-numbers.ts';
import { FirstLines, nameOf } from '../../decide/first-lines.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder, someInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/**
 * Reminders on their way into a campaign. They are staged first, because a CSV comes in any order. In the
 * order of their moments, each batch has one moment, and a search for due messages finds only these.
 */

/** The rows that one step places. */
export const ROWS_A_STEP = 2_000;

/** A row of `staged`. */
export interface StagedRow {
  not_before: number;
  line: number;
  mobile: string;
  key: string;
  occurrence: string;
  fields: string;
  segments: number;
  not_after: number;
  skip: ReminderSkip | null;
  text_hash: number | null;
  /** JSON array of the other usable numbers. */
  others: string;
}

/** A message to the person of a staged row. */
export interface Known {
  seq: number;
  mobile: string;
  /** 1: it is to the row's own number; 0: to another number of the person. */
  own: 0 | 1;
  state: MessageState;
  reason: Reason | null;
  occurrence: string;
  dueAt: number;
  /** 1: a person may yet call it not sent. */
  undecided: 0 | 1;
}

/** The records that reminders share with other operations. */
export interface ReminderRecords {
  campaigns: CampaignRecords;
  batches: BatchRecords;
  counters: Counters;
  /** Throws while the disk is nearly full. */
  requireSpace: () => void;
}

/** The start of the rows after a step: behind this moment and line. */
export interface StagedPlace {
  moment: number;
  line: number;
}

/** Before every staged row. */
const FROM_THE_FIRST: StagedPlace = { moment: Number.MIN_SAFE_INTEGER, line: 0 };

/** Staged rows and reminders, as operations share them. */
export type Reminders = ReturnType<typeof reminderRecords>;

/** The operations that staging, first plans and corrected uploads share. */
export function reminderRecords(database: Connection, records: ReminderRecords) {
  const sql = loadStatements(database, new URL('./reminders.sql', import.meta.url));
  const context = {
    sql,
    otherNumbers: new OtherNumbers(database),
    purged: new PurgedReminders(database),
    ...records,
  };
  return {
    /** The staged rows after a place, in order of their moments. */
    staged: (draft: number, after: StagedPlace) => staged(sql, draft, after),
    /** Makes a function that finds the messages to a row's person, here and in campaigns of the name. */
    personFinder: (campaign: CampaignRow, now: number) => personFinder(context, campaign, now),
    /** Skips a queued one whose person was reminded already. */
    skip: async (campaign: number, seq: number, now: number) =>
      await sql('skip').run(campaign, seq, 'already reminded' satisfies ReminderSkip, now),
    append: (campaign: number, rows: StagedRow[], now: number) => append(context, { campaign, rows, now }),
    /** Removes some of the staged rows. False: there was none. */
    discardStaged: async (draft: number) => (await sql('discard_staged').run(draft, MOST_ROWS)).changes > 0,
    /** Adds to the other numbers of a message. */
    addOtherNumbers: (message: MessagePlace, others: string) =>
      context.otherNumbers.addEach([{ ...message, others }]),
    operations: {
      stageReminders: operation({ durable: false }, (draft: number, rows: NewReminder[]) =>
        stage(context, draft, rows),
      ),
      compareReminders: operation(
        { durable: false },
        (campaign: number, rows: ReminderIdentity[], now: number) =>
          compare(context, { campaign, rows, now }),
      ),
      remindedBefore: operation({ durable: false }, (query: RemindedQuery) => remindedBefore(context, query)),
      openReminders: async (campaign: number) => Number((await sql('count_open').get(campaign))?.['open']),
      arrangeStep: operation({ durable: false }, (given: { draft: number; now: number }) =>
        arrangeStep(context, given),
      ),
    },
  };
}

async function staged(sql: Sql, draft: number, { moment, line }: StagedPlace): Promise<StagedRow[]> {
  return await sql<StagedRow>('staged_after').all(draft, moment, line, ROWS_A_STEP);
}

/** The rule that finds earlier reminders. */
interface EarlierRule {
  name: string;
  /** With a key a date may have moved, because people are reminded of the key. */
  keyed: boolean;
  /** The present campaign, which does not count; null: none. */
  except: number | null;
  now: number;
  /** Only messages after this moment count. */
  since: number;
}

/** A message of another campaign of the name with the same reminder as a row. */
interface Elsewhere extends MessagePlace {
  /** 1: it still waits though its day is over. */
  past: 0 | 1;
}

/** A reminder of a person, under all of their numbers. */
interface PersonReminder extends Pick<ReminderIdentity, 'key' | 'occurrence'> {
  /** JSON. */
  numbers: string;
}

function askedElsewhere(
  { name, keyed, except, now, since }: EarlierRule,
  { numbers, key, occurrence }: PersonReminder,
): Values {
  return [name, numbers, key, occurrence, keyed ? 1 : 0, except, now, since];
}

/** For each row, whether a campaign of the name reminded its person of the same. */
async function remindedBefore(context: Context, { rows, ...rule }: RemindedQuery): Promise<boolean[]> {
  const { sql, otherNumbers, purged } = context;
  const earlier = { ...rule, except: null, since: 0 };
  const keyed = rule.keyed ? 1 : 0;
  const numbers = await otherNumbers.numbersOfEach(rows.map((row) => ({ ...row, name: rule.name, keyed })));
  const people = rows.map(({ key, occurrence }, at) => ({ key, occurrence, numbers: numbers[at] ?? '[]' }));
  // A message that does not count comes last, so the first one decides.
  const firsts = await getEach(sql<Elsewhere>('elsewhere'), people, (person) =>
    askedElsewhere(earlier, person),
  );
  const isAnyPurged = await purged.areKnown();
  return await mapInOrder(people.entries(), async ([at, person]) => {
    const first = firsts[at];
    if (first !== undefined && reminded([first])) return true;
    return isAnyPurged && (await wasPurged(context, earlier, person));
  });
}

/** True: a campaign that was purged reminded this person of the same. */
async function wasPurged(
  { purged }: Pick<Context, 'purged'>,
  { name, keyed, since }: Pick<EarlierRule, 'name' | 'keyed' | 'since'>,
  { numbers, key, occurrence }: PersonReminder,
): Promise<boolean> {
  return await purged.has({ name, numbers, key, occurrence: keyed ? null : occurrence, since });
}

function reminded(others: readonly Elsewhere[]): boolean {
  return others.some(({ past }) => past === 0);
}

/** Skips waiting reminders of other campaigns after their day. A clock set back could send them, too. */
async function skipExpiredCopies(
  { sql, batches }: Context,
  others: readonly Elsewhere[],
  now: number,
): Promise<void> {
  const touched = batches.touched();
  for (const { campaign, seq } of others.filter(({ past }) => past === 1)) {
    await touched.of(campaign, seq);
    await sql('skip').run(campaign, seq, 'moment past' satisfies ReminderSkip, now);
  }
  await touched.settle(now);
}

function personFinder(
  context: Context,
  { n, name, settings, activated_at: launchedAt }: CampaignRow,
  now: number,
): (row: ReminderIdentity) => Promise<KnownPerson> {
  const { sql, otherNumbers } = context;
  const { keyed } = ruleOf(settings);
  return async (row) => {
    const { mobile, key, occurrence } = row;
    const numbers = await otherNumbers.numbersOf({ ...row, name, keyed: keyed ? 1 : 0 });
    const known = await sql<Known>('of_person').all(n, mobile, key, numbers);
    // If this campaign planned a message for the person, only messages since its launch count: nobody was
    // reminded before, or it reminds anew (--again). Without a key each date is a reminder of its own, so
    // only the same date counts.
    const about = keyed ? known : known.filter((message) => message.occurrence === occurrence);
    const since = about.some((message) => !wasLeftToOthers(message)) ? (launchedAt ?? 0) : 0;
    const same = about.find((message) => message.own === 1 && message.occurrence === occurrence);
    const earlier = { name, keyed, except: n, now, since };
    const person = { numbers, key, occurrence };
    let asked: Elsewhere[] | null = null;
    const others = async () =>
      (asked ??= await sql<Elsewhere>('elsewhere').all(...askedElsewhere(earlier, person)));
    const isCanceled = async (any: string, about: string) =>
      (await sql('is_canceled_person').get(n, any, key, about)) !== undefined;
    return {
      numbers,
      known,
      same,
      rest: about.filter((message) => message !== same),
      keyed,
      before: async () => reminded(await others()) || (await wasPurged(context, earlier, person)),
      skipExpired: async () => await skipExpiredCopies(context, await others(), now),
      isCanceledPerson: (about) => isCanceled(numbers, about),
      isMarkedHere: (about) => isCanceled(JSON.stringify([mobile]), about),
    };
  };
}

interface Context extends ReminderRecords {
  sql: Sql;
  otherNumbers: OtherNumbers;
  purged: PurgedReminders;
}

async function stage(
  { sql, campaigns, requireSpace }: Context,
  draft: number,
  rows: NewReminder[],
): Promise<DuplicateRow[]> {
  requireSpace();
  if (rows.length > MOST_ROWS) throw new RangeError(`at most ${MOST_ROWS} rows at a time`);
  const { keyed } = ruleOf((await campaigns.require(draft, { launched: false })).settings);
  const staged = rows.map((row) => ({ ...row, about: keyed ? '' : row.occurrence }));
  const known = await knownTo(sql, draft, staged);
  const duplicates: DuplicateRow[] = [];
  const kept: typeof staged = [];
  for (const row of staged) {
    const names = numbersOf(row).map((number) => nameOf(number, row.key, row.about));
    const keptLine = known.take(names, row.line);
    if (keptLine === null) kept.push(row);
    else duplicates.push({ line: row.line, keptLine });
  }
  await runEach(sql('stage'), kept, (row) => {
    const { line, mobile, key, occurrence, about, notBefore, notAfter, skip, textHash = null } = row;
    const place = [notBefore, line, mobile, key, occurrence, about];
    const { fields, segments, others = [] } = row;
    const said = [JSON.stringify(fields), segments, notAfter, skip, textHash, JSON.stringify(others)];
    return [draft, ...place, ...said];
  });
  await runEach(
    sql('stage_number'),
    kept.flatMap(({ others = [], key, about, line }) =>
      others.map((other) => [draft, other, key, about, line]),
    ),
  );
  return duplicates;
}

/** The rows of the draft that have one of these numbers already. */
async function knownTo(
  sql: Sql,
  draft: number,
  rows: readonly (NewReminder & { about: string })[],
): Promise<FirstLines> {
  const known = new FirstLines();
  const numbers = rows.flatMap((row) =>
    numbersOf(row).map((number) => [number, row.key, row.about] as const),
  );
  const lines = await getEach(sql('kept_line'), numbers, (each) => [draft, ...each]);
  for (const [index, each] of numbers.entries()) {
    const found = lines[index];
    if (found !== undefined) known.know(nameOf(...each), Number(found['line']));
  }
  return known;
}

function numbersOf({ mobile, others = [] }: Pick<NewReminder, 'mobile' | 'others'>): string[] {
  return [mobile, ...others];
}

/** The rule of a reminder campaign's settings. */
export function ruleOf(settings: string): NonNullable<CampaignSettings['remind']> {
  const { remind } = JSON.parse(settings) as CampaignSettings;
  if (remind === undefined) throw new RangeError('this campaign has no reminders');
  return remind;
}

interface Compared {
  campaign: number;
  rows: ReminderIdentity[];
  now: number;
}

async function compare(context: Context, { campaign, rows, now }: Compared): Promise<ReminderComparison[]> {
  const personOf = personFinder(context, await context.campaigns.require(campaign, { launched: true }), now);
  return await mapInOrder(rows, async (row) => {
    const person = await personOf(row);
    const compared = await compareRow(person);
    return (await staysCanceled(row, person)) ? { ...compared, goes: false, staysCanceled: true } : compared;
  });
}

/** The person of a row, and the known messages to that person. */
export interface KnownPerson {
  /** JSON of all numbers that ever stood in one row with the row's, for this reminder. */
  numbers: string;
  /** All messages of the same person and key in the campaign. */
  known: Known[];
  /** The one with the row's own number and date. */
  same: Known | undefined;
  /** The others that are this reminder, too: with a key any date, without one the same date at another number. */
  rest: Known[];
  keyed: boolean;
  /** True: another campaign of the name sent the person this reminder. */
  before: () => Promise<boolean>;
  /** Skips this reminder in other campaigns after its day. */
  skipExpired: () => Promise<void>;
  /** True: an order to cancel this person, at any number, holds for the reminder about that date. */
  isCanceledPerson: (occurrence: string) => Promise<boolean>;
  /** True: such an order names the row's own number, or the key alone. */
  isMarkedHere: (occurrence: string) => Promise<boolean>;
}

async function compareRow(person: KnownPerson): Promise<ReminderComparison> {
  const { known, keyed, same, rest } = person;
  const open = known.filter(({ state }) => state === 'queued').map(({ seq }) => seq);
  const kept = same?.state === 'queued' ? same.seq : null;
  const reminded = await remindedAlready(person);
  if (same === undefined) {
    const moved = keyed && open.length > 0;
    const verdict = reminded ? 'already reminded' : moved ? 'moved' : 'new';
    const there = rest.find(({ state }) => state === 'queued') ?? rest.find(wasReminded);
    return { verdict, goes: !reminded, kept, open, there: placeOf(there) };
  }
  const goes = (same.state === 'queued' || comesBack(same)) && !reminded;
  return { verdict: 'unchanged', goes, kept, open, there: placeOf(same) };
}

function placeOf(known: Known | undefined): ReminderComparison['there'] {
  return known === undefined ? null : { state: known.state, dueAt: known.dueAt };
}

/** True: the row's person was canceled by hand. */
async function staysCanceled({ occurrence }: ReminderIdentity, person: KnownPerson): Promise<boolean> {
  const { same } = person;
  if (same !== undefined && same.state !== 'queued' && !comesBack(same)) return isCanceledByHand(same);
  return (await person.isCanceledPerson(occurrence)) || (await isCanceledElsewhen(person));
}

/**
 * True: the reminder was canceled by hand under another date. With a key it is the same one. It may have been refused
 * before, or nobody knows whether it was sent; a date that it was moved from does not count.
 */
export async function isCanceledElsewhen({ known, keyed, isCanceledPerson }: KnownPerson): Promise<boolean> {
  if (!keyed) return false;
  return await someInOrder(
    known,
    async (message) =>
      (message.state !== 'canceled' || isCanceledByHand(message)) &&
      (await isCanceledPerson(message.occurrence)),
  );
}

/** True: a person canceled the message (`cancel --mobile`). */
function isCanceledByHand({ state, reason }: Known): boolean {
  return state === 'canceled' && reason === 'canceled by hand';
}

/** True: another message, here or in an earlier campaign, already is this reminder. */
export async function remindedAlready({ same, rest, before }: KnownPerson): Promise<boolean> {
  if (rest.some(wasReminded)) return true;
  // A message canceled or skipped here comes back only if no other campaign has taken it over since.
  return (same === undefined || comesBack(same)) && (await before());
}

/** True: a later upload may bring the message back, because it was left out, moved, or reminded already. */
export function comesBack(message: Known): boolean {
  return (message.state === 'canceled' && !isCanceledByHand(message)) || wasLeftToOthers(message);
}

/** True: the reminder was skipped, because its person was reminded already. */
function wasLeftToOthers({ state, reason }: Known): boolean {
  return state === 'skipped' && reason === 'already reminded';
}

/** True: the reminder was sent or may have been. */
function wasReminded({ state }: Known): boolean {
  return state === 'sent' || state === 'sending' || state === 'uncertain';
}

/** Moves the first staged rows of a draft into its messages. Returns true when none is left. */
async function arrangeStep(
  context: Context,
  { draft, now }: { draft: number; now: number },
): Promise<boolean> {
  const { sql, campaigns, requireSpace } = context;
  requireSpace();
  await campaigns.require(draft, { launched: false });
  const rows = await staged(sql, draft, FROM_THE_FIRST);
  const last = rows.at(-1);
  if (last === undefined) return true;
  await append(context, { campaign: draft, rows, now });
  await sql('unstage').run(draft, last.not_before, last.line);
  return rows.length < ROWS_A_STEP;
}

interface Appended {
  campaign: number;
  /** The rows in order of their moments. */
  rows: StagedRow[];
  now: number;
}

/** Adds rows behind the last message, in batches of one moment each. */
async function append(context: Context, { campaign, rows, now }: Appended): Promise<void> {
  const { campaigns } = context;
  const found = await campaigns.find(campaign);
  if (found === null || rows.length === 0) return;
  const { batchSize } = found.settings;
  let seq = await campaigns.lastSeq(campaign);
  for (let from = 0; from < rows.length; ) {
    const moment = rows[from]?.not_before;
    let to = from;
    while (to < rows.length && to - from < batchSize && rows[to]?.not_before === moment) to += 1;
    await addBatch(context, { campaign, rows: rows.slice(from, to), now }, seq + 1);
    seq += to - from;
    from = to;
  }
}

async function addBatch(
  { sql, batches, counters, otherNumbers }: Context,
  { campaign, rows, now }: Appended,
  firstSeq: number,
): Promise<void> {
  const placed = rows.map((row, index) => ({ ...row, campaign, seq: firstSeq + index }));
  await runEach(sql('add_reminder'), placed, (row) => {
    const { seq, line, mobile, key, occurrence } = row;
    const { fields, segments, not_before, not_after, text_hash } = row;
    const said = [fields, segments, now, not_before, not_after, text_hash];
    return [campaign, seq, line, mobile, key, occurrence, ...said];
  });
  await otherNumbers.addEach(placed);
  const lastSeq = firstSeq + rows.length - 1;
  await counters.entered([campaign, firstSeq, lastSeq]);
  const skipped = placed.filter(({ skip }) => skip !== null);
  await runEach(sql('skip'), skipped, ({ seq, skip }) => [campaign, seq, skip, now]);
  const added = await sql('add_batch').get(campaign, firstSeq, lastSeq, rows[0]?.not_before ?? now);
  // Rows may also be canceled by hand.
  await batches.settleIfEmpty(Number(added?.['id']), now);
}
