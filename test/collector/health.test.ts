import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLedgerHere } from '../support/ledger-here.ts';
import { storeWebhook, tryStore } from '../../src/campaign/inbound/store-webhook.ts';
import { Intake } from '../../src/collector/intake.ts';
import { systemClock } from '../../src/system/clock.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { waitFor } from '../support/wait-for.ts';
import { openCollector } from './open-collector.ts';

const TOKEN = 'ab12cd34ef56gh78ij90kl';
const WELL = [200, { status: 'ok' }] as const;
const ILL = [503, { status: 'ledger' }] as const;

/** So soon a ledger that is held is given up. A machine that is busy is as slow for a moment, so who asks for this asks again. */
const SOON_MS = 50;

/** A collector on a real ledger, how to hold that as another process does, and how often it was asked for a trial. */
async function start(deadlineMs = 20_000) {
  const file = join(makeTempDir(), 'ledger.db');
  const ledger = await openLedgerHere(file);
  const env = { clock: systemClock, ledger };
  let trials = 0;
  const opened = await openCollector({
    tokens: [TOKEN],
    store: (received) => storeWebhook(env, received),
    tryStore: () => {
      trials++;
      return tryStore(env);
    },
    limits: { storeDeadlineMs: deadlineMs, healthDeadlineMs: deadlineMs },
  });
  const other = new DatabaseSync(file);
  onTestFinished(async () => {
    other.close();
    await opened.collector.close();
    await ledger.close();
  });
  const health = async () => {
    const answer = await fetch(`${opened.collector.url}/health`);
    return [answer.status, await answer.json()];
  };
  const becomes = (wanted: typeof WELL | typeof ILL) =>
    waitFor(async () => isDeepStrictEqual(await health(), wanted), {
      what: `/health to answer ${wanted[0]}`,
    });
  return { ...opened, other, health, becomes, trials: () => trials };
}

describe('W13: /health', () => {
  it('answers 503 for as long as the ledger is held, and no longer, though no webhook tells of it', async () => {
    const { other, health, becomes, trials } = await start(SOON_MS);
    await becomes(WELL);
    other.exec('BEGIN IMMEDIATE');
    await becomes(ILL);
    // The next one begins when the ledger has given the first one up.
    const asked = trials();
    await waitFor(
      async () => {
        expect(await health()).toEqual(ILL);
        return trials() > asked;
      },
      { what: 'another trial' },
    );
    other.exec('COMMIT');
    await becomes(WELL);
  });

  it('answers 503 after a webhook could not be stored, until one could, or a trial', async () => {
    const { other, health, becomes, url } = await start(SOON_MS);
    const post = async () => (await fetch(url, { method: 'POST', body: 'x' })).status;
    other.exec('BEGIN IMMEDIATE');
    expect(await post()).toBe(503);
    expect(await health()).toEqual(ILL);
    other.exec('COMMIT');
    await waitFor(async () => (await post()) === 200, { what: 'a webhook to be stored' });
    await becomes(WELL);
    other.exec('BEGIN IMMEDIATE');
    expect(await post()).toBe(503);
    other.exec('COMMIT');
    await becomes(WELL);
  });

  it('leaves nothing behind in the inbox', async () => {
    const { other, health, trials } = await start();
    const version = other.prepare('PRAGMA data_version');
    const before = version.get();
    expect(await health()).toEqual(WELL);
    expect(trials()).toBe(1);
    // It was a write, and not only a look.
    expect(version.get()).not.toEqual(before);
    expect(other.prepare('SELECT count(*) AS rows FROM webhook').get()).toEqual({ rows: 0 });
  });

  it('begins no second trial while the ledger has not let go of the first', async () => {
    const first = Promise.withResolvers<'stored'>();
    let trials = 0;
    const intake = new Intake({
      store: async () => 'stored',
      tryStore: () => {
        trials++;
        return first.promise;
      },
      waitingBytes: 1_000_000,
      waiting: 1,
      storeDeadlineMs: 1,
      healthDeadlineMs: 1,
    });
    for (const _ of [1, 2]) expect(await intake.isWell()).toBe(false);
    expect(trials).toBe(1);
    first.resolve('stored');
    expect(await intake.isWell()).toBe(true);
  });
});
