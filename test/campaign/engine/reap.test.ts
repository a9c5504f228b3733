import { expect, it } from 'vitest';
import type { Processes, WireFiles } from '../../../src/campaign/env.ts';
import { reapDead } from '../../../src/campaign/maintenance/reap.ts';
import { type NotedVerdict, slotAt, slotOf, StatusBlock } from '../../../src/campaign/sending/wire-format.ts';
import type { AttemptRef, Outcome, OutcomeRecord } from '../../../src/ledger/contracts/sending.ts';
import { type Engine, NO_NOTES, openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** A lease of a minute, and half a minute of grace. */
const TAKEN_FOR_DEAD_AFTER_MS = 90_000;
const HELD = 5;
const SILENT_IDENTITY = { bootId: 'boot', pidNamespace: 'elsewhere', pid: 7, startTicks: '1' };

/** A worker that holds claimed messages and gives no sign of life any more. Answers its number, and when the last one was. */
async function silentWorker(engine: Engine): Promise<{ worker: number; lastSign: number }> {
  const now = engine.clock.now();
  const worker = await engine.ledger.registerWorker({ ...SILENT_IDENTITY, roles: 'worker' }, now);
  const [due] = await engine.ledger.dueBatches({ now, perCampaign: 1 });
  const lease = await engine.ledger.leaseBatch({
    batch: due?.batch ?? 0,
    epoch: due?.epoch ?? 0,
    worker,
    now,
    leaseMs: 60_000,
  });
  const claim = await engine.ledger.claim({
    batch: due?.batch ?? 0,
    epoch: lease?.epoch ?? 0,
    worker,
    limit: HELD,
    fromSeq: 1,
    now,
    windowClosesAt: null,
    ceilingMicro: 1e15,
    priceMicro: 800_000,
    claimNumber: 1,
    accountRate: null,
  });
  expect(claim.messages).toHaveLength(HELD);
  const lastSign = now + 1_234;
  expect(await engine.ledger.heartbeat(worker, lastSign)).toBe(true);
  return { worker, lastSign };
}

it.each(['unknown', 'alive'] as const)(
  'a worker that cannot be proven dead (%s) is taken for dead when lease and grace are over, and not a millisecond before [A13]',
  async (fate) => {
    const engine = await openEngine();
    const campaign = await engine.launch(20);
    const { worker, lastSign } = await silentWorker(engine);
    const processes: Processes = {
      self: () => ({ bootId: 'boot', pidNamespace: 'here', pid: 8, startTicks: '1', roles: 'worker' }),
      fate: () => fate,
    };
    const env = engine.env(new ScriptedProvider(), processes);
    const reapAt = (now: number) => reapDead({ ...env, clock: { ...engine.clock, now: () => now } }, null);
    const states = async () => {
      const { messages } = await engine.reader.overview(campaign.n);
      return [messages.sending, messages.uncertain, messages.queued];
    };
    expect(await reapAt(lastSign + TAKEN_FOR_DEAD_AFTER_MS)).toBe(0);
    expect(await states()).toEqual([HELD, 0, 20 - HELD]);
    expect(await engine.ledger.heartbeat(worker, lastSign)).toBe(true);
    expect(await reapAt(lastSign + TAKEN_FOR_DEAD_AFTER_MS + 1)).toBe(HELD);
    expect(await states()).toEqual([0, HELD, 20 - HELD]);
    expect(await engine.ledger.heartbeat(worker, lastSign)).toBe(false);
  },
);

/** The note of a worker of that boot which handed some of its messages over; its lock is free. */
function noteOf(
  worker: number,
  { handed, verdict }: { handed: AttemptRef[]; verdict?: NotedVerdict },
): WireFiles & { removed: boolean } {
  const block = new StatusBlock({ worker, file: 'file' });
  for (const attempt of handed) block.take(attempt);
  const bytes = Buffer.alloc(slotAt(1));
  block.sealed({ writes: 1, writtenAt: 1_000, asked: 1, recorded: 0 }).copy(bytes);
  // The verdict is of the message in the first place.
  if (verdict !== undefined) slotOf(verdict, 'file')?.copy(bytes, slotAt(0));
  const wire = {
    ...NO_NOTES,
    removed: false,
    inherit: () => ({
      state: 'left' as const,
      file: { bytes, identity: 'file', changedAt: 1_000, counted: 1, countedAt: 1_000 },
      release: ({ remove }: { remove: boolean }) => void (wire.removed = remove),
    }),
  };
  return wire;
}

it.each([
  ['this boot is dead at once, wherever it lived, and what it never handed to the wire goes back', 'boot', 1],
  [
    'another boot proves nothing: when its lease is over, everything that it had claimed is uncertain',
    'later',
    HELD,
  ],
])('a worker whose lock is free of %s [A19, A20]', async (_what, bootId, uncertain) => {
  const engine = await openEngine();
  const campaign = await engine.launch(20);
  const { worker, lastSign } = await silentWorker(engine);
  const wire = noteOf(worker, { handed: [{ campaign: campaign.n, seq: 1, attempt: 1 }] });
  const self = () => ({ bootId, pidNamespace: 'here', pid: 8, startTicks: '1', roles: 'worker' });
  const env = { ...engine.env(new ScriptedProvider(), { self, fate: () => 'unknown' }), wire };
  const reapAt = (now: number) => reapDead({ ...env, clock: { ...engine.clock, now: () => now } }, null);
  const isKnown = bootId === 'boot';
  expect(await reapAt(lastSign)).toBe(isKnown ? 1 : 0);
  expect(wire.removed).toBe(isKnown);
  expect(await reapAt(lastSign + TAKEN_FOR_DEAD_AFTER_MS + 1)).toBe(isKnown ? 0 : HELD);
  const { messages, takenBack } = await engine.reader.overview(campaign.n);
  expect([messages.sending, messages.uncertain, takenBack]).toEqual([0, uncertain, HELD - uncertain]);
  expect(await engine.reader.violations(null)).toEqual([]);
});

it('a noted verdict that the ledger takes from nobody is uncertain, and costs no other message anything [A19]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(20);
  const { worker, lastSign } = await silentWorker(engine);
  const wire = noteOf(worker, { handed: [{ campaign: campaign.n, seq: 1, attempt: 1 }] });
  const self = () => ({ bootId: 'boot', pidNamespace: 'here', pid: 8, startTicks: '1', roles: 'worker' });
  const ledger = {
    ...engine.ledger,
    recordOutcomes: async (record: OutcomeRecord) => {
      if (record.outcomes.some(({ seq }) => seq === 3)) throw new Error('refused');
      return engine.ledger.recordOutcomes(record);
    },
  };
  const env = { ...engine.env(new ScriptedProvider(), { self, fate: () => 'unknown' }), wire, ledger };
  expect(await reapDead({ ...env, clock: { ...engine.clock, now: () => lastSign } }, null)).toBe(2);
  const { messages, takenBack } = await engine.reader.overview(campaign.n);
  expect([messages.uncertain, takenBack]).toEqual([2, HELD - 2]);
});

it('a dead worker whose lock another reaper holds is left to that one, until lease and grace are over [A19]', async () => {
  const engine = await openEngine();
  await engine.launch(20);
  const { lastSign } = await silentWorker(engine);
  const wire = { ...NO_NOTES, inherit: () => ({ state: 'held' as const }) };
  const self = () => ({
    bootId: 'boot',
    pidNamespace: 'elsewhere',
    pid: 8,
    startTicks: '1',
    roles: 'worker',
  });
  const env = { ...engine.env(new ScriptedProvider(), { self, fate: () => 'dead' }), wire };
  const at = (now: number) => ({ ...env, clock: { ...engine.clock, now: () => now } });
  expect(await reapDead(at(lastSign + TAKEN_FOR_DEAD_AFTER_MS), null)).toBe(0);
  // A reaper that is suspended for so long does not keep its messages for ever.
  expect(await reapDead(at(lastSign + TAKEN_FOR_DEAD_AFTER_MS + 1), null)).toBe(HELD);
});

it('the row of a dead worker is read again under its lock, because it may have lived on since [A19]', async () => {
  const engine = await openEngine();
  const campaign = await engine.launch(20);
  const { worker, lastSign } = await silentWorker(engine);
  const wire = noteOf(worker, { handed: [] });
  const self = () => ({ bootId: 'boot', pidNamespace: 'here', pid: 8, startTicks: '1', roles: 'worker' });
  const base = engine.env(new ScriptedProvider(), { self, fate: () => 'unknown' });
  let reads = 0;
  const ledger = {
    ...engine.ledger,
    otherWorkers: async (except: number | null) => {
      const rows = await engine.ledger.otherWorkers(except);
      reads += 1;
      // At the first look its claim was not there.
      return reads === 1 ? rows.map((row) => ({ ...row, claims: 99 })) : rows;
    },
  };
  const clock = { ...engine.clock, now: () => lastSign };
  expect(await reapDead({ ...base, wire, ledger, clock }, null)).toBe(0);
  expect((await engine.reader.overview(campaign.n)).takenBack).toBe(HELD);
});

it.each([
  ['that the ledger does not have pauses its campaign', false, 'paused'],
  ['that the ledger has leaves a campaign that was resumed since as it is', true, 'running'],
] as const)('a noted verdict with a pause %s [A19]', async (_what, isRecorded, state) => {
  const engine = await openEngine();
  const campaign = await engine.launch(20);
  const { worker, lastSign } = await silentWorker(engine);
  const attempt = { campaign: campaign.n, seq: 1, attempt: 1 };
  const outcome: Outcome = {
    ...attempt,
    sendMs: 1,
    evidence: null,
    to: 'rejected',
    reason: 'credit refused',
    retryHelps: true,
  };
  if (isRecorded)
    await engine.ledger.recordOutcomes({
      worker,
      by: 'worker',
      now: lastSign,
      outcomes: [outcome],
      pauses: [],
    });
  const wire = noteOf(worker, { handed: [attempt], verdict: { outcome, pause: 'sender' } });
  const self = () => ({ bootId: 'boot', pidNamespace: 'here', pid: 8, startTicks: '1', roles: 'worker' });
  const env = { ...engine.env(new ScriptedProvider(), { self, fate: () => 'unknown' }), wire };
  await reapDead({ ...env, clock: { ...engine.clock, now: () => lastSign } }, null);
  const overview = await engine.reader.overview(campaign.n);
  expect([overview.state, overview.messages.rejected]).toEqual([state, 1]);
});
