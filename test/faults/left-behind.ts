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

function noteIn(bytes: Buffer): { handed: string[]; judged: string[] } {
  const handed = handedIn(bytes);
  const judged = handed.filter((name, place) => verdictAt(bytes, SLOTS_AT + place * SLOT_BYTES) === name);
  return { handed: handed.filter((name) => name !== FREE), judged };
}

const FREE = '0 0 0';

/** The places of a status block: 48 bytes, and twelve bytes for each attempt; the verdicts are far behind. */
export function handedIn(block: Buffer): string[] {
  if (block.length === 0) return [];
  const places = Array.from({ length: (block.readUInt32LE(4) - 48) / 12 }, (_, place) => 48 + place * 12);
  return places.map((at) => [0, 4, 8].map((field) => block.readUInt32LE(at + field)).join(' '));
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
