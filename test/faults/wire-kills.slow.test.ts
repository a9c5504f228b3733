import { expect, test } from 'vitest';
import { seeded } from './seeds.ts';
import { addRun } from './summary.ts';
import { killWorkersSending } from './wire-kills.ts';

const KILLS = 12;

test('12 kills of a campaign of 20,000 leave uncertain only what was on the wire [A19]', async () => {
  const random = seeded('kills of a worker that sends 20,000');
  const { findings, takenBack } = await killWorkersSending({ contacts: 20_000, kills: KILLS, random });
  expect(takenBack).toBeGreaterThan(0);
  addRun('SIGKILL of a worker that sends, 1 in 3 in a container', findings, { runs: KILLS });
});
