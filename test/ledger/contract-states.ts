import { expect, it } from 'vitest';
import { ACTORS, MESSAGE_STATES, type MessageState, TRANSITIONS } from '../../src/domain/message.ts';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { sent, uncertain, rejected, type World } from './contract-world.ts';

export function stateContract(world: () => World): void {
  it('the table of transitions in the database is the one in the code', async () => {
    const rows = await world().open.sql('SELECT from_state, to_state, actor FROM transition');
    const stored = rows.map((row) => [row['from_state'], row['to_state'], row['actor']].join(' '));
    expect(stored.sort()).toEqual(TRANSITIONS.map((transition) => transition.join(' ')).sort());
  });

  it('every change of state that is not in the table is refused by the database, of all 7 × 7 × 6', async () => {
    const places = await oneMessageInEachState(world());
    const legal = new Set(TRANSITIONS.map((transition) => transition.join(' ')));
    const changes = MESSAGE_STATES.flatMap((from) =>
      MESSAGE_STATES.filter((to) => to !== from).flatMap((to) =>
        ACTORS.map((actor) => ({ from, to, actor })),
      ),
    );
    let refused = 0;
    for (const { from, to, actor } of changes) {
      if (legal.has(`${from} ${to} ${actor}`)) continue;
      const text = 'UPDATE message SET state = ?, actor = ? WHERE campaign = ? AND seq = ?';
      const change = world().open.sql(text, [to, actor, ...places[from]]);
      await expect(change, `${from} → ${to} by ${actor}`).rejects.toThrow('illegal transition');
      refused += 1;
    }
    expect(refused).toBe(7 * 6 * 6 - TRANSITIONS.length);
    for (const from of MESSAGE_STATES) {
      const [campaign, seq] = places[from];
      expect((await world().message(campaign, seq)).state).toBe(from);
    }
  });

  it('an unknown state, a message born in another state, another identity and a deletion are refused', async () => {
    const campaign = await world().launch(1);
    const sql = (text: string) => world().open.sql(text);
    await expect(sql("UPDATE message SET state = 'lost', actor = 'operator'")).rejects.toThrow(
      'illegal transition',
    );
    await expect(sql('DELETE FROM message')).rejects.toThrow('never deleted');
    await expect(sql("UPDATE message SET mobile = '254700000000'")).rejects.toThrow('identity');
    const born = `INSERT INTO message (campaign, seq, line, mobile, fields, segments, state, actor, queued_at)
      VALUES (${campaign.n}, 2, 9, '254711', '[]', 1, 'rejected', 'planner', 0)`;
    await expect(sql(born)).rejects.toThrow('begins as queued');
  });

  it('the audit can only grow, and holds a row for each verb [X37]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const { ledger, operator } = world();
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await ledger.pause(campaign.n, { ...operator, reason: 'operator' });
    await ledger.resume(campaign.n, operator);
    await ledger.setRate(campaign.n, { ...operator, ratePerSecond: 5 });
    await ledger.retry(campaign.n, operator);
    await ledger.resolve(campaign.n, { ...operator, decision: 'write_off', before: 0, line: 1 });
    await ledger.resolve(campaign.n, { ...operator, decision: 'not_sent', before: world().now + 1, line: 2 });
    await ledger.cancel(campaign.n, operator);
    const verbs = await world().open.sql('SELECT verb, by FROM audit WHERE campaign = ? ORDER BY id', [
      campaign.n,
    ]);
    expect(verbs.map(({ verb }) => verb)).toEqual([
      'launch',
      'pause',
      'resume',
      'rate',
      'retry',
      'resolve',
      'resolve',
      'cancel',
    ]);
    expect(new Set(verbs.map(({ by }) => by))).toEqual(new Set(['operator']));
    await expect(world().open.sql("UPDATE audit SET by = 'nobody'")).rejects.toThrow('append-only');
    await expect(world().open.sql('DELETE FROM audit')).rejects.toThrow('append-only');
  });

  it('what was raised, mapped, taken back, purged and forgiven is on record too, with who did it [X37]', async () => {
    const { ledger, operator, open } = world();
    const { campaign, worker, lease, messages } = await world().sending(1, { budgetMicro: 1_000_000 });
    await ledger.pause(campaign.n, { ...operator, reason: 'budget' });
    await ledger.resume(campaign.n, { ...operator, budgetMicro: 2_000_000 });
    await world().record(worker, [sent(campaign, messages[0] as ClaimedMessage)]);
    await ledger.releaseBatch({ ...lease, now: world().now });
    await ledger.mapWord({ ...operator, word: 'Teleported', delivery: 'delivered' });
    await ledger.voidWebhooks({ ...operator, ip: '203.0.113.66', since: null });
    expect(await ledger.purgeCampaign(campaign.n, operator)).toBe(1);
    await ledger.purgeTraces({ ...operator, before: world().now });
    const rows = await open.sql(
      "SELECT verb, by FROM audit WHERE verb NOT IN ('launch', 'pause') ORDER BY id",
    );
    expect(rows.map(({ verb }) => verb)).toEqual(['budget', 'resume', 'map', 'void', 'purge', 'purge']);
    expect(new Set(rows.map(({ by }) => by))).toEqual(new Set(['operator']));

    const mobile = '254700000077';
    await ledger.addOptOuts([{ mobile, source: 'operator' }], world().now);
    expect(await ledger.removeOptOuts([mobile], operator)).toBe(1);
    const events = await open.sql('SELECT change, by FROM opt_out_event WHERE mobile = ? ORDER BY id', [
      mobile,
    ]);
    expect(events).toEqual([
      expect.objectContaining({ change: 'added' }),
      { change: 'removed', by: 'operator' },
    ]);
    await expect(open.sql("UPDATE opt_out_event SET by = 'nobody'")).rejects.toThrow('append-only');
    await expect(open.sql('DELETE FROM opt_out_event')).rejects.toThrow('append-only');
  });
}

type Place = [campaign: number, seq: number];

async function oneMessageInEachState(world: World): Promise<Record<MessageState, Place>> {
  await world.ledger.addOptOuts([{ mobile: '254700000005', source: 'operator' }], world.now);
  const campaign = await world.launch(6, { kind: 'promotional', settings: { batchSize: 100 } });
  const worker = await world.worker();
  const lease = await world.lease(worker);
  const { messages } = await world.claim(lease, worker, { limit: 4 });
  const [first, second, third] = messages as [never, never, never];
  await world.record(worker, [sent(campaign, first), rejected(campaign, second), uncertain(campaign, third)]);
  // The look that skips number 5 finds number 6, and puts it back.
  const { messages: last } = await world.claim(lease, worker, { limit: 1, fromSeq: 5 });
  const back = { to: 'queued', reason: 'throttled', notBefore: 0, countsAsTry: false } as const;
  const six = last[0] as ClaimedMessage;
  await world.record(worker, [
    { campaign: campaign.n, seq: six.seq, attempt: six.attempt, sendMs: null, evidence: null, ...back },
  ]);
  const other = await world.launch(1, { name: 'canceled' });
  await world.ledger.cancel(other.n, world.operator);
  const n = campaign.n;
  const places: Record<MessageState, Place> = {
    sent: [n, 1],
    rejected: [n, 2],
    uncertain: [n, 3],
    sending: [n, 4],
    skipped: [n, 5],
    queued: [n, 6],
    canceled: [other.n, 1],
  };
  for (const [state, place] of Object.entries(places))
    expect((await world.message(...place)).state).toBe(state);
  return places;
}
