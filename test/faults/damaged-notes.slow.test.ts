import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { TestProcess } from '../support/processes.ts';
import { PATIENCE_MS, waitFor } from '../support/wait-for.ts';
import { checkRun } from './check.ts';
import { CLAIM_LIMIT, openStage, type Stage } from './harness.ts';
import { keepOpen, settle } from './killing.ts';
import { seeded, type Seeded } from './seeds.ts';
import { addRun } from './summary.ts';
import { CONTAINER, noNamespaces } from './wire-kills.ts';

/* Wire notes and locks that are damaged while two workers send, and when one of them was killed. */

const DAMAGES = 50;
const ANSWER_MS = 25;

interface Victim {
  process: TestProcess;
  note: string;
}

/** What a damage may use. */
interface Scene {
  note: string;
  /** The note some messages ago. */
  older: Buffer;
  /** The note of the other worker. */
  other: string;
  random: Seeded;
}

const HOW: Record<string, (scene: Scene) => void> = {
  cut: ({ note, random }) => truncateSync(note, random.whole(0, sizeOf(note))),
  'cut by its last 1,800 bytes': ({ note }) => truncateSync(note, Math.max(0, sizeOf(note) - 1_800)),
  'put back': ({ note, older }) => writeFileSync(note, older),
  'put back over its beginning': ({ note, older }) =>
    writeFileSync(note, older.subarray(0, 4_096), { flag: 'r+' }),
  flipped: ({ note, random }) => {
    const bytes = readFileSync(note);
    if (bytes.length === 0) return;
    const at = random.whole(0, Math.min(600, bytes.length) - 1);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.whole(0, 7)), at);
    writeFileSync(note, bytes, { flag: 'r+' });
  },
  zeroed: ({ note, random }) => {
    const bytes = readFileSync(note);
    const from = random.whole(0, Math.min(600, bytes.length));
    const to = Math.min(bytes.length, from + random.whole(1, 4_096));
    writeFileSync(note, bytes.fill(0, from, to), { flag: 'r+' });
  },
  swapped: ({ note, other }) => {
    const [own, others] = [readFileSync(note), readFileSync(other)];
    writeFileSync(note, others, { flag: 'r+' });
    writeFileSync(other, own, { flag: 'r+' });
  },
  replaced: ({ note }) => replace(note),
  'locked anew': ({ note }) => replace(`${note}.lock`),
  unlocked: ({ note }) => rmSync(`${note}.lock`, { force: true }),
};

test(`${DAMAGES} damages of notes and locks, with kills of their workers, send nothing twice [A20]`, async () => {
  const random = seeded('damaged notes');
  const stage = await openStage({
    contacts: 24_000,
    sandbox: { latencyMs: ANSWER_MS },
    env: { TUMA_RATE: '400/s' },
  });
  await keepOpen(stage);
  const workers = [await begin(stage, false), await begin(stage, true)];
  let [kills, damages] = [0, 0];
  while (damages < DAMAGES) {
    const at = random.whole(0, 1);
    const pair = { victim: workers[at] as Victim, other: workers[1 - at] as Victim };
    const { killed, damaged } = await damageOne(stage, { ...pair, random });
    if (damaged) damages += 1;
    if (!killed) continue;
    kills += 1;
    workers[at] = await begin(stage, at === 1);
  }
  await Promise.all(workers.map(({ process }) => process.stop('SIGKILL')));
  await settle(stage);
  // Every killed worker may leave all its claims uncertain, because its note may prove nothing.
  const findings = await checkRun(stage, { kills: kills + 2, lostAnswers: (kills + 2) * CLAIM_LIMIT });
  expect(findings).toMatchObject({ double: 0, lost: 0 });
  addRun('damage of a wire note or its lock', findings, { runs: DAMAGES });
});

/** Starts a worker, in a process namespace of its own if that is wanted and possible, and finds its note. */
async function begin(stage: Stage, apart: boolean): Promise<Victim> {
  const before = latestWorker(stage);
  const process = stage.serve('worker', apart && !noNamespaces ? { under: CONTAINER } : {});
  const worker = await waitFor(() => Math.max(0, latestWorker(stage) - before) && latestWorker(stage), {
    what: 'a worker to register',
  });
  const note = join(stage.home, 'wire', String(worker));
  await waitFor(() => existsSync(note), { what: 'its note' });
  return { process, note };
}

function latestWorker({ ledgerFile }: Stage): number {
  const database = new DatabaseSync(ledgerFile, { readOnly: true, timeout: 5_000 });
  try {
    return Number(database.prepare('SELECT coalesce(max(id), 0) AS id FROM worker').get()?.['id']);
  } finally {
    database.close();
  }
}

/** Damages one worker's note in the middle of its sending, which another worker may have ended before. */
async function damageOne(
  stage: Stage,
  { victim, other, random }: { victim: Victim; other: Victim; random: Seeded },
): Promise<{ killed: boolean; damaged: boolean }> {
  const { accepted } = await stage.provider.stats();
  await untilAccepted(stage, accepted + random.whole(1, 60));
  // A worker whose lock was removed keeps no note any more.
  const older = existsSync(victim.note) ? readFileSync(victim.note) : Buffer.alloc(0);
  await untilAccepted(stage, accepted + random.whole(61, 120));
  const names = Object.keys(HOW);
  const how = names[random.whole(0, names.length - 1)] ?? '';
  const scene = { note: victim.note, older, other: other.note, random };
  const order = random.whole(0, 4);
  if (order > 1) await victim.process.stop('SIGKILL');
  const damaged = isDamaged(() => HOW[how]?.(scene));
  if (order === 1) await victim.process.stop('SIGKILL');
  return { killed: order > 0, damaged };
}

/** False: the reaper was here before, so there is nothing to damage. */
function isDamaged(damage: () => void): boolean {
  try {
    damage();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** A campaign is always under way. */
async function untilAccepted(stage: Stage, wanted: number): Promise<void> {
  const reached = async () => {
    await keepOpen(stage);
    return (await stage.provider.stats()).accepted >= wanted;
  };
  // The batches of a dead worker without a proof of its death rest for lease and grace.
  await waitFor(reached, { what: `${wanted} accepted messages`, timeoutMs: 3 * PATIENCE_MS });
}

function replace(path: string): void {
  copyFileSync(path, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

function sizeOf(path: string): number {
  return readFileSync(path).length;
}
