import type { ContactRow, WaitingRow } from '../../contacts/contact-row.ts';
import type { Rejects } from '../../contacts/rejects.ts';
import { TumaError } from '../../domain/errors.ts';
import type { GuardReason } from '../../domain/message-reason.ts';
import { PlanTally, type RejectKind } from '../../domain/plan-tally.ts';
import { reasonText, type RowReason, type Suppression } from '../../domain/row-reason.ts';
import type { SegmentCount } from '../../domain/text/segments.ts';
import type { DuplicateRow, NewMessage, SuppressedRow } from '../../ledger/contracts/records.ts';
import type { NewReminder } from '../../ledger/contracts/schedules.ts';
import { countReminder } from './plan-reminders.ts';
import { listedMessage, type PlanList } from './plan-list.ts';
import { type Candidate, messagesOf, type RowRules } from './row-messages.ts';

/** Rows handed to the ledger at once. */
const ROWS_A_CALL = 500;
/** The most open calls to the ledger while the next rows are prepared. */
const CALLS_AHEAD = 16;

/** The ledger, as planning uses it. */
export interface PlanSink {
  /** Adds rows to the draft; returns the rows that it left out. */
  add(rows: (NewMessage | NewReminder)[]): Promise<(DuplicateRow | SuppressedRow)[]>;
  /** The suppressed numbers, with reasons; null: no number is left out, or `add` does it. */
  suppressed: ((mobiles: string[]) => Promise<Map<string, Suppression>>) | null;
  /** The networks of the numbers' last messages; null: no price depends on them. */
  networks?: ((mobiles: string[]) => Promise<(string | null)[]>) | null;
  /** Why the guards would skip each message; null: nobody asks. */
  guarded?:
    | ((messages: { mobile: string; textHash: number | null }[]) => Promise<(GuardReason | null)[]>)
    | null
    | undefined;
}

/** The input of planning, and the target of the rows. */
export interface PlanInput extends Omit<RowRules, 'keepsTexts'> {
  /** The line whose text a person asked for; null or left out: none. */
  askedLine?: number | null;
  /** Takes each planned message; null or left out: nobody lists them. */
  list?: PlanList | null;
  sink: PlanSink;
  rejects: Rejects;
  signal: AbortSignal;
}

const SUPPRESSED: Record<Suppression, string> = {
  'opted out': 'this number asked for no more messages',
  'dead number': 'this number failed again and again; it is listed with the opt-outs',
};

/** The small part of a row that is kept until the ledger returns, because thousands of rows wait. */
interface Waiting {
  row: WaitingRow;
  text: string;
  count: SegmentCount;
  country: string;
  network: string | null;
  guarded: GuardReason | null;
}

/**
 * Reads every contact once: number, key, rendered text, segments; then opt-outs and duplicates. Unusable rows
 * go to the rejects file with their reason; the others go into the draft.
 */
export async function planContacts(input: PlanInput): Promise<PlanTally> {
  const planning = new Planning(input);
  try {
    for await (const rows of input.contacts.rows()) {
      if (input.signal.aborted) throw interrupted();
      await planning.take(rows);
    }
    await planning.finish();
    return planning.tally;
  } catch (error) {
    await planning.abandon();
    throw error;
  }
}

/** The error of a plan or a launch that was stopped before the launch. */
export function interrupted(): TumaError {
  return new TumaError('interrupted', {
    message: 'Stopped: nothing was launched.',
    hint: 'Run the same command again when you are ready.',
  });
}

/** A reject that was a duplicate in its first file: another row of that file was sent to. */
const DUPLICATE_BEFORE = {
  reason: 'duplicate' as const,
  detail: 'it was one in the file that these rejects are of; blank its tuma_reason to send to it',
};

function allNumbers({ mobile, others = [] }: NewMessage): string[] {
  return [mobile, ...others];
}

class Planning {
  readonly tally: PlanTally;
  #input: PlanInput;
  #candidates: Candidate[] = [];
  #underWay: Promise<void>[] = [];
  /** The messages of a row: one, or one for each offset of a series. */
  readonly #each: number;
  readonly #rules: RowRules;
  readonly #list: PlanList | null;
  /** Rows of a series that are in the rejects file already. */
  readonly #filed = new WeakSet<object>();

  constructor(input: PlanInput) {
    this.#input = input;
    this.tally = new PlanTally(input.optOutText, input.askedLine);
    this.#each = input.reminders?.series?.length ?? 1;
    this.#list = input.list ?? null;
    this.#rules = { ...input, keepsTexts: this.#list !== null };
  }

  async take(rows: readonly ContactRow[]): Promise<void> {
    for (const row of rows) {
      this.tally.read += this.#each;
      this.#check(row);
    }
    while (this.#candidates.length >= ROWS_A_CALL) await this.#hand(this.#candidates.splice(0, ROWS_A_CALL));
  }

  async finish(): Promise<void> {
    await this.#hand(this.#candidates);
    await Promise.all(this.#underWay);
  }

  /** Waits for open calls, so that no write happens after the plan has ended. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #check(row: ContactRow): void {
    if (row.problem !== null) return this.#reject(row, 'invalid', row.problem);
    if (row.reasonBefore === DUPLICATE_BEFORE.reason) return this.#reject(row, 'duplicate', DUPLICATE_BEFORE);
    const messages = messagesOf(row, this.#rules, this.tally);
    if ('reason' in messages) return this.#reject(row, 'invalid', messages);
    this.#candidates.push(...messages);
  }

  /** Hands rows to the ledger, and waits only when it is too far behind. */
  async #hand(candidates: Candidate[]): Promise<void> {
    if (candidates.length === 0) return;
    const settling = this.#settle(candidates);
    // The promise is awaited later; until then a failure must not count as unhandled.
    settling.catch(() => undefined);
    this.#underWay.push(settling);
    if (this.#underWay.length > CALLS_AHEAD) await this.#underWay.shift();
  }

  /** With only one call to the ledger, most of a row need not be kept until its answer. */
  #settle(candidates: Candidate[]): Promise<void> {
    const { sink, reminders } = this.#input;
    if (reminders !== null || sink.suppressed !== null || this.#list !== null)
      return this.#settleInSteps(candidates);
    const adding = sink.add(candidates.map(({ message }) => message));
    const waiting = candidates.map(({ row: { line, raw }, text, count, country }) => ({
      row: { line, raw, problem: null },
      text,
      count,
      country,
      network: null,
      guarded: null,
    }));
    return this.#countWaiting(adding, waiting, this.#note(waiting, candidates));
  }

  async #countWaiting(
    adding: ReturnType<PlanSink['add']>,
    waiting: Waiting[],
    noted: Promise<void>,
  ): Promise<void> {
    const [leftOut] = await Promise.all([adding, noted]);
    for (const { row, text, count, country, network, guarded } of this.#withoutLeftOut(waiting, leftOut))
      this.tally.addPlanned({ line: row.line, text, count, country, network, guarded });
  }

  /** Notes on each row the network of its number, and why the guards would skip it. */
  async #note(
    rows: { network: string | null; guarded: GuardReason | null }[],
    candidates: Candidate[],
  ): Promise<void> {
    const { sink } = this.#input;
    if (sink.networks == null && sink.guarded == null) return;
    const messages = candidates.map(({ message: { mobile, textHash = null } }) => ({ mobile, textHash }));
    const [networks, guarded] = await Promise.all([
      sink.networks?.(messages.map(({ mobile }) => mobile)),
      sink.guarded?.(messages),
    ]);
    for (const [index, row] of rows.entries()) {
      row.network = networks?.[index] ?? null;
      row.guarded = guarded?.[index] ?? null;
    }
  }

  async #settleInSteps(candidates: Candidate[]): Promise<void> {
    const allowed = await this.#withoutSuppressed(candidates);
    await this.#markReminded(allowed);
    await this.#note(allowed, allowed);
    const leftOut = await this.#input.sink.add(allowed.map(({ message }) => message));
    await this.#count(this.#withoutLeftOut(allowed, leftOut));
  }

  #withoutLeftOut<Row extends Waiting | Candidate>(
    candidates: Row[],
    leftOut: (DuplicateRow | SuppressedRow)[],
  ): Row[] {
    if (leftOut.length === 0) return candidates;
    const byLine = new Map(leftOut.map((row) => [row.line, row]));
    return candidates.filter(({ row }) => {
      const why = byLine.get(row.line);
      if (why === undefined) return true;
      if ('suppression' in why) this.#suppress(row, why.suppression);
      else {
        const detail = `the same as line ${why.keptLine}`;
        this.#rejectOne(row, 'duplicate', { reason: 'duplicate', detail });
      }
      return false;
    });
  }

  /** Marks reminders that an earlier campaign has sent: they are planned and skipped. */
  async #markReminded(candidates: Candidate[]): Promise<void> {
    const before = await this.#input.reminders?.remindedBefore?.(candidates.map(({ message }) => message));
    if (before === undefined) return;
    // This reason has priority over "moment past", which a correction with another date would undo.
    for (const [index, { message }] of candidates.entries())
      if (before[index] === true && 'skip' in message) message.skip = 'already reminded';
  }

  async #count(kept: Candidate[]): Promise<void> {
    const { reminders } = this.#input;
    const compared = (await reminders?.compare?.(kept.map(({ message }) => message))) ?? [];
    for (const [index, { row, message, text, count, country, network, guarded }] of kept.entries()) {
      const planned = { line: row.line, text, count, country, network, guarded };
      if (reminders === null || !('notBefore' in message)) this.tally.addPlanned(planned);
      else countReminder(this.tally, reminders.tally, { planned, message, comparison: compared[index] });
    }
    const remind = reminders?.rule ?? null;
    await this.#list?.(
      kept.map(({ message, text }, index) =>
        listedMessage(message, { text, comparison: compared[index], remind }),
      ),
    );
  }

  async #withoutSuppressed(candidates: Candidate[]): Promise<Candidate[]> {
    const { suppressed } = this.#input.sink;
    if (suppressed === null) return candidates;
    const reasons = await suppressed(candidates.flatMap(({ message }) => allNumbers(message)));
    if (reasons.size === 0) return candidates;
    // Who opted out with one phone is not written to on another.
    return candidates.filter(({ row, message }) => {
      const number = allNumbers(message).find((each) => reasons.has(each));
      const reason = number === undefined ? undefined : reasons.get(number);
      if (reason !== undefined) this.#suppress(row, reason);
      return reason === undefined;
    });
  }

  #suppress(row: WaitingRow | ContactRow, reason: Suppression): void {
    this.#rejectOne(row, 'suppressed', { reason, detail: SUPPRESSED[reason] });
  }

  #reject(row: WaitingRow | ContactRow, kind: RejectKind, why: { reason: RowReason; detail: string }): void {
    this.tally.addRejected(row.line, { kind, reason: why.reason, times: this.#each });
    this.#input.rejects.add({ row, reason: reasonText(why.reason), detail: why.detail });
  }

  /** Rejects one message of a row. A series has several, and its row is filed once. */
  #rejectOne(
    row: WaitingRow | ContactRow,
    kind: RejectKind,
    why: { reason: RowReason; detail: string },
  ): void {
    this.tally.addRejected(row.line, { kind, reason: why.reason });
    if (this.#filed.has(row)) return;
    this.#filed.add(row);
    this.#input.rejects.add({ row, reason: reasonText(why.reason), detail: why.detail });
  }
}
