import type { PauseReason } from '../../domain/campaign.ts';
import type { AttemptRef, Outcome } from '../../ledger/contracts/sending.ts';
import type { Env, NoteFile } from '../env.ts';
import { attemptKey, type NotedVerdict, slotAt, slotOf, StatusBlock } from './wire-format.ts';

type NoteEnv = Pick<Env, 'log'>;

/** A write that took longer is repeated, because the block must carry the time at which the file changed. */
const LONGEST_WRITE_MS = 5;
/** A machine that is so busy all the time makes messages uncertain at worst. */
const MOST_WRITES = 3;

/**
 * The messages that this worker handed to a connection, in a file that survives its process
 * (docs/state-machines.md, section 3). A message is noted before a connection gets it, and its verdict at
 * once. So the reaper of a killed worker can tell messages that never left from messages that may have.
 * Without a file nothing is proven, and every claimed message becomes uncertain.
 */
export class WireNote {
  readonly worker: number;
  readonly #env: NoteEnv;
  /** Null: no file could be made, or the worker has left. */
  #file: NoteFile | null;
  /** Null: the note is void. */
  #block: StatusBlock | null = null;
  /** The identity of the present file. */
  #identity = '';
  /** The places of the attempts that were handed over and are not settled in the ledger; null: it has none. */
  readonly #open = new Map<string, number | null>();
  #writes = 0;
  #asked = 0;
  #recorded = 0;
  /** The block has changed since the last write. */
  #isDirty = false;
  /** An attempt found no place. */
  #isFull = false;
  /** The log has said that the note is void. */
  #isVoidKnown = false;
  /** Verdicts that are not written yet. */
  #unwritten: { place: number; verdict: NotedVerdict }[] = [];
  #scheduled = false;

  constructor(env: NoteEnv, worker: number, file: NoteFile | null) {
    this.#env = env;
    this.worker = worker;
    this.#file = file;
    this.#begin();
  }

  /** Returns the number of the next claim. It is noted before the ledger hears of it. */
  claiming(): number {
    this.#asked += 1;
    this.#isDirty = true;
    this.flush();
    return this.#asked;
  }

  /** Notes a message that may be handed to a connection once `flush` has returned. */
  handed(attempt: AttemptRef): void {
    const place = this.#block?.take(attempt) ?? null;
    this.#open.set(attemptKey(attempt), place);
    this.#isFull ||= place === null;
    this.#isDirty = true;
  }

  /** True: a connection may have got this message, and the ledger has not recorded its verdict. */
  has(attempt: AttemptRef): boolean {
    return this.#open.has(attemptKey(attempt));
  }

  /** Notes a verdict. It is written in this turn of the event loop. */
  judged(outcome: Outcome, pause: PauseReason | null): void {
    const place = this.#open.get(attemptKey(outcome)) ?? null;
    if (place === null || this.#block === null) return;
    this.#unwritten.push({ place, verdict: { outcome, pause } });
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
    for (const outcome of outcomes) {
      const key = attemptKey(outcome);
      const place = this.#open.get(key) ?? null;
      this.#open.delete(key);
      if (place !== null) this.#block?.free(place);
    }
  }

  /** Writes the note, so that a kill cannot lose it. Throws if it can neither write nor remove. */
  flush(): void {
    if (!this.#isDirty && this.#unwritten.length === 0) return;
    const [file, block] = [this.#file, this.#block];
    if (file !== null && block !== null) this.#orVoid(file, () => this.#writeFresh(file, block));
    this.#isDirty = false;
    this.#unwritten = [];
  }

  /** Begins anew after the file could not be written, once no message is open that the new note would not know. */
  renew(): void {
    if (this.#block === null && this.#open.size === 0) this.#begin();
  }

  /** The worker leaves in order, so its note is not needed. */
  close(): void {
    this.#file?.remove();
    this.#file?.unlock();
    this.#file = null;
    this.#block = null;
  }

  /** Makes the file. No attempt is open. */
  #begin(): void {
    const { worker } = this;
    const file = this.#file;
    if (file === null) return;
    this.#orVoid(file, () => {
      this.#identity = file.begin(worker);
      const block = new StatusBlock({ worker, file: this.#identity });
      this.#isFull = false;
      this.#writeFresh(file, block);
      this.#block = block;
      if (this.#isVoidKnown) this.#env.log.info({}, 'the wire note is kept again');
      this.#isVoidKnown = false;
    });
  }

  /**
   * The verdicts go first. Their places are in the block already, and the new block names messages that take the
   * requests of these. So a kill in between leaves no more messages open than there are requests.
   */
  #writeFresh(file: NoteFile, block: StatusBlock): void {
    if (this.#isFull) throw new Error('too many messages are on the wire');
    this.#writeVerdicts(file);
    const [asked, recorded] = [this.#asked, this.#recorded];
    for (let nth = 0; nth < MOST_WRITES; nth += 1) {
      const writtenAt = file.now();
      this.#writes += 1;
      file.write(block.sealed({ writes: this.#writes, writtenAt, asked, recorded }), 0);
      file.count(this.#writes);
      if (Math.abs(file.now() - writtenAt) <= LONGEST_WRITE_MS) return;
    }
  }

  #writeVerdicts(file: NoteFile): void {
    for (const { place, verdict } of this.#unwritten) {
      const slot = slotOf(verdict, this.#identity);
      if (slot !== null) file.write(slot, slotAt(place));
    }
  }

  /** If the note cannot be written, its file is removed before any message leaves. Then it proves nothing. */
  #orVoid(file: NoteFile, attempt: () => void): void {
    try {
      attempt();
    } catch (error) {
      file.remove();
      this.#block = null;
      this.#unwritten = [];
      if (!this.#isVoidKnown)
        this.#env.log.warn(
          { error: String(error) },
          'the wire note cannot be written: a kill now makes every claimed message uncertain',
        );
      this.#isVoidKnown = true;
    }
  }
}
