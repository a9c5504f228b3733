import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TumaError } from '../../../src/domain/errors.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fastClock, openEngine } from './engine.ts';
import { ScriptedProvider } from './scripted-provider.ts';

/** Makes an operation of the ledger fail while `trouble.on`. */
function failing<Arguments extends unknown[], Result>(
  operation: (...given: Arguments) => Promise<Result>,
  trouble: { on: boolean; failures: number },
): (...given: Arguments) => Promise<Result> {
  return async (...given) => {
    if (!trouble.on) return operation(...given);
    trouble.failures += 1;
    throw new TumaError('ledger_full', { message: 'The disk is full.' });
  };
}

/** Accepts everything, and lets something happen at the nth request. */
function onceAt(nth: number, happens: () => void): (request: unknown, count: number) => 'accept' {
  return (_request, count) => {
    if (count === nth) happens();
    return 'accept';
  };
}

describe('a ledger in trouble', () => {
  it('a batch that could not be given back is given back when the ledger takes it, and its campaign ends [D2]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(600);
    const trouble = { on: false, failures: 0 };
    const ledger = { ...engine.ledger };
    engine.ledger.releaseBatch = failing((given) => ledger.releaseBatch(given), trouble);
    engine.ledger.claim = failing((given) => ledger.claim(given), trouble);
    const provider = new ScriptedProvider({ script: onceAt(50, () => (trouble.on = true)) });
    await engine.start(provider);
    await waitFor(() => trouble.failures >= 4, { what: 'claims and releases to fail' });
    trouble.on = false;
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles]).toEqual([600, 0]);
  });

  it('verdicts that the ledger refuses are kept and recorded when it takes them [D1]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(300);
    const trouble = { on: false, failures: 0 };
    const ledger = { ...engine.ledger };
    engine.ledger.recordOutcomes = failing((given) => ledger.recordOutcomes(given), trouble);
    const provider = new ScriptedProvider({ script: onceAt(20, () => (trouble.on = true)) });
    await engine.start(provider);
    await waitFor(() => trouble.failures >= 2, { what: 'verdicts to be refused' });
    const whileFull = provider.acceptedCount;
    trouble.on = false;
    const { messages } = await engine.until(campaign, 'finished');
    expect(whileFull).toBeLessThanOrEqual(300);
    expect([messages.sent, messages.uncertain, provider.doubles]).toEqual([300, 0, 0]);
  });

  it('a closing balance that the ledger could not take is read again', async () => {
    const engine = await openEngine();
    await engine.launch(30);
    const provider = new ScriptedProvider();
    const ledger = { ...engine.ledger };
    const closing: string[] = [];
    engine.ledger.recordReading = async (reading) => {
      if (provider.acceptedCount < 30 || closing.push(reading.account) > 1)
        return ledger.recordReading(reading);
      throw new TumaError('ledger_busy', { message: 'Busy.' });
    };
    await engine.start(provider);
    await waitFor(() => closing.length === 2, { what: 'the second try' });
  });

  it('a ledger that is gone for good ends the process after a lease; a full one does not [D3]', async () => {
    const engine = await openEngine(fastClock(100));
    const ledger = { ...engine.ledger };
    let error = new TumaError('ledger_full', { message: 'The disk is full.' });
    let failures = 0;
    engine.ledger.heartbeat = async (worker, now) => {
      if (failures < 0) return ledger.heartbeat(worker, now);
      failures += 1;
      throw error;
    };
    const ends: unknown[] = [];
    await engine.start(new ScriptedProvider(), { fatal: (reason) => ends.push(reason) });
    await waitFor(() => failures >= 20, { what: 'heartbeats to fail for longer than a lease' });
    expect(ends).toEqual([]);
    error = new TumaError('internal', { message: 'The ledger is closed.' });
    await waitFor(() => ends.length > 0, { what: 'the end' });
    expect(ends[0]).toBe(error);
    failures = -1;
  });
});

describe('an upgrade in the middle of a campaign', () => {
  it('a worker under whose feet the schema is newer finishes what is on the wire, sends nothing more, and ends [S13]', async () => {
    const engine = await openEngine(fastClock(100));
    const campaign = await engine.launch(600);
    const database = new DatabaseSync(engine.file, { timeout: 5_000 });
    onTestFinished(() => database.close());
    const known = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    const most = 50 + 16;
    const provider = new ScriptedProvider({
      script: onceAt(50, () => database.exec(`PRAGMA user_version = ${known + 1}`)),
    });
    const ends: unknown[] = [];
    const old = await engine.start(provider, { claimLimit: 16, fatal: (reason) => ends.push(reason) });
    await waitFor(() => ends.length > 0, { what: 'the end' });
    expect(ends[0]).toMatchObject({ code: 'ledger_newer' });
    const { messages, state } = await engine.reader.overview(campaign.n);
    expect(provider.acceptedCount).toBeLessThanOrEqual(most);
    expect(messages).toMatchObject({ sent: provider.acceptedCount, sending: 0, uncertain: 0, rejected: 0 });
    // Nothing is wrong with the campaign: whoever comes with the newer Tuma goes on at once.
    expect([state, messages.queued]).toEqual(['running', 600 - messages.sent]);
    await old.stop();
    database.exec(`PRAGMA user_version = ${known}`);
    await engine.start(provider);
    await engine.until(campaign, 'finished');
    expect([provider.acceptedCount, provider.doubles]).toEqual([600, 0]);
    expect(await engine.reader.violations(null)).toEqual([]);
  });
});

describe('one thing that the ledger never takes', () => {
  it('a verdict that nobody can record becomes uncertain, and its neighbours are recorded [I14]', async () => {
    const engine = await openEngine();
    const campaign = await engine.launch(200);
    const ledger = { ...engine.ledger };
    let refusals = 0;
    engine.ledger.recordOutcomes = async (record) => {
      if (!record.outcomes.some(({ seq, to }) => seq === 77 && to === 'sent'))
        return ledger.recordOutcomes(record);
      refusals += 1;
      throw new Error('CHECK constraint failed');
    };
    const provider = new ScriptedProvider();
    await engine.start(provider);
    const { messages } = await engine.until(campaign, 'finished');
    expect([messages.sent, messages.uncertain, provider.doubles]).toEqual([199, 1, 0]);
    expect(refusals).toBeLessThan(20);
    const [row] = await engine.reader.messages({
      campaign: campaign.n,
      afterSeq: 76,
      limit: 1,
      states: null,
    });
    expect(row).toMatchObject({ state: 'uncertain', reason: 'verdict not recorded' });
    expect(await engine.reader.violations(null)).toEqual([]);
  });

  it('a campaign whose batches fail again and again rests longer each time and pauses, and the others go on', async () => {
    const engine = await openEngine(fastClock(100));
    const broken = await engine.launch(10);
    const ledger = { ...engine.ledger };
    const failedAt: number[] = [];
    const [batch] = await ledger.dueBatches({ now: engine.clock.now(), perCampaign: 1 });
    engine.ledger.claim = async (request) => {
      if (request.batch !== batch?.batch) return ledger.claim(request);
      failedAt.push(engine.clock.monotonic());
      throw new Error('a bug');
    };
    const well = await engine.launch(300);
    const provider = new ScriptedProvider();
    await engine.start(provider);
    await engine.until(well, 'finished');
    const { reason } = await engine.until(broken, 'paused');
    expect([reason, failedAt.length]).toEqual(['errors', 5]);
    const rests = failedAt.slice(1).map((at, index) => at - (failedAt[index] ?? 0));
    for (const [index, rest] of rests.entries()) expect(rest).toBeGreaterThanOrEqual(5_000 * 2 ** index);
  });
});
