import type { SQLInputValue } from 'node:sqlite';
import { type Client, Query } from 'pg';
import { type ParameterType, toPostgres } from '../postgres/values.ts';

/* COPY … FROM STDIN, by which rows cross several times faster than by INSERT. */

/** What a connection of `pg` can do besides; its types leave it out. */
interface CopyingConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** A COPY statement with its rows. `pg` speaks that part of the protocol, but has no statement for it. */
class CopyIn extends Query {
  readonly #rows: Buffer;

  constructor(text: string, rows: Buffer, done: (error: Error | null | undefined) => void) {
    super(text, done);
    this.#rows = rows;
  }

  /** `pg` calls it when the server is ready for the rows. */
  handleCopyInResponse(connection: CopyingConnection): void {
    connection.sendCopyFromChunk(this.#rows);
    connection.endCopyFrom();
  }
}

/** Runs one COPY with these lines (`copyLine`). */
export async function copyIn(client: Client, text: string, lines: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    client.query(new CopyIn(text, lines, (error) => (error instanceof Error ? reject(error) : resolve())));
  });
}

/** Lines for one COPY. Texts that grow to this size would be copied by the garbage collector again and again. */
export class Lines {
  #bytes: Buffer;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  /** False: it does not fit beside those that are there. */
  add(line: string): boolean {
    // A character takes three bytes at most.
    const most = line.length * 3;
    if (this.#used + most > this.#bytes.length) {
      if (this.#used > 0) return false;
      this.#bytes = Buffer.allocUnsafe(most);
    }
    this.#used += this.#bytes.write(line, this.#used);
    return true;
  }

  /** The lines so far. They are good until the next is added. */
  taken(): Buffer {
    const lines = this.#bytes.subarray(0, this.#used);
    this.#used = 0;
    return lines;
  }
}

/** A row as COPY reads it in its text form. */
export function copyLine(row: readonly SQLInputValue[], types: readonly ParameterType[]): string {
  let line = '';
  for (let at = 0; at < row.length; at += 1)
    line += `${at === 0 ? '' : '\t'}${field(toPostgres(row[at] ?? null, types[at]))}`;
  return `${line}\n`;
}

const SPECIAL = /[\\\b\f\n\r\t\v]/;
const SPECIALS = /[\\\b\f\n\r\t\v]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

function field(value: unknown): string {
  if (value === null) return '\\N';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string')
    return SPECIAL.test(value) ? value.replaceAll(SPECIALS, (each) => ESCAPES[each] ?? each) : value;
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`;
  throw new TypeError(`SQLite gives no value of the type ${typeof value}`);
}
