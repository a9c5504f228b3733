import type { ContactRow, WaitingRow } from '../../contacts/contact-row.ts';
import type { ContactsFile } from '../../contacts/contacts-file.ts';
import type { Rejects } from '../../contacts/rejects.ts';
import { TumaError } from '../../domain/errors.ts';
import { textHash } from '../../domain/guards.ts';
import { parseMobile } from '../../domain/numbers/mobile.ts';
import { ALREADY_REMINDED, MOMENT_PAST } from '../../domain/time/occurrence.ts';
import { PlanTally, type RejectKind } from '../../domain/plan-tally.ts';
import { type SegmentCount, countSegments } from '../../domain/text/segments.ts';
import type { Template } from '../../domain/text/template.ts';
import type { DuplicateRow, NewMessage, SuppressedRow, Suppression } from '../../ledger/records.ts';
import type { NewReminder } from '../../ledger/schedules.ts';
import { countReminder, type ReminderPlan } from './plan-reminders.ts';

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
}

/** The input of planning, and the target of the rows. */
export interface PlanInput {
  contacts: ContactsFile;
  template: Template;
  /** The countries that may be sent to; the first is that of numbers without a country. */
  countries: readonly string[];
  /** Index of the column that distinguishes messages to one number; null: none. */
  keyColumn: number | null;
  optOutText: string;
  /** Null: no reminders. */
  reminders: ReminderPlan | null;
  sink: PlanSink;
  rejects: Rejects;
  signal: AbortSignal;
}

const SUPPRESSED: Record<Suppression, string> = {
  'opted out': 'this number asked for no more messages',
  'dead number': 'this number failed again and again; see tuma optouts list',
};

/** A row that passed its own checks and waits for the ledger's check for duplicates. */
interface Candidate {
  row: ContactRow;
  message: NewMessage | NewReminder;
  /** Empty unless the tally needs it, because the texts of thousands of waiting rows take much memory. */
  text: string;
  count: SegmentCount;
  country: string;
  network: string | null;
}

/** The small part of a row that is kept until the ledger returns, because thousands of rows wait. */
interface Waiting {
  row: WaitingRow;
  text: string;
  count: SegmentCount;
  country: string;
  network: string | null;
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
  reason: 'duplicate',
  detail: 'it was one in the file that these rejects are of; blank its tuma_reason to send to it',
};

class Planning {
  readonly tally: PlanTally;
  #input: PlanInput;
  #candidates: Candidate[] = [];
  #underWay: Promise<void>[] = [];

  constructor(input: PlanInput) {
    this.#input = input;
    this.tally = new PlanTally(input.optOutText);
  }

  async take(rows: readonly ContactRow[]): Promise<void> {
    for (const row of rows) {
      this.tally.read += 1;
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
    const { template, optOutText } = this.#input;
    if (row.problem !== null) return this.#reject(row, 'invalid', row.problem);
    if (row.reasonBefore === DUPLICATE_BEFORE.reason) return this.#reject(row, 'duplicate', DUPLICATE_BEFORE);
    const number = this.#numberOf(row);
    if (!number.ok) return this.#reject(row, 'invalid', number);
    const key = this.#keyOf(row);
    if (!key.ok) return this.#reject(row, 'invalid', key);
    const rendered = template.render(row.cells);
    if (!rendered.ok) return this.#reject(row, 'invalid', rendered);
    const count = countSegments(rendered.text + optOutText);
    const message = this.#timed(row, {
      line: row.line,
      mobile: number.mobile,
      key: key.key,
      occurrence: '',
      fields: row.cells,
      segments: count.segments,
      textHash: textHash(rendered.text),
    });
    const text = this.tally.looksAt(count) ? rendered.text : '';
    const { country } = number;
    if (message !== null) this.#candidates.push({ row, message, text, count, country, network: null });
  }

  /** The number of an allowed country: each other country has prices and rules of its own. */
  #numberOf({
    cells,
  }: ContactRow): ReturnType<typeof parseMobile> | { ok: false; reason: string; detail: string } {
    const { contacts, countries } = this.#input;
    const number = parseMobile(cells[contacts.mobileColumn] ?? '', countries[0] ?? '');
    if (!number.ok || countries.includes(number.country)) return number;
    const country = number.country || 'no country';
    const detail = `The number is of ${country}; allowed: ${countries.join(', ')} (\`countries\` in the job file, or TUMA_COUNTRIES).`;
    return { ok: false, reason: `abroad: ${country}`, detail };
  }

  /** The message with its moment, if the job has reminders; null: its date cannot be read. */
  #timed(row: ContactRow, message: NewMessage): NewMessage | NewReminder | null {
    const { reminders } = this.#input;
    if (reminders === null) return message;
    const occurrence = reminders.occurrenceOf(row.cells);
    if (!occurrence.ok) {
      this.#reject(row, 'invalid', occurrence);
      return null;
    }
    const { date, notBefore, notAfter } = occurrence;
    const skip = reminders.isPast(occurrence) ? MOMENT_PAST : null;
    return { ...message, occurrence: date, notBefore, notAfter, skip };
  }

  #keyOf(row: ContactRow): { ok: true; key: string } | { ok: false; reason: string; detail: string } {
    const { contacts, keyColumn } = this.#input;
    if (keyColumn === null) return { ok: true, key: '' };
    const key = (row.cells[keyColumn] ?? '').trim();
    if (key !== '') return { ok: true, key };
    const name = contacts.header[keyColumn] ?? 'key';
    return { ok: false, reason: `missing ${name}`, detail: `the key "${name}" is blank` };
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
    if (reminders !== null || sink.suppressed !== null) return this.#settleInSteps(candidates);
    const adding = sink.add(candidates.map(({ message }) => message));
    const waiting = candidates.map(({ row: { line, raw }, text, count, country }) => ({
      row: { line, raw, problem: null },
      text,
      count,
      country,
      network: null,
    }));
    return this.#countWaiting(adding, waiting, this.#noteNetworks(waiting, candidates));
  }

  async #countWaiting(
    adding: ReturnType<PlanSink['add']>,
    waiting: Waiting[],
    noted: Promise<void>,
  ): Promise<void> {
    const [leftOut] = await Promise.all([adding, noted]);
    for (const { row, text, count, country, network } of this.#withoutLeftOut(waiting, leftOut))
      this.tally.addPlanned({ line: row.line, text, count, country, network });
  }

  /** Notes on each row the network of its number. */
  async #noteNetworks(rows: { network: string | null }[], candidates: Candidate[]): Promise<void> {
    const mobiles = candidates.map(({ message }) => message.mobile);
    const networks = (await this.#input.sink.networks?.(mobiles)) ?? [];
    for (const [index, row] of rows.entries()) row.network = networks[index] ?? null;
  }

  async #settleInSteps(candidates: Candidate[]): Promise<void> {
    const allowed = await this.#withoutSuppressed(candidates);
    await this.#markReminded(allowed);
    await this.#noteNetworks(allowed, allowed);
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
        this.#reject(row, 'duplicate', { reason: 'duplicate', detail });
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
      if (before[index] === true && 'skip' in message) message.skip = ALREADY_REMINDED;
  }

  async #count(kept: Candidate[]): Promise<void> {
    const { reminders } = this.#input;
    const compared = (await reminders?.compare?.(kept.map(({ message }) => message))) ?? [];
    for (const [index, { row, message, text, count, country, network }] of kept.entries()) {
      const planned = { line: row.line, text, count, country, network };
      if (reminders === null || !('notBefore' in message)) this.tally.addPlanned(planned);
      else countReminder(this.tally, reminders.tally, { planned, message, comparison: compared[index] });
    }
  }

  async #withoutSuppressed(candidates: Candidate[]): Promise<Candidate[]> {
    const { suppressed } = this.#input.sink;
    if (suppressed === null) return candidates;
    const reasons = await suppressed(candidates.map(({ message }) => message.mobile));
    if (reasons.size === 0) return candidates;
    for (const { row, message } of candidates) {
      const reason = reasons.get(message.mobile);
      if (reason !== undefined) this.#suppress(row, reason);
    }
    return candidates.filter(({ message }) => !reasons.has(message.mobile));
  }

  #suppress(row: WaitingRow | ContactRow, reason: Suppression): void {
    this.#reject(row, 'suppressed', { reason, detail: SUPPRESSED[reason] });
  }

  #reject(row: WaitingRow | ContactRow, kind: RejectKind, why: { reason: string; detail: string }): void {
    this.tally.addRejected(row.line, kind, why.reason);
    this.#input.rejects.add({ row, reason: why.reason, detail: why.detail });
  }
}
