import type { PauseReason } from '../../domain/campaign.ts';
import type { Outcome, OutcomeRecord } from '../../ledger/contracts/sending.ts';
import type { Env } from '../env.ts';
import { recordVerdicts } from './record-verdicts.ts';
import { pauseBy } from './verdict.ts';
import type { WireNote } from './wire-note.ts';

const RETRY_MS = 500;
/** Frequent verdicts gather for this time, unless a claim takes them along earlier. */
const GATHER_MS = 5;
/** Verdicts are frequent when they follow others within this time. */
const QUICKLY_MS = 20;
/** The most verdicts of one commit. The claim limit bounds it anyway. */
const MOST_A_COMMIT = 1_000;

interface OutcomeBufferOptions {
  env: Pick<Env, 'clock' | 'ledger' | 'log'>;
  /** Called after each commit with the number of verdicts that are now durable. */
  committed: (count: number) => void;
}

/** The queue that a verdict's message came from. */
export interface OutcomeSource {
  /** The note of the worker that claimed the message. A process that was taken for dead has a new worker. */
  readonly note: Pick<WireNote, 'worker' | 'recorded'>;
}

interface Entry {
  outcome: Outcome;
  source: OutcomeSource;
}

/**
 * Verdicts on their way into the ledger. A claim hands over gathered verdicts first. The ledger works in
 * order, so these verdicts free their places before the claim, in the same commit. At high rates most
 * verdicts go that way, because commits of their own would hold up the claims.
 * Other verdicts go in the same turn of the event loop, or gather while a commit runs. A verdict is never
 * dropped: the buffer repeats a refused commit until the ledger takes it.
 */
export class OutcomeBuffer {
  #options: OutcomeBufferOptions;
  #entries: Entry[] = [];
  #pauses: OutcomeRecord['pauses'] = [];
  #scheduled = false;
  /** Rises with each hand-over. */
  #handovers = 0;
  /** The gathered verdicts have waited long enough, and go after the present commit. */
  #overdue = false;
  #handedOverAt = -Infinity;
  /** Verdicts that were handed over and are not yet known to be durable. */
  #underWay = 0;
  #refused = 0;

  constructor(options: OutcomeBufferOptions) {
    this.#options = options;
  }

  /** Verdicts that the ledger has refused, so their messages are still `sending`. */
  get refused(): number {
    return this.#refused;
  }

  /** Verdicts that are not known to be durable. */
  get pending(): number {
    return this.#entries.length + this.#underWay;
  }

  /** Takes a verdict. `pause` pauses its campaign in the same commit. */
  add(outcome: Outcome, about: { source: OutcomeSource; pause: PauseReason | null }): void {
    this.#entries.push({ outcome, source: about.source });
    if (about.pause !== null) this.#pauses.push(pauseBy(outcome, about.pause));
    if (this.#scheduled) return;
    this.#scheduled = true;
    const quickly = this.#options.env.clock.monotonic() - this.#handedOverAt < QUICKLY_MS;
    if (quickly || this.#underWay > 0) void this.#handOverSoon(this.#handovers);
    else setImmediate(() => this.handOver());
  }

  /** Waits for the present commit, so that a slower disk gets larger groups. A claim need not wait. */
  async #handOverSoon(handovers: number): Promise<void> {
    await this.#options.env.clock.sleep(GATHER_MS);
    if (handovers !== this.#handovers) return;
    if (this.#underWay > 0) this.#overdue = true;
    else this.handOver();
  }

  /** Hands the gathered verdicts to the ledger now, ahead of its next operation. */
  handOver(): void {
    if (this.#entries.length === 0) return;
    this.#scheduled = false;
    this.#overdue = false;
    this.#handovers += 1;
    this.#handedOverAt = this.#options.env.clock.monotonic();
    while (this.#entries.length > 0) {
      const entries = this.#entries.splice(0, MOST_A_COMMIT);
      const pauses = this.#pauses;
      this.#pauses = [];
      this.#underWay += entries.length;
      for (const [note, own] of Map.groupBy(entries, ({ source }) => source.note))
        void this.#commit(note, { outcomes: own.map(({ outcome }) => outcome), pauses });
    }
  }

  async #commit(
    note: OutcomeSource['note'],
    verdicts: Pick<OutcomeRecord, 'outcomes' | 'pauses'>,
  ): Promise<void> {
    const { env, committed } = this.#options;
    const record = { ...verdicts, worker: note.worker };
    const { length: count } = record.outcomes;
    const group = { refused: 0, lost: 0 };
    const refuse = (refused: number) => {
      this.#refused += refused - group.refused;
      group.refused = refused;
    };
    // The whole group counts as refused until its bad verdict is known, so that no claim takes these places.
    const watch = {
      refused: () => refuse(count),
      lost: () => void (group.lost += 1),
      recorded: (outcomes: readonly Outcome[]) => note.recorded(outcomes),
    };
    for (let outcomes = await recordVerdicts(env, record, watch); outcomes.length > 0; ) {
      refuse(outcomes.length + group.lost);
      await env.clock.sleep(RETRY_MS);
      outcomes = await recordVerdicts(env, { ...record, outcomes }, watch);
    }
    refuse(group.lost);
    this.#underWay -= count;
    if (this.#overdue && this.#underWay === 0) this.handOver();
    committed(count);
  }
}
