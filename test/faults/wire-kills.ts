import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, type Findings } from './check.ts';
import { IN_FLIGHT, openStage, type Stage, type StartOptions } from './harness.ts';
import { nextContacts, settle } from './killing.ts';
import { leftBehind, uncertainIn } from './left-behind.ts';
import { launchFor } from './orders.ts';
import type { Seeded } from './seeds.ts';

/* Kills of workers that are sending, in a process namespace of their own now and then, as a restarted container has one. */

/** Milliseconds that an answer takes. */
const ANSWER_MS = 25;
/** Far less than lease and grace, which a worker of another namespace waited for before. */
const TAKEN_BACK_MS = 15_000;
/** Runs a command in a process namespace of its own, as a container does. */
export const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL'];

/** No process may have a namespace of its own here. Why, is printed. */
export const noNamespaces = refused();

function refused(): boolean {
  const { status, error, stderr } = spawnSync(CONTAINER[0] as string, [...CONTAINER.slice(1), 'true']);
  if (status === 0) return false;
  console.log(`process namespaces are not tested: ${error?.message ?? String(stderr).trim()}`);
  return true;
}

/** What so many kills came to. */
export interface WireKills {
  findings: Findings;
  /** Most messages that one kill left on the wire. */
  mostOnWire: number;
  /** Messages that went back to the queue, never sent. */
  takenBack: number;
}

/**
 * Kills so many workers of one campaign in its middle, every third in a process namespace of its own, and sees it through.
 * Uncertain is exactly what was on the wire when its worker was killed.
 */
export async function killWorkersSending(plan: {
  contacts: number;
  kills: number;
  random: Seeded;
}): Promise<WireKills> {
  const { contacts, kills, random } = plan;
  const stage = await openStage({ contacts, sandbox: { latencyMs: ANSWER_MS }, gated: true });
  nextContacts(stage);
  await launchFor(stage);
  const onWire: string[] = [];
  const total = { mostOnWire: 0, takenBack: 0 };
  for (let kill = 0; kill < kills; kill += 1) {
    const left = await killOne(stage, { random, most: Math.floor(contacts / kills / 2), nth: kill });
    expect(left.onWire.length).toBeLessThanOrEqual(IN_FLIGHT);
    onWire.push(...left.onWire);
    total.mostOnWire = Math.max(total.mostOnWire, left.onWire.length);
    total.takenBack += left.unsent.length;
  }
  await settle(stage);
  expect(uncertainIn(stage).toSorted()).toEqual(onWire.toSorted());
  const { document } = await stage.tuma(['report', 'faults']);
  expect(document?.messages['taken_back']).toBe(total.takenBack);
  const findings = await checkRun(stage, { kills, report: document });
  expect(findings.sent + findings.uncertain).toBe(contacts);
  return { findings, ...total };
}

async function killOne(
  stage: Stage,
  { random, most, nth }: { random: Seeded; most: number; nth: number },
): Promise<ReturnType<typeof leftBehind>> {
  const { accepted } = await stage.provider.stats();
  const before = leftBehind(stage);
  // A test that is slow to kill finds the worker waiting, and not done.
  stage.gate.holdAfter(most);
  const options: StartOptions = nth % 3 === 1 && !noNamespaces ? { under: CONTAINER } : {};
  const worker = stage.serve('worker', options);
  // What the one before left is settled at once, whichever namespace either of them lives in.
  await waitFor(() => before.unsent.every((attempt) => !leftBehind(stage).unsent.includes(attempt)), {
    what: 'the messages of the dead worker to go back',
    timeoutMs: TAKEN_BACK_MS,
  });
  await stage.provider.accepted(accepted + random.whole(1, most));
  await worker.stop('SIGKILL');
  stage.gate.release();
  expect(countState(stage, 'queued')).toBeGreaterThan(0);
  return leftBehind(stage);
}
