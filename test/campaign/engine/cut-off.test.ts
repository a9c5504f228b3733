import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../../src/campaign/env.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { CUT_OFF_MS } from '../../../src/domain/protocol-times.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type Engine, openEngine, settableClock } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

const COUNT = 60;
const ANSWERED = 20;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Cut {
  engine: Engine;
  campaign: Campaign;
  provider: ScriptedProvider;
  /** The ledger as it was while requests were on the wire. */
  copy: string;
  /** The provider answers them, and everything after. */
  goOn: () => void;
}

/** The audit's rows about pauses. */
function pausesOf({ file }: Engine): unknown[] {
  using ledger = new DatabaseSync(file, { readOnly: true });
  return ledger.prepare(`SELECT * FROM audit WHERE verb IN ('pause', 'miss_start')`).all();
}

/** A campaign in its middle, and a copy of its ledger made then: what a kill or a power cut leaves. */
async function cutInTheMiddle(clock: ReturnType<typeof settableClock>): Promise<Cut> {
  const engine = await openEngine(clock);
  const campaign = await engine.launch(COUNT, { batchSize: 25 });
  const answered = Promise.withResolvers<void>();
  onTestFinished(() => answered.resolve());
  const provider = new ScriptedProvider({
    script: (_request, nth) => (nth <= ANSWERED ? 'accept' : answered.promise.then(() => 'accept')),
  });
  await engine.start(provider, { concurrency: 4, claimLimit: 8 });
  const inTheMiddle = () => provider.acceptedCount === ANSWERED && provider.inFlight > 0;
  await waitFor(inTheMiddle, { what: 'the middle of the campaign' });
  const copy = `${makeTempDir()}/ledger.db`;
  await engine.ledger.backup(copy);
  return { engine, campaign, provider, copy, goOn: () => answered.resolve() };
}

/** An engine over the copy, and what that knows before anything of it goes on. */
async function openCopy(clock: Clock, { copy, campaign }: Cut) {
  const restored = await openEngine(clock, copy);
  const { messages } = await restored.reader.overview(campaign.n);
  expect([messages.queued > 0, messages.sending > 0]).toEqual([true, true]);
  return { restored, known: messages };
}

it('a home put back from a copy of more than two hours ago waits for a person, and sends nothing before', async () => {
  const clock = settableClock();
  const cut = await cutInTheMiddle(clock);
  const { engine, campaign, provider } = cut;
  const copiedAt = clock.now();
  cut.goOn();
  await engine.until(campaign, 'finished');
  expect(provider.acceptedCount).toBe(COUNT);

  clock.set(CUT_OFF_MS + MINUTE_MS);
  const { restored, known } = await openCopy(clock, cut);
  const worker = await restored.start(provider);
  const { reason, cutOffAt, messages } = await restored.reader.overview(campaign.n);
  expect([reason, messages.queued, messages.uncertain]).toEqual(['start', known.queued, known.sending]);
  expect(cutOffAt).toBeGreaterThan(copiedAt - MINUTE_MS);
  expect(cutOffAt).toBeLessThanOrEqual(copiedAt);
  await worker.stop();
  expect([provider.acceptedCount, provider.doubles]).toEqual([COUNT, 0]);
  expect(await restored.reader.violations(null)).toEqual([]);
});

it('whoever resumes it has the rest sent, also through another restart much later', async () => {
  const clock = settableClock();
  const cut = await cutInTheMiddle(clock);
  const { campaign } = cut;
  clock.set(CUT_OFF_MS + MINUTE_MS);
  const { restored, known } = await openCopy(clock, cut);
  const provider = new ScriptedProvider();
  await (await restored.start(provider)).stop();
  const change = { now: clock.now(), by: 'operator' };
  expect(await restored.ledger.resume(campaign.n, change)).toBe(true);
  clock.set(DAY_MS);
  await restored.start(provider);
  const { messages } = await restored.until(campaign, 'finished');
  expect(messages).toMatchObject({ sent: known.sent + known.queued, uncertain: known.sending });
  expect(provider.acceptedCount).toBe(known.queued);
});

it('a campaign whose worker was killed goes on by itself when it is started again within two hours', async () => {
  const clock = settableClock();
  const cut = await cutInTheMiddle(clock);
  clock.set(CUT_OFF_MS - MINUTE_MS);
  const { restored, known } = await openCopy(clock, cut);
  const provider = new ScriptedProvider();
  await restored.start(provider);
  const { messages } = await restored.until(cut.campaign, 'finished');
  expect(messages).toMatchObject({ sent: known.sent + known.queued, uncertain: known.sending });
  expect([provider.acceptedCount, pausesOf(restored)]).toEqual([known.queued, []]);
});

it('an orderly stop pauses nothing, however long ago it was', async () => {
  const clock = settableClock();
  const engine = await openEngine(clock);
  const campaign = await engine.launch(COUNT, { batchSize: 25 });
  const answered = Promise.withResolvers<void>();
  const provider = new ScriptedProvider({
    script: (_request, nth) => (nth <= ANSWERED ? 'accept' : answered.promise.then(() => 'accept')),
  });
  const worker = await engine.start(provider, { concurrency: 4, claimLimit: 8 });
  await waitFor(() => provider.acceptedCount === ANSWERED && provider.inFlight === 4, {
    what: 'the middle of the campaign',
  });
  const stopping = worker.stop();
  answered.resolve();
  await stopping;
  expect(provider.acceptedCount).toBe(ANSWERED + 4);
  clock.set(30 * DAY_MS);
  await engine.start(provider);
  const { messages } = await engine.until(campaign, 'finished');
  expect([messages.sent, provider.doubles]).toEqual([COUNT, 0]);
  expect(pausesOf(engine)).toEqual([]);
});
