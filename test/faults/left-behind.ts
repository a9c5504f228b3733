import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Stage } from './harness.ts';

/* What killed workers left: messages that are `sending`, and the wire notes, read here without the product's reader. */

/** The attempts that are `sending` now (campaign, seq, number), by how far they came. */
export interface LeftBehind {
  /** Claimed, and never handed to the wire: they go back to the queue. */
  unsent: string[];
  /** Handed to the wire without a verdict that was noted: each becomes uncertain. */
  onWire: string[];
  /** Answered, and not recorded in the ledger: the noted verdict counts. */
  judged: string[];
}

export function leftBehind(stage: Stage): LeftBehind {
  const { handed, judged } = notesOf(stage);
  const left: LeftBehind = { unsent: [], onWire: [], judged: [] };
  for (const attempt of attemptsIn(stage, 'sending')) {
    if (judged.has(attempt)) left.judged.push(attempt);
    else if (handed.has(attempt)) left.onWire.push(attempt);
    else left.unsent.push(attempt);
  }
  return left;
}

function notesOf({ home }: Stage): { handed: Set<string>; judged: Set<string> } {
  const folder = join(home, 'wire');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+$/.test(name)) : [];
  const notes = names.map((name) => noteIn(readFileSync(join(folder, name))));
  return {
    handed: new Set(notes.flatMap(({ handed }) => handed)),
    judged: new Set(notes.flatMap(({ judged }) => judged)),
  };
}

/** The first verdict, and the distance from one to the next. */
const [SLOTS_AT, SLOT_BYTES] = [131_072, 4_096];

/** A status block of 44 bytes, the owner and twelve bytes for each attempt; and far behind it the verdicts. */
function noteIn(bytes: Buffer): { handed: string[]; judged: string[] } {
  const found: { handed: string[]; judged: string[] } = { handed: [], judged: [] };
  if (bytes.length === 0) return found;
  const from = 44 + bytes.readUInt32LE(40);
  for (let at = from; at < bytes.readUInt32LE(4); at += 12) {
    const name = [0, 4, 8].map((field) => bytes.readUInt32LE(at + field)).join(' ');
    if (name === '0 0 0') continue;
    found.handed.push(name);
    if (verdictAt(bytes, SLOTS_AT + ((at - from) / 12) * SLOT_BYTES) === name) found.judged.push(name);
  }
  return found;
}

/** The attempt that a verdict names; an empty text: there is none. */
function verdictAt(bytes: Buffer, at: number): string {
  if (bytes.length < at + 8) return '';
  const [outcome] = JSON.parse(bytes.toString('utf8', at + 8, at + 8 + bytes.readUInt32LE(at + 4)) || '[{}]');
  const named = [outcome.campaign, outcome.seq, outcome.attempt];
  return (Array.isArray(outcome) ? outcome.slice(0, 3) : named).join(' ');
}

/** The attempts of messages that are uncertain now. */
export function uncertainIn(stage: Stage): string[] {
  return attemptsIn(stage, 'uncertain');
}

function attemptsIn({ ledgerFile }: Stage, state: 'sending' | 'uncertain'): string[] {
  const database = new DatabaseSync(ledgerFile, { readOnly: true, timeout: 5_000 });
  try {
    const found = database.prepare(
      "SELECT campaign || ' ' || seq || ' ' || attempt AS name FROM message WHERE state = ?",
    );
    return found.all(state).map(({ name }) => String(name));
  } finally {
    database.close();
  }
}
