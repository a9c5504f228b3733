import { expect, it } from 'vitest';
import { CUT_OFF_MS } from '../../src/domain/protocol-times.ts';
import { requeued, sent, type World } from './contract-world.ts';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

/** A campaign that was cut off while it was sending waits for a person when that was more than two hours ago. */
export function cutOffContract(world: () => World): void {
  const stateOf = async (campaign: number) => {
    const found = await world().ledger.campaign(campaign);
    return [found?.state, found?.reason];
  };
  const due = () => world().ledger.dueBatches({ now: world().now, perCampaign: 9 });
  const overviewOf = async (campaign: number) => (await world().reader()).overview(campaign);

  /** Twenty messages, three of them on the wire of a worker that dies now. */
  async function cutOff() {
    const campaign = await world().launch(20);
    const dead = await world().worker(1);
    const lease = await world().lease(dead);
    const { messages } = await world().claim(lease, dead, { limit: 3 });
    return { campaign, dead, lease, messages };
  }

  it('after more than two hours it is paused in the step that ends the worker, and a person resumes it once', async () => {
    const { campaign, dead } = await cutOff();
    const at = world().now;
    world().now += CUT_OFF_MS + 1;
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect([await stateOf(campaign.n), await due()]).toEqual([['paused', 'start'], []]);
    expect(await overviewOf(campaign.n)).toMatchObject({ state: 'paused', reason: 'start', cutOffAt: at });
    expect(await world().ledger.resume(campaign.n, world().operator)).toBe(true);
    expect(await world().ledger.reap(dead, world().now)).toBe(0);
    expect(await stateOf(campaign.n)).toEqual(['running', null]);
    expect(await due()).toHaveLength(2);
    expect(await overviewOf(campaign.n)).not.toHaveProperty('cutOffAt');
  });

  it('within two hours it goes on by itself', async () => {
    const { campaign, dead } = await cutOff();
    world().now += CUT_OFF_MS;
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect([await stateOf(campaign.n), (await due()).length]).toEqual([['running', null], 2]);
  });

  it('its last heartbeat counts, not its last claim', async () => {
    const { campaign, dead } = await cutOff();
    world().now += CUT_OFF_MS;
    await world().ledger.heartbeat(dead, world().now);
    world().now += CUT_OFF_MS;
    await world().ledger.reap(dead, world().now);
    expect(await stateOf(campaign.n)).toEqual(['running', null]);
  });

  it('a campaign that another living worker is sending was not cut off', async () => {
    const { campaign, dead } = await cutOff();
    const living = await world().worker(2);
    world().now += CUT_OFF_MS + 1;
    await world().ledger.heartbeat(living, world().now);
    await world().ledger.reap(dead, world().now);
    expect(await stateOf(campaign.n)).toEqual(['running', null]);
  });

  it('nor one that a worker which began since has claimed of', async () => {
    const { campaign, dead } = await cutOff();
    world().now += CUT_OFF_MS;
    const living = await world().worker(2);
    await world().claim(await world().lease(living), living, { limit: 1 });
    world().now += 1;
    await world().ledger.reap(dead, world().now);
    expect(await stateOf(campaign.n)).toEqual(['running', null]);
  });

  it('a worker that only just began, and one that died with it, prevent nothing', async () => {
    const { campaign, dead } = await cutOff();
    const other = await world().worker(2);
    await world().claim(await world().lease(other), other, { limit: 2 });
    world().now += CUT_OFF_MS + 1;
    await world().worker(3);
    expect(await world().ledger.reap(dead, world().now)).toBe(3);
    expect(await stateOf(campaign.n)).toEqual(['paused', 'start']);
    expect(await world().ledger.reap(other, world().now)).toBe(2);
    expect(await stateOf(campaign.n)).toEqual(['paused', 'start']);
  });

  it('a campaign whose batches rested between two tries was being sent as well', async () => {
    const { campaign, dead, lease, messages } = await cutOff();
    const back = messages.map((message) => requeued(campaign, message, world().now + 600_000));
    await world().record(dead, back);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    world().now += CUT_OFF_MS + 1;
    expect(await world().ledger.reap(dead, world().now)).toBe(0);
    expect(await stateOf(campaign.n)).toEqual(['paused', 'start']);
  });

  it('a worker that stopped in order is not reaped, and its campaign goes on however long ago that was', async () => {
    const { campaign, dead, messages } = await cutOff();
    await world().record(
      dead,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.retireWorker(dead, world().now);
    world().now += 12 * CUT_OFF_MS;
    expect(await world().ledger.otherWorkers(null)).toEqual([]);
    expect([await stateOf(campaign.n), (await due()).length]).toEqual([['running', null], 2]);
  });

  it('what was not being sent goes on: never claimed, due much later, paused already, or at its end', async () => {
    const { campaign: reminders, dead, lease, messages } = await cutOff();
    const later = world().now + 86_400_000;
    await world().record(
      dead,
      messages.map((message) => sent(reminders, message)),
    );
    await world().open.sql("UPDATE message SET not_before = ? WHERE state = 'queued'", [later]);
    await world().open.sql('UPDATE batch SET due_at = ? WHERE worker IS NULL', [later]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const unsent = await world().launch(4, { name: 'unsent' });
    const last = await world().launch(1, { name: 'last', firstMobile: 50 });
    const [batch] = await world().open.sql('SELECT id, epoch FROM batch WHERE campaign = ?', [last.n]);
    const held = { batch: Number(batch?.['id']), epoch: Number(batch?.['epoch']), worker: dead };
    const own = await world().ledger.leaseBatch({ ...held, now: world().now, leaseMs: 60_000 });
    if (own === null) throw new Error('the last batch could not be leased');
    await world().claim(own, dead);
    world().now += CUT_OFF_MS + 1;
    expect(await world().ledger.reap(dead, world().now)).toBe(1);
    for (const { n } of [reminders, unsent, last]) expect(await stateOf(n)).toEqual(['running', null]);
    expect((await overviewOf(last.n)).state).toBe('finished');
  });

  it('a clock that was ten years ahead pauses nothing once it is right, and one that is ahead asks a person once [S6]', async () => {
    const { campaign, dead } = await cutOff();
    world().now += TEN_YEARS_MS;
    await world().ledger.reap(dead, world().now);
    expect(await stateOf(campaign.n)).toEqual(['paused', 'start']);
    await world().ledger.resume(campaign.n, world().operator);
    const next = await world().worker(2);
    const { messages } = await world().claim(await world().lease(next), next, { limit: 2 });
    expect(messages).toHaveLength(2);
    world().now -= TEN_YEARS_MS;
    expect(await world().ledger.reap(next, world().now)).toBe(2);
    expect(await stateOf(campaign.n)).toEqual(['running', null]);
  });

  it('a start that was missed is told apart from it', async () => {
    const missed = await world().launch(2, { startAt: world().now + 1_000 });
    world().now += 3 * CUT_OFF_MS;
    await world().ledger.startDue(world().now);
    expect(await stateOf(missed.n)).toEqual(['paused', 'start']);
    expect(await overviewOf(missed.n)).not.toHaveProperty('cutOffAt');
  });
}
