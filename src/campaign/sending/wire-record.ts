import { crc32 } from 'node:zlib';
import type { PauseReason } from '../../domain/campaign.ts';
import { type PackedOutcome, packOutcome, unpackOutcome } from '../../ledger/packed-outcome.ts';
import type { RegisteredWorker, WorkerIdentity } from '../../ledger/records.ts';
import type { AttemptRef, Outcome } from '../../ledger/sending.ts';

/*
 * The text of a wire note: records of a line each, `KIND …`. One line with a checksum follows the records
 * that were written together. The checksum covers all records so far, so a missing, changed or moved record
 * breaks the rest. A note holds ids and verdicts, but no number and no text.
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
  /** The verdicts of these attempts, in the order of their arrival. */
  verdicts: readonly NotedVerdict[];
}

/** The owner of a note, and the number of verdicts that the ledger had recorded when the note began. */
interface Owner extends Omit<WorkerIdentity, 'roles'> {
  worker: number;
  recorded: number;
}

const OWNER = 'O';
const HANDED = 'H';
const VERDICT = 'V';
const CHECKSUM = 'C';

/** The name of an attempt, the same in a note and in the ledger. */
export function attemptKey({ campaign, seq, attempt }: AttemptRef): string {
  return `${campaign} ${seq} ${attempt}`;
}

/** Adds the checksums; belongs to one note. */
export class NoteSeal {
  #checksum = 0;

  /** Returns the records with their checksum line. */
  seal(records: string): string {
    this.#checksum = crc32(records, this.#checksum);
    return `${records}${CHECKSUM} ${this.#checksum}\n`;
  }
}

/** The first record of a note. */
export function ownerRecord(
  { bootId, pidNamespace, pid, startTicks }: WorkerIdentity,
  { worker, recorded }: { worker: number; recorded: number },
): string {
  const owner: Owner = { worker, bootId, pidNamespace, pid, startTicks, recorded };
  return `${OWNER} ${JSON.stringify(owner)}\n`;
}

/** A message that is about to be handed to a connection; `key` by `attemptKey`. */
export function handedRecord(key: string): string {
  return `${HANDED} ${key}\n`;
}

/** A verdict, whole. */
export function verdictRecord({ outcome, pause }: NotedVerdict): string {
  return `${VERDICT} ${JSON.stringify([packOutcome(outcome), pause])}\n`;
}

/**
 * Reads the note of a worker that is gone. Null: the note proves nothing, because it is empty, damaged before
 * its end, or of another process. A note newer than the ledger proves nothing either, because the ledger is
 * then a restored copy.
 * Among last records without a checksum, "handed over" counts and a verdict does not. Either makes a message
 * uncertain at worst.
 */
export function readNote(text: string, worker: RegisteredWorker): LeftNote | null {
  const found = recordsIn(text);
  if (found === null) return null;
  const [first, ...rest] = found.sealed;
  if (first === undefined || !isOwner(first, worker)) return null;
  if (!found.unsealed.every(isWellFormed)) return null;
  return gathered([...rest, ...found.unsealed.filter(({ kind }) => kind === HANDED)]);
}

interface NoteRecord {
  kind: string;
  words: string;
}

/** Null: a checksum is wrong. */
function recordsIn(text: string): { sealed: NoteRecord[]; unsealed: NoteRecord[] } | null {
  const sealed: NoteRecord[] = [];
  let unsealed: NoteRecord[] = [];
  let [checksum, from, at] = [0, 0, 0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
    const record = { kind: text.slice(at, at + 1), words: text.slice(at + 2, end) };
    if (record.kind === CHECKSUM) {
      checksum = crc32(text.slice(from, at), checksum);
      if (text.slice(at, end) !== `${CHECKSUM} ${checksum}`) return null;
      sealed.push(...unsealed);
      unsealed = [];
      from = end + 1;
    } else unsealed.push(record);
    at = end + 1;
  }
  return { sealed, unsealed };
}

/** The only check that a record without a checksum allows. */
function isWellFormed({ kind, words }: NoteRecord): boolean {
  return kind === HANDED ? /^\d+ \d+ \d+$/.test(words) : kind === VERDICT;
}

function isOwner({ kind, words }: NoteRecord, worker: RegisteredWorker): boolean {
  if (kind !== OWNER) return false;
  const owner = JSON.parse(words) as Owner;
  const { bootId, pidNamespace, pid, startTicks } = worker;
  const same =
    owner.worker === worker.worker &&
    owner.bootId === bootId &&
    owner.pidNamespace === pidNamespace &&
    owner.pid === pid &&
    owner.startTicks === startTicks;
  return same && owner.recorded <= worker.recorded;
}

function gathered(records: readonly NoteRecord[]): LeftNote {
  const handed = new Set<string>();
  const verdicts: NotedVerdict[] = [];
  for (const { kind, words } of records) {
    if (kind === HANDED) handed.add(words);
    else verdicts.push(verdictIn(words));
  }
  return { handed, verdicts };
}

function verdictIn(words: string): NotedVerdict {
  const [packed, pause] = JSON.parse(words) as [PackedOutcome, PauseReason | null];
  return { outcome: unpackOutcome(packed), pause };
}
