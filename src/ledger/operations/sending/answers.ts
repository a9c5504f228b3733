import { changeEach, type Connection, getEach, runEach, type Values } from '../../connection.ts';
import { type AnswerMeaning, effectOf } from '../../../domain/answer-meaning.ts';
import type { MessageState } from '../../../domain/message.ts';
import { REFUSED } from '../../../domain/message-reason.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type {
  AnswerEvidence,
  AnswerLedger,
  AnswerRow,
  Contradiction,
  LeftOut,
  LeftOutQuery,
  MappedAnswer,
  OpenAnswer,
} from '../../contracts/answers.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { AttemptRef, Evidence } from '../../contracts/sending.ts';
import type { BatchRecords } from '../planning/batches.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { MessagePlace } from '../../contracts/finding.ts';
import { OtherNumbers } from '../planning/other-numbers.ts';
import type { PreparationBook } from '../planning/preparations.ts';
import { bookMapped, type Entry, type MessageMoney } from '../../decide/money.ts';
import type { MappedChange } from '../../decide/verdicts.ts';
import type { OpenTotals } from './running-totals.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/** More new groups in a day are not kept, because a person cannot decide a provider's ever new answers. */
const MOST_NEW_GROUPS = 100;
const DAY_MS = 86_400_000;

/** The groups of unknown answers (contracts/answers.ts). */
export class AnswerGroups {
  readonly sql: Sql;
  readonly #otherNumbers: OtherNumbers;

  constructor(database: Connection) {
    this.sql = loadStatements(database, new URL('./answers.sql', import.meta.url));
    this.#otherNumbers = new OtherNumbers(database);
  }

  /**
   * The group of each answer, in their order; a group that is not there is made. Null: the answer is known, or has no
   * group.
   */
  async groupsOf(answers: readonly Evidence[], now: number): Promise<(Group | null)[]> {
    const asked = new Map<string, Evidence>();
    for (const answer of answers)
      if (answer.question !== undefined && !asked.has(keyOf(answer))) asked.set(keyOf(answer), answer);
    const distinct = [...asked.values()];
    const found = await getEach(
      this.sql('find_group'),
      distinct.map(({ httpStatus, question }) => [httpStatus, question?.content ?? null]),
    );
    const groups = new Map<string, Group | null>();
    for (const [index, answer] of distinct.entries())
      groups.set(keyOf(answer), (found[index] as Group | undefined) ?? (await this.#newGroup(answer, now)));
    return answers.map((answer) => groups.get(keyOf(answer)) ?? null);
  }

  /** Null: there are too many new ones already. */
  async #newGroup({ httpStatus, code, question }: Evidence, now: number): Promise<Group | null> {
    const [content, words] = [question?.content ?? null, question?.words ?? null];
    const limits = [now, now - DAY_MS, MOST_NEW_GROUPS];
    const made = await this.sql('add_group').get(httpStatus, content, code, words, ...limits);
    return (made as Group | undefined) ?? null;
  }

  /**
   * Writes what was decided about uncertain messages by the meanings of their answers, and marks the attempts, so that
   * the decisions can be taken back. It never queues a message.
   */
  async writeMapped(mapped: readonly MappedChange[], now: number): Promise<void> {
    const [sent, rejected]: [Values[], Values[]] = [[], []];
    for (const { message, meaning, entry } of mapped) {
      bookMapped(entry, message, meaning);
      const row = [message.campaign, message.seq, now];
      if (meaning === 'accepted') sent.push(row);
      else rejected.push([...row, REFUSED[meaning], effectOf(meaning).retryHelps ? 1 : 0]);
    }
    await changeEach(this.sql('call_sent'), sent);
    await changeEach(this.sql('call_rejected'), rejected);
    await runEach(
      this.sql('mark_mapped'),
      mapped.map(({ message: { campaign, seq, attempt } }) => [campaign, seq, attempt]),
    );
  }

  /** Makes a message uncertain again, and counts the highest price that it may have cost. */
  async reopen(entry: Entry, message: MappedMessage, now: number): Promise<void> {
    const { campaign, seq, state, claimedAt, price } = message;
    const counted = Math.max(message.counted, price);
    // The assumed cost of a sent one stays until the next reading.
    const reserved = state === 'sent' ? 0 : price;
    entry.campaignSpent += counted - message.counted;
    entry.reserved += reserved;
    await this.sql('reopen').run(campaign, seq, now, claimedAt, counted, reserved);
  }

  /** Skips the other dates and numbers of a reminder that is uncertain again. Returns their messages. */
  async skipOtherDates({ campaign, seq, isReminder }: MappedMessage, now: number): Promise<MessagePlace[]> {
    if (isReminder === 0) return [];
    const skipped = await this.sql('skip_other_dates').all(campaign, seq, now);
    const dates = skipped.map((row) => ({ campaign, seq: Number(row['seq']) }));
    return [...dates, ...(await this.#otherNumbers.skipWaiting({ campaign, seq }, now))];
  }
}

/** A message of which a mapping decided an attempt. Time in milliseconds. */
interface MappedMessage extends MessagePlace {
  /** As people name it. */
  campaignId: string;
  state: MessageState;
  isByMapping: 0 | 1;
  isCanceled: 0 | 1;
  isReminder: 0 | 1;
  claimedAt: number;
  counted: MoneyMicro;
  price: MoneyMicro;
}

/** True: the decision still holds, so it can be taken back. What is canceled with its campaign never goes. */
function mayReopen({ state, isByMapping, isCanceled }: MappedMessage): boolean {
  if (state === 'sent') return isByMapping === 1;
  if (state === 'skipped' || state === 'canceled') return isCanceled === 0;
  return state === 'rejected' || state === 'queued';
}

/** Answers with one key are of one group; empty: the answer is known. */
function keyOf({ httpStatus, question }: Evidence): string {
  return question === undefined ? '' : `${httpStatus ?? ''} ${question.content}`;
}

/** A group of answers and its meaning; null: no person has decided. */
interface Group {
  id: number;
  meaning: AnswerMeaning | null;
}

/** The records that decisions about answers share with other operations. */
interface AnswerRecords {
  preparations: Pick<PreparationBook, 'requireApproverNow'>;
  answers: AnswerGroups;
  batches: BatchRecords;
  campaigns: CampaignRecords;
  openTotals: OpenTotals;
}

/** A person's decisions about unknown answers (contracts/answers.ts). */
export function answerOperations(records: AnswerRecords) {
  const { answers, campaigns, openTotals } = records;
  const { sql } = answers;
  return {
    async mapAnswer({
      answer,
      meaning,
      now,
      by,
    }: Parameters<AnswerLedger['mapAnswer']>[0]): Promise<number | null> {
      await records.preparations.requireApproverNow('say what an answer means', null);
      if ((await sql('set_meaning').run(answer, meaning, by)).changes === 0) return null;
      const totals = openTotals();
      const open = meaning === 'uncertain' ? [] : await openMessages(sql, answer);
      await totals.load(open.map(({ campaign }) => campaign));
      const mapped = open.map((message) => ({ message, meaning, entry: totals.entry(message.campaign) }));
      await answers.writeMapped(mapped as MappedChange[], now);
      await totals.post(now);
      const detail = { answer, meaning, messages: open.length };
      await campaigns.audit({ now, by, verb: 'map', campaign: null, detail });
      return open.length;
    },
    unmapAnswer: (order: StateChange & { answer: number }) => unmapAnswer(records, order),
    mappedAnswers: operation(
      { durable: false },
      async () => (await sql('mapped').all()) as unknown as MappedAnswer[],
    ),
  };
}

async function openMessages(sql: Sql, answer: number): Promise<(AttemptRef & MessageMoney)[]> {
  return (await sql('open_messages').all(answer)) as unknown as (AttemptRef & MessageMoney)[];
}

/** Until the campaigns are paused, each message that is sent again may reach somebody twice, so nobody is told to wait. */
function refuseWhileSending(answer: number, mapped: readonly MappedMessage[]): void {
  const sending = mapped.filter(({ state }) => state === 'sending').map(({ campaignId }) => campaignId);
  if (sending.length === 0) return;
  throw new TumaError('state_forbids', {
    message: `Messages that got answer ${answer} are being sent again, and their end is not known.`,
    hint: `Pause first, or more of them are sent: ${[...new Set(sending)].join(', ')}. Then try again.`,
  });
}

async function unmapAnswer(
  { answers, batches, campaigns, openTotals }: AnswerRecords,
  { answer, now, by }: StateChange & { answer: number },
): Promise<number | null> {
  const { sql } = answers;
  if ((await sql('forget_meaning').run(answer)).changes === 0) return null;
  const mapped = await sql<MappedMessage>('mapped_messages').all(answer);
  refuseWhileSending(answer, mapped);
  const open = mapped.filter(mayReopen);
  const [totals, touched] = [openTotals(), batches.touched()];
  for (const message of open) {
    await answers.reopen(await totals.of(message.campaign), message, now);
    const changed = [message, ...(await answers.skipOtherDates(message, now))];
    for (const { campaign, seq } of changed) await touched.of(campaign, seq);
  }
  await sql('unmark').run(answer);
  await totals.post(now);
  await touched.settle(now);
  await campaigns.audit({
    now,
    by,
    verb: 'unmap',
    campaign: null,
    detail: { answer, messages: open.length },
  });
  return open.length;
}

/** The reads of unknown answers (contracts/answers.ts). */
export function answerReads(database: Connection) {
  const sql = loadStatements(database, new URL('./answers.sql', import.meta.url));
  return {
    answers: async (): Promise<AnswerRow[]> => (await sql('groups').all()) as unknown as AnswerRow[],
    openAnswers: async (campaign: number | null): Promise<OpenAnswer[]> =>
      (await sql('open_groups').all(campaign)) as unknown as OpenAnswer[],
    answerEvidence: async ({
      answer,
      limit,
    }: {
      answer: number;
      limit: number;
    }): Promise<AnswerEvidence> => ({
      examples: (await sql('examples').all(answer, limit)).map((row) => String(row['raw'])),
      provedSent: Number((await sql('proved_sent').get(answer))?.['count']),
      namedByReports: Number((await sql('named_by_reports').get(answer))?.['count']),
    }),
    leftOut: async ({ campaign, reason, answeredBefore }: LeftOutQuery): Promise<LeftOut> =>
      (await sql('left_out').get(campaign, reason, answeredBefore)) as unknown as LeftOut,
    contradictions: async (campaign: number | null): Promise<Contradiction[]> =>
      (await sql('contradictions').all(campaign)) as unknown as Contradiction[],
    contradictingWebhooks: async (limit: number): Promise<number[]> =>
      (await sql('contradicting_webhooks').all(limit)).map((row) => Number(row['webhook'])),
  };
}
