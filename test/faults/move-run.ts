import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ROOT, startProcess, type TestProcess } from '../support/processes.ts';
import { waitFor } from '../support/wait-for.ts';
import { leftSending } from './check.ts';
import { type Stage, writeContacts } from './harness.ts';
import { compareExports, type Launched, type Moved } from './move-check.ts';
import type { Seeded } from './seeds.ts';

/*
 * A ledger with an open campaign moves to Postgres, and its move is killed at moments that only chance decides. The home has
 * a large campaign that was canceled when a part of it was sent, and an open one whose worker was killed in the middle.
 */

/** An empty schema of a Postgres. The stage's settings hold its password. */
export interface Target {
  /** As `--to` takes it. */
  url: string;
  sql(text: string): Promise<Record<string, unknown>[]>;
}

export interface MovePlan {
  /** Of both campaigns; a tenth of them is in the open one. */
  messages: number;
  kills: number;
  random: Seeded;
  /** Where a copy of the home is moved first, undisturbed, to learn how long a move takes. */
  first: Target;
  target: Target;
  /** For each of the long waits. */
  timeoutMs: number;
}

/** What the undisturbed move took, and what the killed one came to. */
export interface MoveOutcome extends Moved {
  seconds: number;
  peakMb: number;
  rows: number;
  fileMb: number;
  killed: number;
}

/** A move may be faster than the first one. Its last steps are for moving.slow.test.ts, which kills it at each. */
const KILLED_UNTIL = 0.85;

/** Runs all of it, and fails with whatever contradicts the truth. */
export async function moveRun(stage: Stage, plan: MovePlan): Promise<MoveOutcome> {
  const campaigns = await fillHome(stage, plan);
  const measured = await moveCopy(stage, plan.first);
  // Slowly, so that the campaign is still open at the last kill.
  const rate = `${Math.max(5, Math.round(plan.messages / 50_000))}/s`;
  const worker = stage.serve('worker,collector', { env: { TUMA_RATE: rate } });
  await worker.printed(/serving/);
  const killed = await killMoves(stage, plan, measured.seconds * 1_000);
  await nothingGoesHere(stage, worker);
  await endThere(stage, plan);
  const there = { TUMA_DATABASE_URL: plan.target.url };
  const moved = await compareExports(stage, campaigns, there);
  return { ...measured, ...moved, killed };
}

/** Two campaigns: one of nine tenths that was canceled in the middle, and one whose worker was killed. */
async function fillHome(stage: Stage, { messages, timeoutMs }: MovePlan): Promise<Launched[]> {
  const open = Math.round(messages / 10);
  const large = await launch(stage, { contacts: messages - open, name: 'Earlier' });
  const worker = stage.serve('worker,collector');
  await stage.provider.accepted(Math.round(messages / 10), timeoutMs);
  expect(await stage.tuma(['cancel', large.id, '--yes'])).toMatchObject({ code: 0 });
  const small = await launch(stage, { contacts: open, name: 'Person' });
  const { accepted } = await stage.provider.stats();
  await stage.provider.accepted(accepted + Math.round(open / 5), timeoutMs);
  await worker.stop('SIGKILL');
  expect(leftSending(stage, worker.pid)).toBeGreaterThan(0);
  return [large, small];
}

async function launch(stage: Stage, contacts: { contacts: number; name: string }): Promise<Launched> {
  writeContacts(stage.directory, contacts);
  const { code, document, stderr } = await stage.tuma(['launch', 'job.yaml', '--yes']);
  expect(code, stderr).toBe(0);
  const { campaign, rows } = document as unknown as { campaign: { id: string }; rows: { planned: number } };
  return { id: campaign.id, planned: rows.planned };
}

/** Moves a copy of the home, with the messages that its killed worker has left. */
async function moveCopy(stage: Stage, target: Target) {
  const home = join(stage.directory, 'copy');
  mkdirSync(home, { mode: 0o700 });
  for (const name of ['ledger.db', 'ledger.db-wal', 'wire'])
    if (existsSync(join(stage.home, name)))
      cpSync(join(stage.home, name), join(home, name), { recursive: true });
  const begun = performance.now();
  const mover = startMove(stage, target, { TUMA_HOME: home, XDG_STATE_HOME: join(home, 'state') });
  const peakMb = await peakOf(mover);
  const { code } = await mover.exited;
  expect(code, mover.stderr()).toBe(0);
  const seconds = (performance.now() - begun) / 1_000;
  const { rows } = JSON.parse(mover.stdout()) as { rows: number };
  return { seconds, peakMb, rows, fileMb: statSync(join(home, 'ledger.db')).size / 2 ** 20 };
}

function startMove(stage: Stage, { url }: Target, env: Record<string, string> = {}): TestProcess {
  const words = ['migrate', '--to', url, '--json'];
  return startProcess(join(ROOT, 'bin/tuma'), words, {
    cwd: stage.directory,
    env: { ...stage.env, ...env },
  });
}

/** The most memory that the process had, once it has ended. Linux only; elsewhere 0. */
async function peakOf({ pid, exited }: TestProcess): Promise<number> {
  let peak = 0;
  const life = { over: false };
  void exited.then(() => (life.over = true));
  while (!life.over) {
    peak = Math.max(peak, peakKilobytes(pid));
    await sleep(50);
  }
  return peak / 1_024;
}

function peakKilobytes(pid: number): number {
  const status = `/proc/${pid}/status`;
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has just ended, or this is another system.
    return 0;
  }
}

/** How often the move was killed before it came to its end. In the middle it is taken back, and the file sends again. */
async function killMoves(stage: Stage, plan: MovePlan, wholeMs: number): Promise<number> {
  const { random, kills, target } = plan;
  const moments = Array.from({ length: kills }, () => random.next() * KILLED_UNTIL * wholeMs);
  let killed = 0;
  // The late ones come last, because a move that was faster than the first one ends all of it.
  for (const moment of moments.toSorted((one, other) => one - other)) {
    const mover = startMove(stage, target);
    const ended = await Promise.race([mover.exited, sleep(moment)]);
    if (ended !== undefined) {
      expect(ended.code, mover.stderr()).toBe(0);
      return killed;
    }
    await mover.stop('SIGKILL');
    killed += 1;
    await oneSideAtMost(stage, target);
    if (killed === Math.ceil(kills / 2)) await takeBack(stage);
  }
  const mover = startMove(stage, target);
  const { code } = await mover.exited;
  expect(code, mover.stderr()).toBe(0);
  return killed;
}

/** After a kill: Postgres is closed, and while the file is moving nothing is sent from it. */
async function oneSideAtMost(stage: Stage, { url }: Target): Promise<void> {
  const state = moveState(stage);
  if (state !== 'moved')
    expect(await stage.tuma(['status'], { env: { TUMA_DATABASE_URL: url } })).not.toMatchObject({ code: 0 });
  if (state === null || state === 'taken_back') return;
  await waitFor(() => onTheWire(stage) === 0, { what: 'the answers of what was on the wire' });
  const { accepted } = await stage.provider.stats();
  await sleep(300);
  expect((await stage.provider.stats()).accepted).toBe(accepted);
}

/** The file sends again, and is moved with messages on the wire again. */
async function takeBack(stage: Stage): Promise<void> {
  if (moveState(stage) !== 'moving') return;
  expect(await stage.tuma(['migrate', '--cancel'])).toMatchObject({ code: 0 });
  const { accepted } = await stage.provider.stats();
  await stage.provider.accepted(accepted + 10);
}

function moveState(stage: Stage): string | null {
  const state = ask(stage, "SELECT value ->> '$.state' AS state FROM fact WHERE name = 'move'")?.['state'];
  return typeof state === 'string' ? state : null;
}

function onTheWire(stage: Stage): number {
  return Number(ask(stage, 'SELECT total(in_flight) AS n FROM account')?.['n']);
}

/** Not by way of the product, which refuses a ledger that was moved. */
function ask(stage: Stage, question: string): Record<string, unknown> | undefined {
  const database = new DatabaseSync(stage.ledgerFile, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(question).get();
  } finally {
    database.close();
  }
}

/** The worker that ran all the time sends nothing more from the file, and a new one is refused. */
async function nothingGoesHere(stage: Stage, worker: TestProcess): Promise<void> {
  const { accepted } = await stage.provider.stats();
  expect(moveState(stage)).toBe('moved');
  const another = stage.serve('worker,collector', { flags: ['--json'] });
  expect((await another.exited).code).not.toBe(0);
  expect(another.stderr()).toContain('ledger_moved');
  expect((await stage.tuma(['resume', 'faults'])).stderr).toContain('ledger_moved');
  await worker.stop();
  expect((await stage.provider.stats()).accepted).toBe(accepted);
}

/** Workers send the rest from Postgres, and join every report. */
async function endThere(stage: Stage, { target, timeoutMs }: MovePlan): Promise<void> {
  const worker = stage.serve('worker,collector', { env: { TUMA_DATABASE_URL: target.url } });
  const none = async (what: string, question: string) =>
    waitFor(async () => (await target.sql(`${question} LIMIT 1`)).length === 0, { what, timeoutMs });
  await none('the open campaign to end', 'SELECT 1 FROM batch WHERE settled_at IS NULL');
  await waitFor(async () => (await stage.provider.stats()).reports.pending === 0, {
    what: 'all reports to be taken',
    timeoutMs,
  });
  await none('all reports to be read', 'SELECT 1 FROM webhook WHERE kind IS NULL');
  await worker.stop();
}
