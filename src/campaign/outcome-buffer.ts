import type { PauseReason } from '../domain/campaign.ts';
import type { Outcome, OutcomeRecord } from '../ledger/sending.ts';
import type { Env } from './env.ts';
import { recordVerdicts } from './record-verdicts.ts';

const RETRY_MS = 500;
/** One commit takes at most so many: the claim limit bounds it anyway. */
const MOST_A_COMMIT = 1_000;

interface OutcomeBufferOptions {
  env: Pick<Env, 'clock' | 'ledger' | 'log'>;
  /** Called after each commit with the number of verdicts that are now durable. */
  committed: (count: number) => void;
}

/** Where a verdict's message came from. */
export interface OutcomeLane {
  /** The ledger's number of the worker that claimed it; another one than now after this process was taken for dead. */
  readonly worker: number;
}

interface Entry {
  outcome: Outcome;
  lane: OutcomeLane;
}

/**
 * Verdicts on their way into the ledger. While one commit is under way the next verdicts gather, so the slower the disk
 * the larger the group. A verdict is never dropped: a ledger that refuses is asked again until it takes it.
 */
export class OutcomeBuffer {
  #options: OutcomeBufferOptions;
  #entries: Entry[] = [];
  #pauses: OutcomeRecord['pauses'] = [];
  #busy = false;

  constructor(options: OutcomeBufferOptions) {
    this.#options = options;
  }

  /** Takes a verdict. `pause` pauses its campaign in the same commit. */
  add(outcome: Outcome, about: { lane: OutcomeLane; pause: PauseReason | null }): void {
    this.#entries.push({ outcome, lane: about.lane });
    if (about.pause !== null) this.#pauses.push({ campaign: outcome.campaign, reason: about.pause });
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    // What was answered in the same turn of the event loop goes into the same commit.
    await Promise.resolve();
    while (this.#entries.length > 0) {
      const entries = this.#entries.splice(0, MOST_A_COMMIT);
      const pauses = this.#pauses;
      this.#pauses = [];
      await this.#commitAll(entries, pauses);
      this.#options.committed(entries.length);
    }
    this.#busy = false;
  }

  async #commitAll(entries: Entry[], pauses: OutcomeRecord['pauses']): Promise<void> {
    const byWorker = Map.groupBy(entries, ({ lane }) => lane.worker);
    for (const [worker, own] of byWorker) {
      const outcomes = own.map(({ outcome }) => outcome);
      await this.#commit({ worker, outcomes, pauses });
    }
  }

  async #commit(record: Omit<OutcomeRecord, 'now'>): Promise<void> {
    const { env } = this.#options;
    let outcomes = await recordVerdicts(env, record);
    while (outcomes.length > 0) {
      await env.clock.sleep(RETRY_MS);
      outcomes = await recordVerdicts(env, { ...record, outcomes });
    }
  }
}
