import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, openStage, type Stage, type StartOptions } from './harness.ts';
import { leftBehind } from './left-behind.ts';
import { launchFor } from './orders.ts';
import { seeded } from './seeds.ts';
import { killWorkersSending } from './wire-kills.ts';

test('a kill leaves uncertain what was on the wire, and everybody else is written to, in a restarted container too [A19]', async () => {
  const random = seeded('kills of a worker that sends');
  const { takenBack } = await killWorkersSending({ contacts: 1_200, kills: 2, random });
  expect(takenBack).toBeGreaterThan(0);
});

test.each<[string, (stage: Stage) => Partial<StartOptions>]>([
  [
    'whose note was damaged',
    ({ home }) => {
      const note = noteIn(home);
      const bytes = readFileSync(note);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(note, bytes);
      return {};
    },
  ],
  [
    'whose home was copied, and the copy goes on',
    ({ home }) => {
      cpSync(home, `${home}-copy`, { recursive: true, preserveTimestamps: true });
      return { env: { TUMA_HOME: `${home}-copy` } };
    },
  ],
])('a killed worker %s leaves everything that it had claimed uncertain [A20]', async (_what, change) => {
  const stage = await openStage({ sandboxHere: true, contacts: 600 });
  await launchFor(stage);
  const worker = stage.serve('worker');
  await stage.provider.accepted(200);
  await worker.stop('SIGKILL');
  const { unsent, onWire, judged } = leftBehind(stage);
  expect(unsent.length).toBeGreaterThan(0);
  const last = await ended(stage.launch(change(stage)));
  const uncertain = unsent.length + onWire.length + judged.length;
  expect(last).toMatchObject({ code: 3, document: { messages: { uncertain, taken_back: 0 } } });
  const { acceptedByMobile } = await stage.provider.truth();
  expect([...acceptedByMobile.values()].filter((count) => count > 1)).toEqual([]);
});

/** The one note of a home. */
function noteIn(home: string): string {
  const [name = ''] = readdirSync(join(home, 'wire')).filter((each) => /^\d+$/.test(each));
  return join(home, 'wire', name);
}
