import type { PauseReason } from '../../domain/campaign.ts';
import type { AttemptRef, Outcome } from '../../ledger/sending.ts';
import type { Env, NoteFile } from '../env.ts';
import {
  attemptKey,
  handedRecord,
  type NotedVerdict,
  NoteSeal,
  ownerRecord,
  verdictRecord,
} from './wire-record.ts';

/** A longer note begins anew, with only the messages that are not settled in the ledger. */
const LONGEST_NOTE = 1024 * 1024;

/**
 * The messages that this worker handed to a connection, in a file that survives its process
 * (docs/state-machines.md, section 3). A message is noted before a connection gets it, and its verdict at
 * once. So the reaper of a killed worker can tell messages that never left from messages that may have.
 * Without a file nothing is proven, and every claimed message becomes uncertain.
 */
export class WireNote {
  readonly worker: number;
  readonly #env: Pick<Env, 'processes' | 'log'>;
  /** Null: no file could be made, or the worker has left. */
  #file: NoteFile | null;
  /** Attempts that were handed over and are not settled in the ledger, with their verdicts so far. */
  readonly #open = new Map<string, NotedVerdict | null>();
  #seal = new NoteSeal();
  /** Records that are not written yet. */
  #unwritten = '';
  #length = 0;
  /** Verdicts of this worker that the ledger has recorded. */
  #recorded = 0;
  #scheduled = false;
  #void = false;

  constructor(env: Pick<Env, 'processes' | 'log'>, worker: number, file: NoteFile | null) {
    this.#env = env;
    this.worker = worker;
    this.#file = file;
    this.#beginAnew();
  }

  /** Notes a message that may be handed to a connection once `flush` has returned. */
  handed(attempt: AttemptRef): void {
    const key = attemptKey(attempt);
    this.#open.set(key, null);
    if (this.#isKept()) this.#unwritten += handedRecord(key);
  }

  /** Notes a verdict. It is written in this turn of the event loop. */
  judged(outcome: Outcome, pause: PauseReason | null): void {
    const verdict = { outcome, pause };
    this.#open.set(attemptKey(outcome), verdict);
    if (!this.#isKept()) return;
    this.#unwritten += verdictRecord(verdict);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** The ledger has recorded these verdicts. */
  recorded(outcomes: readonly AttemptRef[]): void {
    this.#recorded += outcomes.length;
    for (const outcome of outcomes) this.#open.delete(attemptKey(outcome));
  }

  /** Writes the noted records, so that a kill cannot lose them. Throws if it can neither write nor remove. */
  flush(): void {
    if (this.#unwritten === '') return;
    if (this.#length + this.#unwritten.length > LONGEST_NOTE) return this.#beginAnew();
    const records = this.#seal.seal(this.#unwritten);
    this.#unwritten = '';
    this.#length += records.length;
    this.#write((file) => file.append(records));
  }

  /** Tries again after the file could not be written. */
  renew(): void {
    if (this.#void) this.#beginAnew();
  }

  /** The worker leaves in order, so its note is not needed. */
  close(): void {
    this.#file?.remove();
    this.#file?.unlock();
    this.#file = null;
  }

  #isKept(): boolean {
    return this.#file !== null && !this.#void;
  }

  /** Replaces the whole note in one step, so that a kill leaves either the old note or the new one. */
  #beginAnew(): void {
    const { worker } = this;
    let records = ownerRecord(this.#env.processes.self(), { worker, recorded: this.#recorded });
    for (const [key, verdict] of this.#open)
      records += handedRecord(key) + (verdict === null ? '' : verdictRecord(verdict));
    this.#seal = new NoteSeal();
    const text = this.#seal.seal(records);
    this.#unwritten = '';
    this.#length = text.length;
    this.#write((file) => file.replace(worker, text));
  }

  /** If the note cannot be written, its file is removed before any message leaves. Then it proves nothing. */
  #write(write: (file: NoteFile) => void): void {
    if (this.#file === null) return;
    try {
      write(this.#file);
      if (this.#void) this.#env.log.info({}, 'the wire note is kept again');
      this.#void = false;
    } catch (error) {
      this.#file.remove();
      if (!this.#void)
        this.#env.log.warn(
          { error: String(error) },
          'the wire note cannot be written: a kill now makes every claimed message uncertain',
        );
      this.#void = true;
    }
  }
}
