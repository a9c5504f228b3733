import {
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { ended, openStage, type Stage } from './harness.ts';
import { leftBehind } from './left-behind.ts';
import { launchFor } from './orders.ts';
import { seeded } from './seeds.ts';
import { CONTAINER, killWorkersSending, noNamespaces } from './wire-kills.ts';

test('a kill leaves uncertain what was on the wire, and everybody else is written to, in a restarted container too [A19]', async () => {
  const random = seeded('kills of a worker that sends');
  const { takenBack } = await killWorkersSending({ contacts: 1_200, kills: 2, random });
  expect(takenBack).toBeGreaterThan(0);
});

test.each<[string, Damage]>([
  ['of which a byte was changed', (note) => writeAt(note, Buffer.from([note.bytes.readUInt8(60) ^ 1]), 60)],
  ['that lost its end', (note) => truncateSync(note.path, 60)],
  ['that was emptied', (note) => truncateSync(note.path)],
  ['to which its content of before was put back', (note) => writeAt(note, note.older, 0)],
])(
  'a killed worker with a note %s leaves everything that it had claimed uncertain [A20]',
  async (_what, damage) => {
    const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
    stage.gate.holdAfter(200);
    await launchFor(stage);
    const worker = stage.serve('worker');
    await stage.provider.accepted(100);
    const path = noteIn(stage.home);
    const older = readFileSync(path);
    await stage.gate.full();
    await worker.stop('SIGKILL');
    stage.gate.release();
    await endsUncertain(stage, () => damage({ path, bytes: readFileSync(path), older }));
  },
);

test('a killed worker whose home was copied, and the copy goes on, leaves everything that it had claimed uncertain [A20]', async () => {
  const stage = await openStage({ sandboxHere: true, contacts: 600, gated: true });
  stage.gate.holdAfter(200);
  await launchFor(stage);
  const worker = stage.serve('worker');
  await stage.gate.full();
  await worker.stop('SIGKILL');
  stage.gate.release();
  await endsUncertain(
    stage,
    ({ home }) => cpSync(home, `${home}-copy`, { recursive: true, preserveTimestamps: true }),
    { TUMA_HOME: `${stage.home}-copy` },
  );
});

test.skipIf(noNamespaces)(
  'a living worker whose lock was replaced is not taken for dead by one in another process namespace [A19]',
  async () => {
    const stage = await openStage({ contacts: 3_000, sandbox: { latencyMs: 25 } });
    await launchFor(stage);
    const worker = stage.serve('worker');
    await stage.provider.accepted(50);
    const lock = `${noteIn(stage.home)}.lock`;
    copyFileSync(lock, `${lock}.copy`);
    renameSync(`${lock}.copy`, lock);
    const other = stage.serve('worker', { under: CONTAINER });
    await waitFor(() => countState(stage, 'sent') + countState(stage, 'uncertain') === stage.contacts, {
      what: 'both workers to send everything',
    });
    // The command that makes the namespace keeps signals to itself.
    await Promise.all([worker.stop('SIGTERM'), other.stop('SIGKILL')]);
    expect(await checkRun(stage, { kills: 0 })).toMatchObject({ double: 0, uncertain: 0, sent: 3_000 });
  },
);

/** Damages the note of a killed worker. */
type Damage = (note: { path: string; bytes: Buffer; older: Buffer }) => void;

function writeAt({ path }: { path: string }, bytes: Buffer, at: number): void {
  const descriptor = openSync(path, 'r+');
  writeSync(descriptor, bytes, 0, bytes.length, at);
  closeSync(descriptor);
}

/** Changes what the killed worker left, and sees the campaign through. */
async function endsUncertain(
  stage: Stage,
  change: (stage: Stage) => void,
  env: Record<string, string> = {},
): Promise<void> {
  const { unsent, onWire, judged } = leftBehind(stage);
  expect(unsent.length).toBeGreaterThan(0);
  change(stage);
  const last = await ended(stage.launch({ env }));
  const uncertain = unsent.length + onWire.length + judged.length;
  expect(last).toMatchObject({ code: 3, document: { messages: { uncertain, taken_back: 0 } } });
  const { acceptedByMobile } = await stage.provider.truth();
  expect([...acceptedByMobile.values()].filter((count) => count > 1)).toEqual([]);
}

/** The one note of a home. */
function noteIn(home: string): string {
  const [name = ''] = readdirSync(join(home, 'wire')).filter((each) => /^\d+$/.test(each));
  return join(home, 'wire', name);
}
