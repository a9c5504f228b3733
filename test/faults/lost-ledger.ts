import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkRun, countState, type Findings } from './check.ts';
import { ended, IN_FLIGHT, openStage, type Stage } from './harness.ts';
import { launchFor } from './orders.ts';

/* The ledger's file is removed or replaced while a worker sends from it. */

const CONTACTS = 1_000;

/** Another ledger, which knows nothing of the campaign. */
async function anotherLedger(stage: Stage): Promise<string> {
  const home = join(stage.directory, 'other');
  await launchFor(stage, ['--home', home]);
  await stage.tuma(['backup', join(stage.directory, 'other.db'), '--home', home]);
  return join(stage.directory, 'other.db');
}

function rescued({ home }: Stage): string[] {
  return readdirSync(home).filter((name) => name.startsWith('ledger.rescued-') && name.endsWith('.db'));
}

/** What can happen to the file of a ledger that is in use. */
export const LOSSES: Record<string, (ledger: string, other: string) => void> = {
  removed: (ledger) => rmSync(ledger),
  'removed with its log': (ledger) => ['', '-wal', '-shm'].forEach((part) => rmSync(`${ledger}${part}`)),
  'moved away': (ledger) => renameSync(ledger, `${ledger}.away`),
  'replaced by another one': (ledger, other) => renameSync(other, ledger),
  'overwritten by another one': (ledger, other) => writeFileSync(ledger, readFileSync(other)),
  'overwritten by an older copy of itself': (ledger) => copyFileSync(`${ledger}.old`, ledger),
};

/**
 * A campaign whose ledger is lost in its middle. Nothing more is sent from it, nothing of it is lost, and nobody is sent to
 * twice when the rescued copy is put back as the error says.
 */
export async function loseLedger(how: string): Promise<Findings> {
  const stage = await openStage({ contacts: CONTACTS, gated: true });
  stage.gate.holdAfter(100);
  const other = await anotherLedger(stage);
  await launchFor(stage);
  await stage.tuma(['backup', `${stage.ledgerFile}.old`]);
  const worker = stage.serve('worker');
  await stage.gate.full();
  LOSSES[how]?.(stage.ledgerFile, other);
  await worker.printed(/nothing more is claimed/);
  stage.gate.release();
  const { code, stderr } = await ended(worker);
  expect(code, stderr).toBe(1);
  expect(stderr).toContain('removed or replaced while it was in use');
  const copy = onlyOf(rescued(stage));
  const { acceptedCount } = await stage.provider.truth();
  // What was on the wire was awaited, and nothing else was sent.
  expect(acceptedCount).toBe(100 + IN_FLIGHT);
  await isRefused(stage, copy);
  expect((await stage.provider.truth()).acceptedCount).toBe(acceptedCount);
  putBack(stage, copy);
  expect([countState(stage, 'sending'), countState(stage, 'sent')]).toEqual([0, acceptedCount]);
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 0, document: { messages: { sent: CONTACTS, uncertain: 0 } } });
  return checkRun(stage, { kills: 0, report: last.document });
}

/** `status` names the copy, and nothing is launched beside it. */
async function isRefused(stage: Stage, copy: string): Promise<void> {
  expect((await stage.tuma(['status'])).stderr).toContain(copy);
  const again = await ended(stage.launch());
  expect(again).toMatchObject({ code: 1, document: null, stderr: expect.stringContaining(copy) });
}

function onlyOf(names: string[]): string {
  expect(names).toHaveLength(1);
  return names[0] ?? '';
}

/** As the error says. */
function putBack({ home, ledgerFile }: Stage, copy: string): void {
  if (existsSync(ledgerFile)) rmSync(ledgerFile);
  renameSync(join(home, copy), ledgerFile);
}
