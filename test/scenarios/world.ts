import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { type AcceptedEntry } from '../../src/sandbox/truth/truth-entry.ts';
import { truthEntries } from '../../src/sandbox/truth/truth.ts';
import type { CampaignDocument, Stage } from '../faults/harness.ts';
import type { Hook } from '../faults/hooks.ts';

/* Days and months of campaigns in real processes: the stage of the fault tests, with a clock that jumps. */

/** Writes a file beside the job of the stage. */
export function write(stage: Stage, name: string, content: string): void {
  writeFileSync(join(stage.directory, name), content);
}

/** `tuma launch JOB --yes`, which must succeed. */
export async function launch(stage: Stage, job: string, flags: string[] = []): Promise<CampaignDocument> {
  return document(stage, ['launch', job, '--yes', ...flags]);
}

/** What a command that must succeed prints with --json. */
export async function document(stage: Stage, args: string[]): Promise<CampaignDocument> {
  const { code, document: printed, stderr } = await stage.tuma(args);
  if (code !== 0 || printed === null) throw new Error(`tuma ${args.join(' ')} ended with ${code}: ${stderr}`);
  return printed;
}

/** A launch that is killed at the hook. */
export async function killedLaunch(stage: Stage, job: string, hook: Hook): Promise<void> {
  const ended = await stage.tuma(['launch', job, '--yes'], { hook });
  expect(ended).toMatchObject({ code: null, signal: 'SIGKILL', document: null });
}

/** What the sandbox accepted, in that order. */
export async function acceptedInOrder(stage: Stage): Promise<AcceptedEntry[]> {
  const accepted: AcceptedEntry[] = [];
  for await (const entry of truthEntries(stage.provider.truthFile))
    if (entry.event === 'accepted') accepted.push(entry);
  return accepted;
}

/** When each message was claimed last, by the ledger, milliseconds UTC. */
export function claimTimes(stage: Stage): number[] {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true });
  try {
    const rows = database.prepare('SELECT claimed_at FROM message WHERE claimed_at IS NOT NULL').all();
    return rows.map((row) => Number(row['claimed_at']));
  } finally {
    database.close();
  }
}

/** `tuma verify` of the whole ledger finds nothing. */
export async function verified(stage: Stage): Promise<void> {
  expect(await document(stage, ['verify'])).toMatchObject({ violations: [] });
}
