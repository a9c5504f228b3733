import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { sent, type World } from './contract-world.ts';

const RULE = { first: 2, waitMs: 60_000, delivered: 0.5 };

/** The gate of each canary is its own. What is counted, and when it opens, is tested with the engine. */
export function canaryContract(world: () => World): void {
  /** The canary is sent, the rest waits. */
  async function began(name: string): Promise<Campaign> {
    const campaign = await world().launch(4, { name, settings: { canary: RULE, batchSize: 2 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    return campaign;
  }

  async function deliver({ n }: Campaign): Promise<void> {
    for (const seq of [1, 2]) await world().report({ messageId: `id-${n}-${seq}`, delivery: 'delivered' });
  }

  const watch = async () =>
    (await world().ledger.watchCanaries(world().now)).map(({ id, step }) => [id, step]);
  const dueOf = async () =>
    (await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).map(({ batch }) => batch);
  const verdicts = async () =>
    (await world().open.sql('SELECT verdict FROM canary ORDER BY campaign')).map((row) => row['verdict']);

  it('that passes opens no other gate, nor does a person who lets one campaign go on', async () => {
    const [one, two, three] = [await began('one'), await began('two'), await began('three')];
    expect(await watch()).toEqual([one, two, three].map(({ id }) => [id, 'waiting']));
    await deliver(one);
    world().now += RULE.waitMs - 1;
    expect(await dueOf()).toEqual([]);
    expect(await watch()).toEqual([[one.id, 'passed']]);
    expect(await verdicts()).toEqual(['passed', null, null]);
    expect(await dueOf()).toHaveLength(1);
    world().now += 1;
    expect(await watch()).toEqual([
      [two.id, 'failed'],
      [three.id, 'failed'],
    ]);
    expect(await world().ledger.resume(two.n, world().operator)).toBe(true);
    expect(await verdicts()).toEqual(['passed', 'overridden', 'failed']);
    expect(await dueOf()).toHaveLength(2);
  });

  it('is not judged while a person has paused its campaign, but when that goes on', async () => {
    const campaign = await began('promo');
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    world().now += RULE.waitMs;
    expect(await watch()).toEqual([]);
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(true);
    expect(await dueOf()).toEqual([]);
    expect(await watch()).toEqual([[campaign.id, 'failed']]);
    expect(await world().ledger.campaign(campaign.n)).toMatchObject({ state: 'paused', reason: 'canary' });
  });

  it('of a recurring job is that of each firing', async () => {
    await began('beside');
    const at = world().now + 1_000;
    const settings = { canary: { ...RULE, first: 3 }, batchSize: 2, every: { cron: '0 9 * * *' } };
    const schedule = await world().launch(8, { name: 'weekly', settings, startAt: at });
    const plain = { batchSize: 2, every: { cron: '0 9 * * *' } };
    const other = await world().launch(8, { name: 'daily', settings: plain, startAt: at });
    world().now = at;
    const firing = { fireAt: at, nextAt: at, followingAt: at + 86_400_000, missed: [], now: at };
    const fire = ({ n, name }: Campaign) =>
      world().ledger.fire({ ...firing, schedule: n, id: `${name}-1`, name: `${name} 1` });
    const fired = [await fire(schedule), await fire(other)];
    const canaries = await world().open.sql('SELECT campaign, messages FROM canary WHERE campaign > ?', [
      other.n,
    ]);
    expect(canaries).toEqual([{ campaign: fired[0]?.n, messages: 3 }]);
  });
}
