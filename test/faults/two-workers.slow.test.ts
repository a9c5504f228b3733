import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { checkRun, countState, leftSending } from './check.ts';
import { IN_FLIGHT, killInside, openStage, type Stage, type StartOptions } from './harness.ts';
import { KILL_AT_FIRST_CONNECTION, killAt } from './hooks.ts';
import { nextContacts, untilSettled } from './killing.ts';
import { campaignState, launchFor } from './orders.ts';
import { type Proxy, startProxy } from './proxy.ts';

test('two workers with money for 137 of 400 messages send 137, are never refused, pause, and go on after a top-up [M3 M2]', async () => {
  const prices = { 1: '0.80', 2: '0.80', 3: '0.80', 4: '0.80' };
  const stage = await openStage({
    sandbox: { prices, startBalance: '110.39' },
    env: { TUMA_PRICE: '0.80' },
  });
  const workers = [stage.serve('worker'), stage.serve('worker')];
  await Promise.all(workers.map((worker) => worker.printed(/serving/)));
  await launchFor(stage, ['--partial']);
  await waitFor(async () => (await campaignState(stage)).reason === 'balance', {
    what: 'the pause for balance',
  });
  const short = await checkRun(stage, { kills: 0, settled: false });
  expect(short).toMatchObject({ accepted: 137, sent: 137, uncertain: 0, queued: 263 });
  expect([...(await stage.provider.truth()).refused]).toEqual([]);
  await stage.provider.topUp('1000.00');
  await waitFor(() => countState(stage, 'sent') === 400, { what: '400 sent' });
  await Promise.all(workers.map((worker) => worker.stop('SIGTERM')));
  expect(await checkRun(stage, { kills: 0 })).toMatchObject({ accepted: 400, uncertain: 0 });
  expect([...(await stage.provider.truth()).refused]).toEqual([]);
});

test('of two workers one is killed; the other goes on, and what the dead one had on the wire is uncertain, never sent again [A13]', async () => {
  const stage = await openStage({ contacts: 1_200, gated: true });
  stage.gate.holdAfter(250);
  const [killed, survivor] = [stage.serve('worker'), stage.serve('worker,collector')];
  await Promise.all([killed, survivor].map((worker) => worker.printed(/serving/)));
  await launchFor(stage);
  await stage.gate.full(2);
  await killed.stop('SIGKILL');
  stage.gate.release();
  await waitFor(() => countState(stage, 'queued') + countState(stage, 'sending') === 0, {
    what: 'the survivor to finish',
  });
  await survivor.stop('SIGTERM');
  const findings = await checkRun(stage, { kills: 1 });
  expect(findings.uncertain).toBeGreaterThan(0);
  expect(findings.sent).toBe(1_200 - findings.uncertain);
});

/** Where one of two workers dies along the send protocol. */
interface Death {
  row: string;
  start: StartOptions;
  /** Resolves when it is time to kill it; without, it kills itself. */
  time?: (pid: number) => Promise<void>;
  /** Whether something was on the wire without a verdict, and so is uncertain afterwards; null: it may have been. */
  onWire: boolean | null;
  /** Whether the provider has accepted some of what is uncertain afterwards; null: it may have. */
  taken: boolean | null;
}

function deaths(stage: Stage, proxy: Proxy): Death[] {
  const env = { TUMA_MESSAGING_URL: `http://127.0.0.1:${proxy.port}` };
  const sendHeaders = killAt('undici:client:sendHeaders', 'after', 24);
  return [
    {
      row: 'claimed, not dispatched [A3]',
      start: { hook: killAt('claim', 'after', 1) },
      onWire: false,
      taken: false,
    },
    { row: 'connected [A4]', start: { hook: KILL_AT_FIRST_CONNECTION }, onWire: true, taken: false },
    {
      row: 'partly written [A5]',
      start: { env },
      time: () => proxy.cutRequest(40, 40),
      onWire: true,
      taken: null,
    },
    {
      row: 'written, not read [A6]',
      start: { env },
      time: (pid) => unread(stage, { pid, proxy }),
      onWire: null,
      taken: null,
    },
    { row: 'on the wire [A7]', start: { hook: sendHeaders }, onWire: true, taken: true },
    {
      row: 'answered, not buffered [A8]',
      start: { hook: killAt('send', 'after', 20) },
      onWire: true,
      taken: true,
    },
    {
      row: 'before the outcome [A9]',
      start: { hook: { ...killAt('recordOutcomes', 'before', 2), notBy: 'reaper' } },
      onWire: null,
      taken: null,
    },
    { row: 'inside the outcome [A10]', start: killInside('outcomes', 2), onWire: null, taken: null },
  ];
}

/** Nothing that the worker writes is read any more. */
async function unread(stage: Stage, { pid, proxy }: { pid: number; proxy: Proxy }): Promise<void> {
  await waitFor(() => leftSending(stage, pid) > 0, { what: 'its first claim' });
  proxy.blackHole();
}

test('of two workers one dies at each step of the protocol; the other sees every campaign through [A3 A4 A5 A6 A7 A8 A9 A10 A13]', async () => {
  const stage = await openStage({ contacts: 900 });
  const proxy = await startProxy(Number(new URL(stage.provider.url).port));
  const survivor = stage.serve('worker,collector');
  await survivor.printed(/serving/);
  let before = { accepted: 0, sent: 0, uncertain: 0 };
  for (const [index, { row, start, time, onWire, taken }] of deaths(stage, proxy).entries()) {
    const doomed = stage.serve('worker', start);
    await doomed.printed(/serving/);
    const itsTime = time?.(doomed.pid);
    nextContacts(stage);
    await launchFor(stage);
    await itsTime;
    if (itsTime !== undefined) await doomed.stop('SIGKILL');
    expect(await doomed.exited, row).toMatchObject({ signal: 'SIGKILL' });
    await untilSettled(stage);
    const now = await checkRun(stage, { kills: index + 1 });
    const uncertain = now.uncertain - before.uncertain;
    if (onWire !== null) expect(uncertain > 0, row).toBe(onWire);
    expect(uncertain, row).toBeLessThanOrEqual(IN_FLIGHT);
    // Its last verdicts are in doubt, and none of the survivor's are.
    const unknown = now.accepted - before.accepted - (now.sent - before.sent);
    if (taken !== null) expect(unknown > 0, row).toBe(taken);
    before = now;
  }
  await survivor.stop('SIGTERM');
});
