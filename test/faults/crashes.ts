import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState } from './check.ts';
import { ended, IN_FLIGHT, killInside, openStage, type StartOptions } from './harness.ts';
import { type Hook, KILL_AT_FIRST_CONNECTION, killAt } from './hooks.ts';
import { leftBehind } from './left-behind.ts';

/* A campaign that is killed at one step of the send protocol after the other. */

/** A kill at one step, and what it may leave. */
export interface Crash {
  row: string;
  start: StartOptions;
  /** How many messages the sandbox may have accepted in this run. */
  accepted: 'none' | 'some' | 'any';
  /** How many messages of this run were claimed and never handed to the wire. */
  unsent: 'none' | 'some' | 'any';
  /** How many are on the wire, and nobody knows of any answer. */
  onWire: 'none' | 'some' | 'any';
  /** How many were answered, and the ledger does not know it: the process waits at its hook until one is noted. */
  judged?: 'some';
  /** Also in the quick suite. */
  quick?: true;
}

/** A file that never comes. */
const NEVER = join(makeTempDir(), 'never');

/** The worker's first record of an accepted message; the reaper's records are of the killed run before. */
const WAIT_BEFORE_OUTCOME: Hook = {
  at: 'recordOutcomes',
  when: 'before',
  nth: 1,
  holding: '"to":"sent"',
  notBy: 'reaper',
  does: 'wait',
  file: NEVER,
};

const NOTHING = { accepted: 'none', unsent: 'none', onWire: 'none' } as const;

/** Along the send protocol, in its order. */
export const CRASHES: Crash[] = [
  { row: 'activated, nothing queued [B2]', start: { hook: killAt('activate', 'after', 1) }, ...NOTHING },
  { row: 'before the claim [A1]', start: { hook: killAt('claim', 'before', 1) }, ...NOTHING },
  { row: 'inside the claim [A2]', start: killInside('claim', 1), ...NOTHING, quick: true },
  {
    row: 'claimed, not dispatched [A3]',
    start: { hook: killAt('claim', 'after', 1) },
    ...NOTHING,
    unsent: 'some',
    quick: true,
  },
  {
    row: 'connected [A4]',
    start: { hook: KILL_AT_FIRST_CONNECTION },
    ...NOTHING,
    unsent: 'some',
    onWire: 'some',
  },
  {
    row: 'on the wire [A7]',
    start: { hook: killAt('undici:client:sendHeaders', 'after', 24) },
    accepted: 'some',
    unsent: 'some',
    onWire: 'some',
    quick: true,
  },
  {
    row: 'answered, not buffered [A8]',
    start: { hook: killAt('send', 'after', 20) },
    accepted: 'some',
    unsent: 'any',
    onWire: 'some',
  },
  {
    row: 'before the outcome [A9]',
    start: { hook: WAIT_BEFORE_OUTCOME },
    accepted: 'some',
    unsent: 'any',
    onWire: 'any',
    judged: 'some',
    quick: true,
  },
  {
    row: 'inside the outcome [A10]',
    // Whether the verdicts of this turn of the event loop were noted by then is chance.
    start: killInside('outcomes', 3),
    accepted: 'some',
    unsent: 'any',
    onWire: 'any',
    quick: true,
  },
  {
    row: 'the outcome recorded [A11]',
    start: { hook: { ...killAt('recordOutcomes', 'after', 2), notBy: 'reaper' } },
    accepted: 'some',
    unsent: 'any',
    onWire: 'any',
  },
  {
    row: 'before the release [A11]',
    start: { hook: killAt('releaseBatch', 'before', 1) },
    accepted: 'any',
    unsent: 'any',
    onWire: 'any',
    quick: true,
  },
  {
    row: 'after the release [A12]',
    start: { hook: killAt('releaseBatch', 'after', 1) },
    accepted: 'any',
    unsent: 'any',
    onWire: 'any',
  },
];

/** Each run sends some, and the last one the rest. */
const CONTACTS_A_CRASH = 110;

/** One campaign, killed at each of these steps, and seen to its end. */
export async function killAtEach(crashes: readonly Crash[]): Promise<void> {
  const contacts = CONTACTS_A_CRASH * (crashes.length + 1);
  const stage = await openStage({ contacts });
  const all = { unsent: 0, onWire: 0 };
  for (const [index, { row, start, judged = 'any', ...expected }] of crashes.entries()) {
    const before = (await stage.provider.stats()).accepted;
    const child = stage.launch(start);
    if (judged === 'some') {
      const what = `an answer that is not recorded: ${row}`;
      // It waits after its reaper has settled what the run before had left.
      const waits = () => existsSync(`${NEVER}.${child.pid}`);
      await waitFor(() => waits() && leftBehind(stage).judged.length > 0, { what });
      await child.stop('SIGKILL');
    }
    expect(await ended(child), row).toMatchObject({ code: null, signal: 'SIGKILL' });
    await checkRun(stage, { kills: index + 1, settled: false });
    // What the previous run had on the wire was called uncertain by this one, and no more than that.
    expect(countState(stage, 'uncertain'), row).toBe(all.onWire);
    const left = leftBehind(stage);
    expect(left.onWire.length, row).toBeLessThanOrEqual(IN_FLIGHT);
    // What the killed process wrote may still be on its way to the provider.
    if (expected.accepted === 'some') await stage.provider.accepted(before + 1);
    const sent = (await stage.provider.stats()).accepted - before;
    const found = {
      unsent: left.unsent.length,
      onWire: left.onWire.length,
      judged: left.judged.length,
      accepted: sent,
    };
    for (const [what, wanted] of Object.entries({ ...expected, judged }))
      if (wanted === 'none' || wanted === 'some')
        expect(found[what as keyof typeof found] > 0, `${row}: ${what}`).toBe(wanted === 'some');
    all.unsent += found.unsent;
    all.onWire += found.onWire;
  }
  const last = await ended(stage.launch());
  const messages = { uncertain: all.onWire, taken_back: all.unsent };
  expect(last).toMatchObject({ code: all.onWire > 0 ? 3 : 0, document: { messages } });
  const findings = await checkRun(stage, { kills: crashes.length, report: last.document });
  expect(findings.sent + all.onWire).toBe(contacts);
}
