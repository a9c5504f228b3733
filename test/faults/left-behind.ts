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
  const lines = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
  const handed = new Set<string>();
  const judged = new Set<string>();
  for (const line of lines) {
    const [, kind = '', words = ''] = /^([HV]) (.*)$/.exec(line) ?? [];
    if (kind === 'H') handed.add(words);
    if (kind !== 'V') continue;
    const [outcome] = JSON.parse(words);
    const named = [outcome.campaign, outcome.seq, outcome.attempt];
    judged.add((Array.isArray(outcome) ? outcome.slice(0, 3) : named).join(' '));
  }
  return { handed, judged };
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
