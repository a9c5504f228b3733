import { expect, it } from 'vitest';
import type { NumberEffect } from '../../src/domain/message.ts';
import { replyOf } from './contract-replies.ts';
import { sent, type World } from './contract-world.ts';

const ONE = '254700000001';
const DAY = 24 * 3_600_000;

export function learnedContract(world: () => World): void {
  let campaigns = 0;

  /** A campaign of its own writes to the number. Answers the messageid. */
  async function write(): Promise<string> {
    campaigns += 1;
    const messageId = `m${campaigns}-${world().now}`;
    const { campaign, worker, messages } = await world().sending(1, { name: `c${campaigns}` });
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId })]);
    return messageId;
  }

  async function fail(effect: NumberEffect | null, messageId?: string): Promise<string> {
    const id = messageId ?? (await write());
    await world().post({ reports: [{ messageId: id, reason: effect, effect }] });
    return id;
  }

  const deliver = async (messageId?: string) =>
    world().report({ messageId: messageId ?? (await write()), delivery: 'delivered' });
  const reason = async (sender = 'DUKA') =>
    (await world().ledger.suppressed({ mobiles: [ONE], sender })).get(ONE) ?? null;
  const pass = (days: number) => {
    world().now += days * DAY;
  };

  it('a bad number counts as dead after two campaigns, never after one, however often that one says so', async () => {
    const first = await fail('permanent');
    await fail('permanent', first);
    expect(await reason()).toBeNull();
    pass(1);
    await fail('permanent');
    expect(await reason()).toBe('dead number');
    const other = { mobiles: ['254700000002'], sender: 'DUKA' };
    expect(await world().ledger.suppressed(other)).toEqual(new Map());
    const [row] = await (await world().reader()).optOuts({ after: null, limit: 10 });
    expect(row).toMatchObject({
      kind: 'dead number',
      source: 'learned',
      evidence: 'a bad number in 2 campaigns',
    });
  });

  it('a phone that was away counts as dead only after 30 days over two campaigns', async () => {
    await fail('absent');
    pass(29);
    await fail('absent');
    expect(await reason()).toBeNull();
    pass(1);
    await fail('absent');
    expect(await reason()).toBe('dead number');
  });

  it('a network bars the sender that a message went out under, whatever the campaign sends under now', async () => {
    const campaign = await world().launch(3);
    const worker = await world().worker();
    for (const sender of ['DUKA', 'SHOP', 'SOKO']) {
      if (sender !== 'DUKA') {
        await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
        expect(await world().ledger.resume(campaign.n, { ...world().operator, sender })).toBe(true);
      }
      const lease = await world().lease(worker);
      expect(lease.campaign.sender).toBe(sender);
      const { messages } = await world().claim(lease, worker, { limit: 1 });
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message)),
      );
      world().now += 1_000;
    }
    const mobiles = ['254700000001', '254700000002', '254700000003'];
    for (const seq of [1, 2, 3])
      await world().post({ reports: [{ messageId: `id-${campaign.n}-${seq}`, effect: 'opted_out' }] });
    const barred = async (sender: string) => [
      ...(await world().ledger.suppressed({ mobiles, sender })).keys(),
    ];
    expect(await barred('DUKA')).toEqual(['254700000001']);
    expect(await barred('SHOP')).toEqual(['254700000002']);
    expect(await barred('SOKO')).toEqual(['254700000003']);
  });

  it('whoever held a batch when the sender changed claims nothing more under the old one', async () => {
    const campaign = await world().launch(2);
    const worker = await world().worker();
    const lease = await world().lease(worker);
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    await world().ledger.resume(campaign.n, { ...world().operator, sender: 'SHOP' });
    expect(await world().claim(lease, worker)).toMatchObject({ messages: [], stop: 'lost' });
    expect((await world().lease(worker)).campaign.sender).toBe('SHOP');
  });

  it.each(['a reply', 'a delivered message'])(
    'a number that %s showed to live counts no failure of before it, though that is purged',
    async (sign) => {
      // Of another sender, so that the failure is kept.
      await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator', sender: 'OTHER' }], world().now);
      await fail('permanent');
      pass(1);
      if (sign === 'a reply') await world().post({ replies: [replyOf(ONE)] });
      else await deliver();
      pass(200);
      await world().open.sql('UPDATE batch SET settled_at = ?, worker = NULL, lease_until = NULL', [
        world().now,
      ]);
      const delivered = (
        await world().open.sql("SELECT campaign FROM message WHERE delivery = 'delivered'")
      )[0];
      if (delivered !== undefined)
        await world().ledger.purgeCampaign(Number(delivered['campaign']), world().operator);
      await world().ledger.purgeTraces({ ...world().operator, before: world().now });
      await fail('permanent');
      expect(await reason()).toBeNull();
      pass(1);
      await fail('permanent');
      expect(await reason()).toBe('dead number');
    },
  );

  const purgeTraces = (before: number) => world().ledger.purgeTraces({ ...world().operator, before });

  /** Purges what is over: the campaigns, and what was posted before now. */
  async function purge(campaigns: Record<string, unknown>[]): Promise<void> {
    const over = 'UPDATE batch SET settled_at = ?, worker = NULL, lease_until = NULL';
    await world().open.sql(over, [world().now]);
    for (const { campaign } of campaigns)
      expect(await world().ledger.purgeCampaign(Number(campaign), world().operator)).toBe(1);
    await purgeTraces(world().now);
  }

  it.each(['a reply', 'a delivered message'])(
    'a failure after %s counts, though that is purged',
    async (sign) => {
      if (sign === 'a reply') await world().post({ replies: [replyOf(ONE)] });
      else await deliver();
      const shown = await world().open.sql("SELECT campaign FROM message WHERE delivery = 'delivered'");
      pass(1);
      await fail('permanent');
      pass(200);
      await purge(shown);
      await fail('permanent');
      expect(await reason()).toBe('dead number');
    },
  );

  it.each(['before', 'after'])(
    'a failure before a forged reply counts, though traces are purged %s that is taken back',
    async (order) => {
      await fail('permanent');
      pass(1);
      const before = world().now;
      const forger = '203.0.113.66';
      await world().post({ replies: [replyOf(ONE)], ip: forger });
      pass(1);
      if (order === 'before') await purgeTraces(before);
      await world().ledger.voidWebhooks({ ...world().operator, ip: forger, since: null });
      if (order === 'after') await purgeTraces(world().now);
      await fail('permanent');
      expect(await reason()).toBe('dead number');
    },
  );

  it.each([
    ['a dead number', ['permanent', 'permanent'], 'dead number'],
    ['an opt-out', ['opted_out'], 'opted out'],
  ] as const)('%s keeps what it stands on when everything is purged', async (_, effects, stays) => {
    for (const effect of effects) {
      await fail(effect);
      pass(1);
    }
    if (stays === 'opted out') {
      await deliver();
      await world().post({ replies: [replyOf(ONE)] });
    }
    pass(200);
    await purge(await world().open.sql('SELECT n AS campaign FROM campaign'));
    expect(await reason()).toBe(stays);
    expect(await world().open.sql('SELECT effect FROM failure')).toEqual(
      effects.map((effect) => ({ effect })),
    );
  });

  it('failures that say nothing of the number never make it dead', async () => {
    for (let times = 0; times < 4; times++) {
      await fail(null);
      pass(20);
    }
    expect(await reason()).toBeNull();
  });

  it('a later delivered message, a reply and an operator bring a dead number back, and failures count anew', async () => {
    const bury = async () => {
      for (const _ of [1, 2]) {
        pass(1);
        await fail('permanent');
      }
      expect(await reason()).toBe('dead number');
      pass(1);
    };
    await bury();
    await deliver();
    expect(await reason()).toBeNull();
    await bury();
    const forger = '203.0.113.66';
    await world().post({ replies: [replyOf(ONE)], ip: forger });
    expect(await reason()).toBeNull();
    await world().ledger.voidWebhooks({ ...world().operator, ip: forger, since: null });
    expect(await reason()).toBe('dead number');
    await world().post({ replies: [replyOf(ONE)] });
    expect(await reason()).toBeNull();
    await bury();
    expect(await world().ledger.removeOptOuts([ONE], world().operator)).toBe(1);
    expect(await reason()).toBeNull();
    pass(1);
    await fail('permanent');
    expect(await reason()).toBeNull();
    const history = await (await world().reader()).optOutHistory(ONE);
    expect(history.filter(({ source }) => source === 'learned').map(({ change }) => change)).toEqual([
      'added',
      'removed',
      'added',
      'removed',
      'added',
      'removed',
      'added',
      'removed',
    ]);
  });

  it('the report that a message was delivered after all takes its failure back', async () => {
    await fail('permanent');
    pass(1);
    const second = await fail('permanent');
    expect(await reason()).toBe('dead number');
    await deliver(second);
    expect(await reason()).toBeNull();
  });

  it('a network that says the person opted out speaks for that sender only, and at once', async () => {
    const id = await fail('opted_out');
    expect(await reason('DUKA')).toBe('opted out');
    expect(await reason('OTHER')).toBeNull();
    const [row] = await (await world().reader()).optOuts({ after: null, limit: 10 });
    expect(row).toMatchObject({ source: 'report', sender: 'DUKA' });
    await deliver(id);
    expect(await reason('DUKA')).toBeNull();
  });

  it('is not asked in the claim: what was planned before is sent', async () => {
    await fail('permanent');
    pass(1);
    await fail('permanent');
    await world().launch(1, { kind: 'promotional', name: 'planned' });
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    expect(messages).toHaveLength(1);
  });
}
