import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readAmount } from '../money.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { AcceptedEntry, InboundEntry, ReportEntry, TruthEntry } from './truth-entry.ts';

/** The sums of a truth log. Money in millionths of a shilling. */
export interface Truth {
  startBalanceMicro: number;
  topUpsMicro: number;
  /** Sum of the costs of all accepted messages. */
  chargedMicro: number;
  /** The balance now. */
  balanceMicro: number;
  acceptedCount: number;
  /** The last accepted message; null before the first. */
  last: AcceptedEntry | null;
  /** How often each international number was accepted. */
  acceptedByMobile: Map<string, number>;
  /** Accepted messages by `messageid`; two of them share one after `200_dup_id`. */
  messages: Map<string, AcceptedEntry[]>;
  /** Refusals by response code or HTTP status. */
  refused: Map<string, number>;
  /** Messages that were dropped without a clear answer. */
  ignoredCount: number;
  /** One entry for each report that ended. */
  reports: ReportEntry[];
  /** One entry for each message of a customer that ended. */
  inbound: InboundEntry[];
  /** Followed redirects with credentials in the body. Must be zero. */
  redirectsFollowed: number;
}

/** Reads a whole truth log. An incomplete last line is left out, because the sandbox may still be writing. */
export async function readTruth(file: string): Promise<Truth> {
  const truth = emptyTruth();
  for await (const entry of truthEntries(file)) count(truth, entry);
  truth.balanceMicro = truth.startBalanceMicro + truth.topUpsMicro - truth.chargedMicro;
  return truth;
}

/** The entries of a truth log, in their order. Throws a SandboxError with the place of a bad line. */
export async function* truthEntries(file: string): AsyncGenerator<TruthEntry> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  let previous: string | null = null;
  let number = 0;
  for await (const line of lines) {
    if (previous !== null) yield parseLine(previous, { file, number });
    previous = line;
    number += 1;
  }
  if (previous === null) return;
  const last = parseOrNull(previous);
  if (last !== null) yield last;
}

function parseLine(line: string, place: { file: string; number: number }): TruthEntry {
  const entry = parseOrNull(line);
  if (entry !== null) return entry;
  throw new SandboxError('truth_invalid', {
    message: 'A line of the truth log is damaged.',
    where: `${place.file}:${place.number}`,
    hint: 'Move the file away to begin a new one.',
  });
}

function parseOrNull(line: string): TruthEntry | null {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null || !('event' in entry)) return null;
    return entry as TruthEntry;
  } catch {
    return null;
  }
}

function emptyTruth(): Truth {
  return {
    startBalanceMicro: 0,
    topUpsMicro: 0,
    chargedMicro: 0,
    balanceMicro: 0,
    acceptedCount: 0,
    last: null,
    acceptedByMobile: new Map(),
    messages: new Map(),
    refused: new Map(),
    ignoredCount: 0,
    reports: [],
    inbound: [],
    redirectsFollowed: 0,
  };
}

function count(truth: Truth, entry: TruthEntry): void {
  switch (entry.event) {
    case 'start':
      truth.startBalanceMicro = amountOf(entry.balance);
      break;
    case 'accepted':
      countAccepted(truth, entry);
      break;
    case 'refused':
      increment(truth.refused, entry.code);
      break;
    case 'ignored':
      truth.ignoredCount += 1;
      break;
    case 'report':
      truth.reports.push(entry);
      break;
    case 'inbound':
      truth.inbound.push(entry);
      break;
    case 'topup':
      truth.topUpsMicro += amountOf(entry.amount);
      break;
    case 'redirect_followed':
      truth.redirectsFollowed += 1;
      break;
  }
}

function countAccepted(truth: Truth, entry: AcceptedEntry): void {
  truth.acceptedCount += 1;
  truth.last = entry;
  truth.chargedMicro += amountOf(entry.cost);
  increment(truth.acceptedByMobile, entry.mobile);
  const same = truth.messages.get(entry.messageid);
  if (same === undefined) truth.messages.set(entry.messageid, [entry]);
  else same.push(entry);
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function amountOf(text: string): number {
  return readAmount(text) ?? Number.NaN;
}
