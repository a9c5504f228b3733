import type { Connection } from '../../connection.ts';
import type { CampaignSettings } from '../../../domain/campaign.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { MessageState } from '../../../domain/message.ts';
import type { LedgerReader } from '../../contracts/reader.ts';
import type { CancelPerson, PersonMessages, PersonOfCampaign } from '../../contracts/records.ts';
import type { BatchRecords } from '../planning/batches.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { OtherNumbers } from '../planning/other-numbers.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { mapInOrder } from '../../in-order.ts';

/*
 * One person gets nothing more of a campaign. The order is a row of its own, beside the messages, so that it also
 * holds for messages that come back or are added later (triggers of the schema).
 */

const OFFSET = / \([+-]?\d+[dh]\)$/;

interface Row {
  seq: number;
  mobile: string;
  key: string;
  occurrence: string;
  state: MessageState;
}

/** `numbers`: JSON of the numbers of its person. `isOther`: it was found by the person, and not by what the order names. */
type FoundRow = Row & { numbers: string; isOther: boolean };

interface Context {
  sql: Sql;
  otherNumbers: OtherNumbers;
  campaigns: CampaignRecords;
  batches: BatchRecords;
}

/** `cancelPerson` (contracts/ledger.ts) as an operation of the writing thread. */
export function canceledPeopleOperations(
  database: Connection,
  records: Omit<Context, 'sql' | 'otherNumbers'>,
) {
  const context = { sql: statementsOf(database), otherNumbers: new OtherNumbers(database), ...records };
  return {
    cancelPerson: (campaign: number, order: CancelPerson) => cancelPerson(context, { ...order, campaign }),
  };
}

/** The counts that a person sees before a cancel. */
export function canceledPeopleReads(
  database: Connection,
): Pick<LedgerReader, 'peopleLeft' | 'personMessages'> {
  const sql = statementsOf(database);
  const finding = { sql, otherNumbers: new OtherNumbers(database) };
  return {
    peopleLeft: async (campaign) => (await sql<{ people: number }>('people_left').get(campaign))?.people ?? 0,
    personMessages: async ({ isSeries, ...person }) => countsOf(await find(finding, person, isSeries)),
  };
}

function statementsOf(database: Connection): Sql {
  return loadStatements(database, new URL('./canceled-people.sql', import.meta.url));
}

/** The order and the canceled messages are one commit. Messages in flight are canceled if they come back. */
async function cancelPerson(context: Context, order: OrderOfCampaign): Promise<PersonMessages> {
  const { campaigns } = context;
  const { campaign, mobile, line, key, occurrence, now, by } = order;
  const row = await campaigns.require(campaign, { launched: true });
  const { every, remind } = JSON.parse(row.settings) as CampaignSettings;
  refuse(row, every);
  const found = await find(context, order, remind?.series !== undefined);
  const counts = countsOf(found);
  if (line !== undefined && counts.people > 1)
    throw new TumaError('usage', { message: `Line ${line} is of several people. Nothing was canceled.` });
  const isNew = await noteOrder(context, order, found);
  // A recurring job sends nothing itself: its firings read the order.
  if (every === undefined) await cancelQueued(context, order, found);
  if (!isNew) return every === undefined ? counts : { ...counts, queued: 0 };
  const detail = { mobile, line, key, occurrence, canceled: counts.queued };
  await context.campaigns.audit({ now, by, verb: 'cancel_person', campaign, detail });
  return counts;
}

type OrderOfCampaign = CancelPerson & { campaign: number };

/** False: the same order was given before. */
async function noteOrder(
  { sql }: Context,
  order: OrderOfCampaign,
  found: readonly FoundRow[],
): Promise<boolean> {
  const { campaign, occurrence = null } = order;
  let added = 0;
  for (const { mobile, key } of marksOf(order, found))
    added += Number((await sql('add').run(campaign, mobile, key, occurrence)).changes);
  return added > 0;
}

async function cancelQueued(
  { sql, batches }: Context,
  { campaign, now }: OrderOfCampaign,
  found: readonly FoundRow[],
): Promise<void> {
  const touched = batches.touched();
  for (const { seq } of found.filter(({ state }) => state === 'queued')) {
    await touched.of(campaign, seq);
    await sql('cancel').run(campaign, seq, now);
  }
  await touched.settle(now);
}

function refuse(
  { id, purge_seq: purged }: { id: string; purge_seq: number | null },
  every: CampaignSettings['every'],
): void {
  if (purged !== null)
    throw new TumaError('state_forbids', {
      message: `Campaign ${id} was purged. Its numbers are gone, and it sends nothing more.`,
    });
  if (every?.reread !== undefined)
    throw new TumaError('state_forbids', {
      message: `Campaign ${id} reads its contacts anew at each firing, so nobody is canceled here.`,
      hint: 'Take the person out of the contacts file. A firing that runs already can be given its own id.',
    });
}

type Finding = Pick<Context, 'sql' | 'otherNumbers'>;

/** The messages that the order names, and those of the same reminders at other numbers of their persons. */
async function find(finding: Finding, person: PersonOfCampaign, isSeries: boolean): Promise<FoundRow[]> {
  const { sql, otherNumbers } = finding;
  const rule = (await sql('rule').get(person.campaign)) as { name: string; keyed: number };
  const named = await mapInOrder(await findNamed(sql, person, isSeries), async (row): Promise<FoundRow> => {
    return { ...row, numbers: await otherNumbers.numbersOf({ ...row, ...rule }), isOther: false };
  });
  if (!(await otherNumbers.areKnown())) return named;
  const found = new Map(named.map((row) => [row.seq, row]));
  for (const { numbers, key, occurrence } of named) {
    const about = rule.keyed === 1 ? null : occurrence;
    const values = [person.campaign, numbers, key, about, person.occurrence ?? null];
    for (const other of await sql<Row>('at_numbers').all(...values))
      if (!found.has(other.seq)) found.set(other.seq, { ...other, numbers, isOther: true });
  }
  return [...found.values()];
}

async function findNamed(sql: Sql, person: PersonOfCampaign, isSeries: boolean): Promise<Row[]> {
  const { campaign, mobile, line = null, key = null, occurrence = null } = person;
  const rest = [line, key, occurrence, isSeries ? 1 : 0] as const;
  const rows =
    mobile === undefined
      ? await sql<Row>('of_campaign').all(campaign, ...rest)
      : await sql<Row>('of_number').all(campaign, mobile, ...rest);
  return rows.filter((row) => key === null || row.key === key || rowKeyOf(row.key) === key);
}

/** The key of a row in the contacts: the reminders of a series have the offset behind it, "A-17 (-2d)". */
export function rowKeyOf(key: string): string {
  return key.replace(OFFSET, '');
}

/**
 * What the order names. A line is its number and key. A key alone is meant for every number, because corrected contacts
 * may give it another one. The keys are those of the messages, because a series has several.
 */
function marksOf(
  { mobile, line, key }: CancelPerson,
  found: readonly FoundRow[],
): Iterable<{ mobile: string | null; key: string | null }> {
  const marks = new Map<string, { mobile: string | null; key: string | null }>();
  for (const row of found) {
    const ofKey = line === undefined && key === undefined && !row.isOther ? null : row.key;
    // The number that was named may be another one of the person than the message's.
    const named = line !== undefined || row.isOther ? [row.mobile] : [mobile ?? null];
    const numbers = mobile === undefined ? named : [...named, row.mobile];
    for (const number of numbers) marks.set(JSON.stringify([number, ofKey]), { mobile: number, key: ofKey });
  }
  return marks.values();
}

function countsOf(found: readonly FoundRow[]): PersonMessages {
  const count = (state: MessageState) => found.filter((row) => row.state === state).length;
  return {
    people: countPeople(found),
    messages: found.length,
    queued: count('queued'),
    sending: count('sending'),
    uncertain: count('uncertain'),
    sent: count('sent'),
  };
}

/** Messages whose numbers have one in common are of one person. */
function countPeople(found: readonly FoundRow[]): number {
  let people: Set<string>[] = [];
  for (const { numbers } of found) {
    const own = new Set(JSON.parse(numbers) as string[]);
    const same = people.filter((person) => [...own].some((number) => person.has(number)));
    people = [
      ...people.filter((person) => !same.includes(person)),
      new Set([...own, ...same.flatMap((set) => [...set])]),
    ];
  }
  return people.length;
}
