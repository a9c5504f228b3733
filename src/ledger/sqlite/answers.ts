import type { DatabaseSync } from 'node:sqlite';
import type { AnswerMeaning } from '../../domain/answer-meaning.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { AnswerLedger, AnswerRow, MappedAnswer, OpenAnswer } from '../answers.ts';
import type { StateChange } from '../records.ts';
import type { Evidence } from '../sending.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { MessageRef } from './message-ids.ts';
import type { Entry, OpenTotals } from './running-totals.ts';
import { type Sql, loadStatements } from './statements.ts';

/** More groups are not kept, because a person cannot decide a provider's ever new answers. */
const MOST_GROUPS = 1_000;

/** The reason of a message that a mapped answer rejects, and whether `tuma retry` helps it. */
const REJECTIONS: Readonly<
  Record<Exclude<AnswerMeaning, 'accepted' | 'uncertain'>, [reason: string, retryHelps: 0 | 1]>
> = {
  credit: ['credit refused', 1],
  sender: ['sender refused', 1],
  credentials: ['credentials refused', 1],
  contact: ['invalid mobile', 0],
  network: ['network not allowed', 0],
  opted_out: ['opted out', 0],
};

/** An uncertain message, with its reserved and its counted money. */
interface OpenMessage extends MessageRef {
  reserved: MoneyMicro;
  counted: MoneyMicro;
}

/** The groups of unknown answers (ledger/answers.ts). */
export class AnswerGroups {
  readonly sql: Sql;

  constructor(database: DatabaseSync) {
    this.sql = loadStatements(database, new URL('./answers.sql', import.meta.url));
  }

  /** Finds the group of an answer, or makes it. Null: the answer is known, or there are too many groups. */
  note({ httpStatus, code, question }: Evidence, now: number): Group | null {
    if (question === undefined) return null;
    const group = [httpStatus, code, question] as const;
    const found =
      this.sql('find_group').get(...group) ?? this.sql('add_group').get(...group, now, MOST_GROUPS);
    return (found as Group | undefined) ?? null;
  }

  /** Decides one uncertain message as a person mapped its answer. False: the meaning leaves it uncertain. */
  decide(
    entry: Entry,
    message: OpenMessage,
    { meaning, now }: { meaning: AnswerMeaning; now: number },
  ): boolean {
    if (meaning === 'uncertain') return false;
    const { campaign, seq, reserved, counted } = message;
    entry.reserved -= reserved;
    if (meaning === 'accepted') {
      entry.assumed += reserved;
      this.sql('call_sent').run(campaign, seq, now);
    } else {
      entry.campaignSpent -= counted;
      this.sql('call_rejected').run(campaign, seq, now, ...REJECTIONS[meaning]);
    }
    return true;
  }
}

/** A group of answers and its meaning; null: no person has decided. */
interface Group {
  id: number;
  meaning: AnswerMeaning | null;
}

/** A person's decisions about unknown answers (ledger/answers.ts). */
export function answerOperations(records: {
  answers: AnswerGroups;
  campaigns: CampaignRecords;
  openTotals: OpenTotals;
}) {
  const { answers, campaigns, openTotals } = records;
  const { sql } = answers;
  return {
    mapAnswer({ answer, meaning, now, by }: Parameters<AnswerLedger['mapAnswer']>[0]): number | null {
      if (sql('set_meaning').run(answer, meaning, now, by).changes === 0) return null;
      const totals = openTotals();
      const open = sql('open_messages').all(answer) as unknown as OpenMessage[];
      const decided = open.filter((each) => answers.decide(totals.of(each.campaign), each, { meaning, now }));
      totals.post(now);
      const detail = { answer, meaning, messages: decided.length };
      campaigns.audit({ now, by, verb: 'map', campaign: null, detail });
      return decided.length;
    },
    unmapAnswer({ answer, now, by }: StateChange & { answer: number }): boolean {
      if (sql('forget_meaning').run(answer).changes === 0) return false;
      campaigns.audit({ now, by, verb: 'unmap', campaign: null, detail: { answer } });
      return true;
    },
    mappedAnswers: (): MappedAnswer[] => sql('mapped').all() as unknown as MappedAnswer[],
  };
}

/** The reads of unknown answers (ledger/answers.ts). */
export function answerReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./answers.sql', import.meta.url));
  return {
    answers: (): AnswerRow[] => sql('groups').all() as unknown as AnswerRow[],
    openAnswers: (campaign: number | null): OpenAnswer[] =>
      sql('open_groups').all(campaign) as unknown as OpenAnswer[],
  };
}
