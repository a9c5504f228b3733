import { expect } from 'vitest';
import { acceptedWhileSending, checkRun, countState } from './check.ts';
import { CLAIM_LIMIT, ended, killInside, openStage, type StartOptions } from './harness.ts';
import { KILL_AT_FIRST_CONNECTION, killAt } from './hooks.ts';

/* A campaign that is killed at one step of the send protocol after the other. */

/** A kill at one step, and what it may leave. */
export interface Crash {
  row: string;
  start: StartOptions;
  /** How many messages the sandbox may have accepted in this run. */
  accepted: 'none' | 'some' | 'any';
  /** How many messages of this run are left `sending`. */
  sending: 'none' | 'some' | 'any';
  /** Whether some of those left were accepted, which nobody here knows: the ones that must not go again. */
  taken?: true;
  /** Also in the quick suite. */
  quick?: true;
}

/** Along the send protocol, in its order. */
export const CRASHES: Crash[] = [
  {
    row: 'B2 activated, nothing queued',
    start: { hook: killAt('activate', 'after', 1) },
    accepted: 'none',
    sending: 'none',
  },
  {
    row: 'A1 before the claim',
    start: { hook: killAt('claim', 'before', 1) },
    accepted: 'none',
    sending: 'none',
  },
  {
    row: 'A2 inside the claim',
    start: killInside('claim', 1),
    accepted: 'none',
    sending: 'none',
    quick: true,
  },
  {
    row: 'A3 claimed, not dispatched',
    start: { hook: killAt('claim', 'after', 1) },
    accepted: 'none',
    sending: 'some',
    quick: true,
  },
  {
    row: 'A4 connected',
    start: { hook: KILL_AT_FIRST_CONNECTION },
    accepted: 'none',
    sending: 'some',
  },
  {
    row: 'A7 on the wire',
    start: { hook: killAt('undici:client:sendHeaders', 'after', 24) },
    accepted: 'some',
    sending: 'some',
    taken: true,
    quick: true,
  },
  {
    row: 'A8 answered, not buffered',
    start: { hook: killAt('send', 'after', 20) },
    accepted: 'some',
    sending: 'some',
    taken: true,
  },
  {
    row: 'A9 before the outcome',
    start: { hook: killAt('recordOutcomes', 'before', 2) },
    accepted: 'some',
    sending: 'some',
    taken: true,
    quick: true,
  },
  {
    row: 'A10 inside the outcome',
    start: killInside('outcomes', 2),
    accepted: 'some',
    sending: 'some',
    taken: true,
    quick: true,
  },
  {
    row: 'A11 the outcome recorded',
    start: { hook: killAt('recordOutcomes', 'after', 3) },
    accepted: 'some',
    sending: 'any',
  },
  {
    row: 'A11 before the release',
    start: { hook: killAt('releaseBatch', 'before', 1) },
    accepted: 'any',
    sending: 'any',
    quick: true,
  },
  {
    row: 'A12 after the release',
    start: { hook: killAt('releaseBatch', 'after', 1) },
    accepted: 'any',
    sending: 'any',
  },
];

const CONTACTS = 1_500;

/** One campaign, killed at each of these steps, and seen to its end. */
export async function killAtEach(crashes: readonly Crash[]): Promise<void> {
  const stage = await openStage({ contacts: CONTACTS });
  let uncertain = 0;
  for (const [index, { row, start, accepted, sending, taken = false }] of crashes.entries()) {
    const before = (await stage.provider.stats()).accepted;
    expect(await ended(stage.launch(start)), row).toMatchObject({ code: null, signal: 'SIGKILL' });
    const left = countState(stage, 'sending');
    await checkRun(stage, { kills: index + 1, settled: false });
    if (taken) expect(await acceptedWhileSending(stage), row).toBeGreaterThan(0);
    if (accepted === 'none') expect(await acceptedWhileSending(stage), row).toBe(0);
    // The previous run's leftovers were called uncertain, none of them queued, by this one.
    expect(countState(stage, 'uncertain'), row).toBe(uncertain);
    uncertain += left;
    const sent = (await stage.provider.stats()).accepted - before;
    expect(left, row).toBeLessThanOrEqual(CLAIM_LIMIT);
    if (sending !== 'any') expect(left > 0, row).toBe(sending === 'some');
    if (accepted !== 'any') expect(sent > 0, row).toBe(accepted === 'some');
  }
  const last = await ended(stage.launch());
  expect(last).toMatchObject({ code: 3, document: { messages: { uncertain } } });
  const findings = await checkRun(stage, { kills: crashes.length, report: last.document });
  expect(findings.sent + uncertain).toBe(CONTACTS);
}
