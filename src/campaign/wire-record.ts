import { crc32 } from 'node:zlib';
import type { PauseReason } from '../domain/campaign.ts';
import type { RegisteredWorker, WorkerIdentity } from '../ledger/records.ts';
import type { AttemptRef, Outcome } from '../ledger/sending.ts';

/*
 * The text of a wire note: one record a line, `CHECKSUM KIND …`. Each checksum covers its own record and all before it,
 * so a record that is missing, changed or moved breaks every one behind it. A note holds ids and verdicts, and no number
 * and no text.
 */

/** A verdict as the worker would have recorded it, with the pause that goes with it. */
export interface NotedVerdict {
  outcome: Outcome;
  pause: PauseReason | null;
}

/** What a dead worker's note proves. */
export interface LeftNote {
  /** Attempts that were handed to the wire, by `attemptKey`: each may have been sent. */
  handed: ReadonlySet<string>;
  /** The verdicts among them, in the order in which they came. */
  verdicts: readonly NotedVerdict[];
}

/** Whose note it is, and how many verdicts of its worker the ledger had recorded when the note began. */
interface Owner extends Omit<WorkerIdentity, 'roles'> {
  worker: number;
  recorded: number;
}

const OWNER = 'O';
const HANDED = 'H';
const VERDICT = 'V';
const RECORD = /^([\da-f]{8}) ([OHV]) (.*)$/;

/** One name for an attempt, the same in a note and in the ledger. */
export function attemptKey({ campaign, seq, attempt }: AttemptRef): string {
  return `${campaign} ${seq} ${attempt}`;
}

/** Writes records one after the other; belongs to one note. */
export class NoteWriter {
  #checksum = 0;

  owner(identity: WorkerIdentity, { worker, recorded }: { worker: number; recorded: number }): string {
    const { bootId, pidNamespace, pid, startTicks } = identity;
    const owner: Owner = { worker, bootId, pidNamespace, pid, startTicks, recorded };
    return this.#line(OWNER, JSON.stringify(owner));
  }

  handed(key: string): string {
    return this.#line(HANDED, key);
  }

  verdict(verdict: NotedVerdict): string {
    return this.#line(VERDICT, JSON.stringify(verdict));
  }

  #line(kind: string, words: string): string {
    this.#checksum = crc32(`${kind} ${words}\n`, this.#checksum);
    return `${this.#checksum.toString(16).padStart(8, '0')} ${kind} ${words}\n`;
  }
}

/**
 * Reads the note of a worker that is gone. Null: it proves nothing. It is empty, damaged before its last record, of
 * another process, or newer than this ledger, which then is a copy that was put back. A last record without its line end
 * was never finished, so its message was never handed over.
 */
export function readNote(text: string, worker: RegisteredWorker): LeftNote | null {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  lines.pop();
  const records = lines.map(recordIn);
  let checksum = 0;
  for (const record of records) {
    if (record === null) return null;
    checksum = crc32(`${record.kind} ${record.words}\n`, checksum);
    if (checksum !== record.checksum) return null;
  }
  const [first, ...rest] = records as NoteRecord[];
  return first === undefined || !isOwner(first, worker) ? null : gathered(rest);
}

interface NoteRecord {
  checksum: number;
  kind: string;
  words: string;
}

function recordIn(line: string): NoteRecord | null {
  const [, checksum = '', kind = '', words = ''] = RECORD.exec(line) ?? [];
  return kind === '' ? null : { checksum: Number.parseInt(checksum, 16), kind, words };
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
    else verdicts.push(JSON.parse(words) as NotedVerdict);
  }
  return { handed, verdicts };
}
