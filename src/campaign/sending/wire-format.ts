import { crc32 } from 'node:zlib';
import type { PauseReason } from '../../domain/campaign.ts';
import type { RegisteredWorker } from '../../ledger/contracts/records.ts';
import type { AttemptRef, Outcome } from '../../ledger/contracts/sending.ts';
import type { LeftFile } from '../env.ts';

/*
 * The bytes of a wire note. They hold ids and verdicts, but no number and no text.
 *
 * The status block is at the beginning, and every write replaces it whole. It names each attempt that was handed
 * to a connection and is not settled in the ledger, one in each place. A write with up to 300 places
 * stays within one page, so a kill never leaves half a block.
 *
 * Each place has a slot for its verdict, far behind the block. A verdict names its attempt and has a checksum
 * of its own, because it is true of that attempt for ever. A slot that is lost or damaged makes one message
 * uncertain.
 *
 * Only a whole and fresh block proves that an attempt was never handed over. So the reader refuses a block that
 * is damaged, is of another worker or file (its checksum begins with the file's identity), or asked for fewer claims than
 * the ledger knows. Two facts outside of
 * the file's content reveal an older content that was put back: the number of writes, which the worker also keeps at
 * its lock, and the time at which the file system saw that number change.
 */

/** A verdict as the worker would have recorded it, with its pause. */
export interface NotedVerdict {
  outcome: Outcome;
  pause: PauseReason | null;
}

/** The facts that a dead worker's note proves. */
export interface LeftNote {
  /** Attempts that were handed to the wire, by `attemptKey`: each may have been sent. */
  handed: ReadonlySet<string>;
  /** The verdicts of some of these attempts. */
  verdicts: readonly NotedVerdict[];
}

/** The counts and the time of a status block. */
export interface BlockFacts {
  /** The number of this write. */
  writes: number;
  /** The file system's clock at the write, in milliseconds. */
  writtenAt: number;
  /** The number of the last claim that the worker asked for. */
  asked: number;
  /** The number of verdicts that the ledger has confirmed. */
  recorded: number;
}

/** Offsets of the block's fields. The places follow. */
const FIELD = {
  checksum: 0,
  length: 4,
  writes: 8,
  writtenAt: 16,
  asked: 24,
  recorded: 32,
  worker: 40,
} as const;
const PLACES_AT = 48;
/** A place holds campaign, seq and attempt. Zeros: the place is free. */
const PLACE_BYTES = 12;
const SLOTS_AT = 131_072;
const SLOT_BYTES = 4_096;
/** A slot begins with the checksum and the length of its verdict. */
const SLOT_HEAD_BYTES = 8;
/** Twice the largest `TUMA_CLAIM_LIMIT`, because verdicts on their way to the ledger keep their places. */
const MOST_PLACES = 10_000;
/**
 * The kernel notes a change up to one clock tick (10 ms) too early, and the writer stands still for a moment. A
 * larger distance means that somebody else has changed the file.
 */
const MOST_DISTANCE_MS = 20;

/** The name of an attempt, the same in a note and in the ledger. */
export function attemptKey({ campaign, seq, attempt }: AttemptRef): string {
  return `${campaign} ${seq} ${attempt}`;
}

/** The status block of one note. */
export class StatusBlock {
  readonly #bytes = Buffer.alloc(PLACES_AT + MOST_PLACES * PLACE_BYTES);
  readonly #file: string;
  /** Places that were taken at some time. */
  #places = 0;
  #free: number[] = [];

  /** `file`: the identity of the note's own file. */
  constructor({ worker, file }: { worker: number; file: string }) {
    this.#file = file;
    this.#bytes.writeDoubleLE(worker, FIELD.worker);
  }

  /** Returns the attempt's place. Null: every place is taken. */
  take({ campaign, seq, attempt }: AttemptRef): number | null {
    if (this.#free.length === 0 && this.#places === MOST_PLACES) return null;
    const place = this.#free.pop() ?? this.#places++;
    const at = PLACES_AT + place * PLACE_BYTES;
    this.#bytes.writeUInt32LE(campaign, at);
    this.#bytes.writeUInt32LE(seq, at + 4);
    this.#bytes.writeUInt32LE(attempt, at + 8);
    return place;
  }

  /** Frees a place, because its message is settled in the ledger. */
  free(place: number): void {
    const at = PLACES_AT + place * PLACE_BYTES;
    this.#bytes.fill(0, at, at + PLACE_BYTES);
    this.#free.push(place);
  }

  /** Returns the whole block for one write at the beginning of the file. The next call changes these bytes. */
  sealed({ writes, writtenAt, asked, recorded }: BlockFacts): Buffer {
    const length = PLACES_AT + this.#places * PLACE_BYTES;
    this.#bytes.writeUInt32LE(length, FIELD.length);
    this.#bytes.writeDoubleLE(writes, FIELD.writes);
    this.#bytes.writeDoubleLE(writtenAt, FIELD.writtenAt);
    this.#bytes.writeDoubleLE(asked, FIELD.asked);
    this.#bytes.writeDoubleLE(recorded, FIELD.recorded);
    const block = this.#bytes.subarray(0, length);
    block.writeUInt32LE(checksum(block.subarray(FIELD.length), this.#file), FIELD.checksum);
    return block;
  }
}

/** The place of a verdict in the file. */
export function slotAt(place: number): number {
  return SLOTS_AT + place * SLOT_BYTES;
}

/** The bytes of a verdict in the note of this file. Null: it is too long, so its message is uncertain after a kill. */
export function slotOf({ outcome, pause }: NotedVerdict, file: string): Buffer | null {
  const json = Buffer.from(JSON.stringify([outcome, pause]));
  if (json.length > SLOT_BYTES - SLOT_HEAD_BYTES) return null;
  const slot = Buffer.alloc(SLOT_HEAD_BYTES + json.length);
  slot.writeUInt32LE(checksum(json, file), 0);
  slot.writeUInt32LE(json.length, 4);
  json.copy(slot, SLOT_HEAD_BYTES);
  return slot;
}

/** The file is a part of it, so that the content of another note is none here. */
function checksum(bytes: Buffer, file: string): number {
  return crc32(bytes, crc32(file));
}

/** Reads the note of a worker that is gone. Null: the note proves nothing. Then every claimed message is uncertain. */
export function readNote(left: LeftFile, worker: RegisteredWorker): LeftNote | null {
  const block = wholeBlock(left);
  if (block === null) return null;
  const isSound =
    isFresh(block, left) &&
    block.readDoubleLE(FIELD.worker) === worker.worker &&
    block.readDoubleLE(FIELD.asked) >= worker.claims &&
    // More verdicts than the ledger knows: the ledger is a copy that was put back.
    block.readDoubleLE(FIELD.recorded) <= worker.recorded;
  return isSound ? gathered(left, placesIn(block)) : null;
}

/**
 * The count was changed right after the block was written, and never since. A worker that was killed between the two
 * has handed nothing over since, and then the file itself was changed last by this write.
 */
function isFresh(block: Buffer, { changedAt, counted, countedAt }: LeftFile): boolean {
  const uncounted = block.readDoubleLE(FIELD.writes) - counted;
  if (uncounted !== 0 && uncounted !== 1) return false;
  const lastAt = uncounted === 0 ? countedAt : changedAt;
  return Math.abs(lastAt - block.readDoubleLE(FIELD.writtenAt)) <= MOST_DISTANCE_MS;
}

/** Null: the block is cut, damaged, or of another file. */
function wholeBlock({ bytes, identity }: LeftFile): Buffer | null {
  if (bytes.length < PLACES_AT) return null;
  const length = bytes.readUInt32LE(FIELD.length);
  if (length < PLACES_AT || length > Math.min(bytes.length, SLOTS_AT)) return null;
  const block = bytes.subarray(0, length);
  return checksum(block.subarray(FIELD.length), identity) === block.readUInt32LE(FIELD.checksum)
    ? block
    : null;
}

function placesIn(block: Buffer): Map<number, string> {
  const places = new Map<number, string>();
  for (let at = PLACES_AT; at < block.length; at += PLACE_BYTES) {
    const [campaign, seq, attempt] = [0, 4, 8].map((field) => block.readUInt32LE(at + field)) as [
      number,
      number,
      number,
    ];
    if (attempt > 0) places.set((at - PLACES_AT) / PLACE_BYTES, attemptKey({ campaign, seq, attempt }));
  }
  return places;
}

function gathered(left: LeftFile, places: Map<number, string>): LeftNote {
  const verdicts: NotedVerdict[] = [];
  for (const [place, key] of places) {
    const verdict = verdictIn(left, slotAt(place));
    // The slot may still hold the verdict of an attempt that had this place before.
    if (verdict !== null && attemptKey(verdict.outcome) === key) verdicts.push(verdict);
  }
  return { handed: new Set(places.values()), verdicts };
}

/** Null: the slot is empty, cut or damaged. */
function verdictIn({ bytes, identity }: LeftFile, at: number): NotedVerdict | null {
  if (bytes.length < at + SLOT_HEAD_BYTES) return null;
  const from = at + SLOT_HEAD_BYTES;
  const json = bytes.subarray(from, Math.min(from + bytes.readUInt32LE(at + 4), at + SLOT_BYTES));
  if (json.length === 0 || checksum(json, identity) !== bytes.readUInt32LE(at)) return null;
  const [outcome, pause] = JSON.parse(json.toString('utf8')) as [Outcome, PauseReason | null];
  return { outcome, pause };
}
