import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerHere } from './ledger-here.ts';
import { makeTempDir } from './temp-home.ts';

/* A new ledger is copied: to make its schema takes longer than what most tests ask of it. */

let template: { bytes: Buffer; idAt: number } | null = null;

/** Makes a new ledger in a folder of its own, with an identity of its own, and answers its file. */
export async function newLedgerFile(directory = makeTempDir()): Promise<string> {
  template ??= await made();
  const copy = Buffer.from(template.bytes);
  copy.write(randomUUID(), template.idAt, 'latin1');
  const file = join(directory, 'ledger.db');
  writeFileSync(file, copy, { mode: 0o600 });
  return file;
}

async function made(): Promise<{ bytes: Buffer; idAt: number }> {
  const file = join(makeTempDir(), 'ledger.db');
  await (await openLedgerHere(file)).close();
  const bytes = readFileSync(file);
  const [id = ''] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(bytes.toString('latin1')) ?? [];
  return { bytes, idAt: bytes.indexOf(id, 0, 'latin1') };
}
