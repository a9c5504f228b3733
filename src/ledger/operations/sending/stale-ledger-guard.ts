import type { Connection, Soon } from '../../connection.ts';
import { TumaError } from '../../../domain/errors.ts';
import type { MoneyMicro } from '../../../domain/money.ts';
import type { StateChange } from '../../contracts/records.ts';
import { type Behind, behindHelp, behindWords } from '../../contracts/stale-ledger.ts';
import { type BatchRecords, batchRecords } from '../planning/batches.ts';
import { type CampaignRecords, campaignRecords } from '../planning/campaigns.ts';
import { countedConnection } from '../keeping/counted-statements.ts';
import { Counters } from '../keeping/counters.ts';
import { Memory } from '../memory.ts';
import type { Notes, OpenNotes } from './home-notes.ts';
import type { ThreadAnswer, ThreadLog } from '../../thread/ledger-thread.ts';
import { operation } from '../operation.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import type { SkipStagedStep } from '../planning/uploads.ts';
import type { Port } from '../../thread/thread.ts';
import type { WriterOperations } from '../writer.ts';

/*
 * The guard against an older ledger (D9). In a backup or a copy (S11), messages are queued that were sent
 * since. Each claim and each launch compares the ledger's claims with the notes of all claims
 * (home-notes.ts).
 */

interface OpenCampaign {
  n: number;
  activatedAt: number;
  /** The counted price per segment of a lost message. */
  priceMicro: MoneyMicro;
}

/** The refusal of claims that cannot be noted. */
export function unnoted(cause?: unknown): TumaError {
  return new TumaError('claims_unnoted', {
    message: 'What is sent cannot be noted outside of TUMA_HOME.',
    hint: 'Make room on the disk of $XDG_STATE_HOME (else ~/.local/state), or make it writable; sending then goes on.',
    cause,
  });
}

/** Whether the database went on as a copy of itself, and the word that this is right. */
export interface Copy {
  isAnother(): boolean;
  begin(): Soon<void>;
  accept(): Soon<void>;
}

/** A file has no copies that go on by themselves. */
const NO_COPY: Copy = { isAnother: () => false, begin: () => undefined, accept: () => undefined };

/** Compares the ledger with the notes of its claims; belongs to the writer's connection. */
export class StaleLedgerGuard {
  readonly #sql: Sql;
  readonly #batches: BatchRecords;
  readonly #campaigns: CampaignRecords;
  readonly #notes: Notes | null;
  readonly #copy: Copy;
  readonly #unwritable: unknown;
  /** A claim was made since the last note; it may have been undone since. No transaction runs while a note is made. */
  #hasClaimed = true;
  #unnoted = false;

  /** Without notes no ledger counts as behind. */
  constructor(
    database: Connection,
    { notes, unwritable, copy = NO_COPY }: OpenNotes & { copy?: Copy },
    memory: Memory = new Memory(),
  ) {
    this.#copy = copy;
    const counted = countedConnection(database, new Counters(database, memory));
    this.#sql = loadStatements(counted, new URL('./stale-ledger-guard.sql', import.meta.url));
    this.#batches = batchRecords(database);
    this.#campaigns = campaignRecords(database);
    this.#notes = notes;
    this.#unwritable = unwritable;
  }

  /** The guard's own operations, and the claim, which it watches. */
  operations(writer: WriterOperations) {
    return {
      claim: operation(writer.claim.rules, async (request: Parameters<WriterOperations['claim']>[0]) => {
        this.#begin();
        const result = await writer.claim(request);
        this.#hasClaimed ||= result.messages.length > 0;
        return result;
      }),
      behind: (now: number) => this.#behind(now),
      isGuarded: () => {
        this.#requireWritable();
        return this.#notes !== null;
      },
      acceptLoss: (change: StateChange) => this.#acceptLoss(change, writer),
      acceptCopy: (change: StateChange) => this.#acceptCopy(change),
    };
  }

  /**
   * Notes claims before their callers get them. If that fails, the callers get them nevertheless, because
   * they are committed. Further claims are refused until a note works; each answer tries it again.
   */
  noting(port: Port): Port {
    return {
      ...port,
      answer: async (answers: ThreadAnswer[], commitMs?: number) => {
        if (this.#hasClaimed) await this.#tryNote(port.log);
        await port.answer(answers, commitMs);
      },
    };
  }

  async #tryNote(log: ThreadLog): Promise<void> {
    try {
      await this.#note();
      this.#unnoted = false;
    } catch (error) {
      if (!this.#unnoted) log.error({ error: String(error) }, 'claims cannot be noted: no more are made');
      this.#unnoted = true;
    }
  }

  async #note(): Promise<void> {
    const claims = await this.#claims();
    // A note above the ledger's own count stays, because it proves that the ledger is behind.
    if (claims > this.#made()) this.#notes?.note(claims);
    this.#hasClaimed = false;
  }

  /** STOPs and pauses are still taken where notes cannot be written; only what leads to messages is refused. */
  #requireWritable(): void {
    if (this.#unwritable !== null) throw unnoted(this.#unwritable);
  }

  /**
   * Throws `ledger_behind`, or `claims_unnoted`: nothing that leads to messages may be done. The ledger is counted each
   * time, because a database can be put back while this process runs.
   */
  async requireClaims(): Promise<void> {
    this.#requireWritable();
    if (this.#unnoted) throw unnoted();
    await this.#copy.begin();
    const lack = await this.#lack();
    if (lack !== null)
      throw new TumaError('ledger_behind', { message: behindWords(lack), ...behindHelp(lack) });
  }

  /** Notes the ledger before its first claim, because otherwise nobody would know a lost ledger. */
  #begin(): void {
    try {
      this.#notes?.begin();
    } catch (cause) {
      throw unnoted(cause);
    }
  }

  /** What this ledger does not know of what was sent from it; null: it knows all. */
  async #lack(): Promise<Omit<Behind, 'open'> | null> {
    const isCopy = this.#copy.isAnother();
    const [made, known] = [this.#made(), await this.#claims()];
    if (made <= known && !isCopy) return null;
    return { made, known, another: this.#notes?.another() ?? null, ...(isCopy ? { isCopy } : {}) };
  }

  async #behind(now: number): Promise<Behind | null> {
    const lack = await this.#lack();
    return lack && { ...lack, open: await this.#sql<Behind['open'][number]>('open_campaigns').all(now) };
  }

  /**
   * Makes every message uncertain that may have been sent in the lost time. Skips reminders and firings of
   * that time. Returns the number of uncertain messages.
   */
  async #acceptLoss({ now, by }: StateChange, operations: WriterOperations): Promise<number> {
    const lack = await this.#lack();
    // The flag may stay in a service unit and come with every start, so without a loss it changes nothing.
    if (lack === null) return 0;
    const missing = lack.made - lack.known;
    let count = 0;
    // The wire note of a lost worker proves nothing: another worker may have sent a message that it put back.
    for (const { worker } of await operations.otherWorkers(null))
      count += await operations.reap(worker, now, true);
    for (const campaign of await this.#sql<OpenCampaign>('lost_campaigns').all(now))
      count += await this.#callLost(campaign, now);
    let after: SkipStagedStep['after'] = null;
    do after = await operations.skipStagedStep({ after, now });
    while (after !== null);
    await operations.missDue(now);
    await this.#sql('catch_up').run(Math.max(0, missing));
    await this.#copy.accept();
    await this.#campaigns.audit({ now, by, verb: 'accept-loss', campaign: null, detail: { missing } });
    return count;
  }

  async #acceptCopy({ now, by }: StateChange): Promise<boolean> {
    const lack = await this.#lack();
    if (lack?.isCopy !== true || lack.made > lack.known) return false;
    await this.#copy.accept();
    await this.#campaigns.audit({ now, by, verb: 'nothing-lost', campaign: null, detail: {} });
    return true;
  }

  /** Makes messages uncertain that may have been sent, and returns their number. */
  async #callLost({ n, activatedAt, priceMicro }: OpenCampaign, now: number): Promise<number> {
    // A report of the lost time may decide it, so the attempt is as old as it can be.
    const claimedAt = Math.min(activatedAt, now);
    await this.#sql('take_lost').run(n, now, claimedAt);
    const lost = await this.#sql<{ messages: number; segments: number }>('lost').get(n);
    const { messages, segments } = lost ?? { messages: 0, segments: 0 };
    await this.#sql('call_lost').run(n, now, priceMicro);
    if (messages > 0) await this.#sql('has_claimed').run(n, claimedAt, now, segments * priceMicro);
    for (const { id } of await this.#sql('open_batches').all(n))
      await this.#batches.settleIfEmpty(Number(id), now);
    return messages;
  }

  #made(): number {
    return this.#notes?.read() ?? 0;
  }

  async #claims(): Promise<number> {
    return Number((await this.#sql('claims').get())?.['claims']);
  }
}
