import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeTempDir } from '../support/temp-home.ts';
import type { Call } from './strace.ts';

/* What would be left of a ledger if the power went now: nothing but what a completed sync had put on the disk. */

/** What the ledger on the disk knows. */
export interface Survived {
  /** Numbers whose message is no longer queued. */
  begun: Set<string>;
  /** Bodies of stored webhooks. */
  webhooks: Set<string>;
}

/** What a recording showed. Empty `early` is what must be. */
export interface Order {
  /** Requests with a message, and acknowledged webhooks, in all. */
  messages: number;
  acknowledged: number;
  /** How often the log of the ledger was synced. */
  syncs: number;
  /** What left the process before it was on the disk. */
  early: string[];
}

class DiskFile {
  #bytes = Buffer.alloc(0);
  #kept = Buffer.alloc(0);

  write(offset: number, bytes: Buffer): void {
    const end = offset + bytes.length;
    if (end > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(end - this.#bytes.length)]);
    bytes.copy(this.#bytes, offset);
  }

  cut(length: number): void {
    this.#bytes = Buffer.from(this.#bytes.subarray(0, length));
  }

  sync(): void {
    this.#kept = Buffer.from(this.#bytes);
  }

  get kept(): Buffer {
    return this.#kept;
  }
}

/**
 * Goes through a recording and cuts the power at every message that leaves (I4) and at every 2xx (I6): what the ledger
 * on the disk must then know, it knows, or it is told by name.
 */
export function orderOf(calls: Call[], ledgerFile: string): Order {
  const disk = new Map([ledgerFile, `${ledgerFile}-wal`].map((file) => [file, new DiskFile()]));
  const order: Order = { messages: 0, acknowledged: 0, syncs: 0, early: [] };
  const asked = new Map<string, string>();
  let leaving: Leaving[] = [];
  const look = () => {
    if (leaving.length > 0) order.early.push(...missing(leaving, recover(disk)));
    leaving = [];
  };
  for (const call of calls) {
    if (call.is === 'received') asked.set(call.from, (asked.get(call.from) ?? '') + call.text);
    if (call.is === 'sent') leaving.push(...leavingWith(call, asked));
    const file = 'file' in call ? disk.get(ledgerName(call.file)) : undefined;
    if (file === undefined) continue;
    if (call.is === 'written') file.write(call.offset, call.bytes);
    if (call.is === 'cut') file.cut(call.length);
    if (call.is !== 'synced') continue;
    count(leaving, order);
    look();
    file.sync();
    order.syncs += 1;
  }
  count(leaving, order);
  look();
  return order;
}

/** A new ledger is written under another name, synced, and then linked to its own. */
function ledgerName(file: string): string {
  return file.replace(/\.\d+\.[\da-f]{8}\.new$/, '');
}

interface Leaving {
  what: 'message' | 'ack';
  /** The number of the message, or the body of the webhook. */
  of: string;
}

function leavingWith({ to, text }: Call & { is: 'sent' }, asked: Map<string, string>): Leaving[] {
  const messages = [...text.matchAll(/"mobile":"(\d+)"/g)].map(([, mobile = '']) => mobile);
  const request = asked.get(to) ?? '';
  const acks =
    /^HTTP\/1\.1 2\d\d/.test(text) && request.startsWith('POST /webhooks/') ? [bodyOf(request)] : [];
  if (text.startsWith('HTTP/1.1')) asked.delete(to);
  return [
    ...messages.map((of) => ({ what: 'message' as const, of })),
    ...acks.map((of) => ({ what: 'ack' as const, of })),
  ];
}

function bodyOf(request: string): string {
  return request.slice(request.indexOf('\r\n\r\n') + 4);
}

function count(leaving: Leaving[], order: Order): void {
  for (const { what } of leaving) {
    if (what === 'message') order.messages += 1;
    else order.acknowledged += 1;
  }
}

function missing(leaving: Leaving[], { begun, webhooks }: Survived): string[] {
  return leaving
    .filter(({ what, of }) => !(what === 'message' ? begun : webhooks).has(of))
    .map(({ what, of }) => `${what} ${of} left before it was on the disk`);
}

/** Opens what is on the disk as SQLite would after the power came back. */
function recover(disk: Map<string, DiskFile>): Survived {
  const directory = makeTempDir();
  const copy = join(directory, 'ledger.db');
  const [main, log] = [...disk.values()];
  writeFileSync(copy, main?.kept ?? '');
  writeFileSync(`${copy}-wal`, log?.kept ?? '');
  const database = new DatabaseSync(copy);
  try {
    return survivors(database);
  } finally {
    database.close();
    rmSync(directory, { recursive: true });
  }
}

/** Of a ledger that was not synced once, nothing is left. */
function survivors(database: DatabaseSync): Survived {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE name IN ('message', 'webhook')")
    .all();
  const texts = (sql: string) =>
    new Set(
      database
        .prepare(sql)
        .all()
        .map(({ text }) => String(text)),
    );
  if (tables.length < 2) return { begun: new Set(), webhooks: new Set() };
  return {
    begun: texts("SELECT mobile AS text FROM message WHERE state <> 'queued'"),
    webhooks: texts('SELECT CAST(body AS TEXT) AS text FROM webhook'),
  };
}
