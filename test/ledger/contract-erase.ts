import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { askedFrom } from '../../src/ledger/contracts/asked-from.ts';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { replyOf, stop } from './contract-replies.ts';
import { sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld } from './reminder-world.ts';

const ONE = '254700000001';
const TWO = '254700000002';

/** One person's data is removed at any age; nobody gets anything twice by it, and all sums stay. */
export function eraseContract(world: () => World): void {
  const { launch, correct, rowsOf, sendDue, refuse, dateOf } = reminderWorld(world);
  const erase = (mobile: string) => world().ledger.erasePerson({ ...world().operator, mobile });
  const traces = async (mobile: string) => (await world().reader()).personTraces(mobile);

  /** Every text and blob of the ledger, to look for a number in. */
  async function everything(): Promise<string> {
    const rows = [];
    for (const name of await world().open.tables())
      rows.push(await world().open.sql(`SELECT * FROM "${name}"`));
    return JSON.stringify(rows, (_key, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
  }

  /** A raw webhook of which no report or reply was read. */
  async function notUnderstood(text: string, kind: 'not_understood' | 'other' = 'not_understood') {
    const raw = { method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };
    const body = new TextEncoder().encode(text);
    await world().ledger.storeWebhook({ ...raw, receivedAt: world().now, body });
    const [unknown] = await world().ledger.newWebhooks(1);
    const webhook = unknown?.webhook ?? 0;
    await world().ledger.recordReports([{ webhook, kind, reports: [], now: world().now }]);
  }

  /** Two messages of a campaign that goes on. */
  async function answered(
    verdicts: ((campaign: Campaign, message: ClaimedMessage) => Outcome)[] = [sent, sent],
  ) {
    const { campaign, worker, messages } = await world().sending(3);
    const outcomes = messages.slice(0, 2).map((message, at) => (verdicts[at] ?? sent)(campaign, message));
    await world().record(worker, outcomes);
    return { campaign, worker, third: messages[2] };
  }

  it('what is settled of a running campaign goes: number, fields, evidence, reports, replies and raw webhooks; sums stay', async () => {
    const { campaign } = await answered();
    await world().report({ messageId: `id-${campaign.n}-1`, mobile: ONE, reason: `no route to ${ONE}` });
    await world().post({ replies: [replyOf(ONE, { text: `call me at 0700 000 001` })] });
    await notUnderstood('{"what":"+254 700 000 001"}');
    const tallies = async () => (await world().reader()).tallies(campaign.n, 0);
    const before = await tallies();
    expect(await traces(ONE)).toMatchObject({ messages: 1, replies: 1, campaigns: [campaign.id] });
    expect(await erase(ONE)).toEqual({ messages: 1, replies: 1, reports: 1, webhooks: 3, shared: 0 });
    expect(await tallies()).toEqual(before);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      mobile: 'purged-1',
      fields: [],
      state: 'sent',
    });
    expect((await world().message(campaign.n, 2)).mobile).toBe(TWO);
    const left = await everything();
    for (const text of [ONE, '700000001', '0700 000 001', '700 000 001']) expect(left).not.toContain(text);
    expect(await traces(ONE)).toMatchObject({ messages: 0, replies: 0 });
    expect(await world().column('audit', 'detail', "verb = 'erase'")).toBe('{"messages":1,"replies":1}');
  });

  it.each([
    ['queued', async () => void (await world().launch(1)), { queued: 1 }],
    ['sending', async () => void (await world().sending(1)), { sending: 1 }],
    ['uncertain', async () => void (await answered([uncertain])), { uncertain: 1 }],
    [
      'a maybe-STOP',
      () => world().post({ replies: [replyOf(ONE, { wish: 'maybe_stop' })] }),
      { maybeStops: 1 },
    ],
  ])('while something of the person waits (%s) nothing is removed', async (_what, make, waits) => {
    await make();
    const before = await everything();
    expect(await erase(ONE)).toBeNull();
    expect(await everything()).toBe(before);
    expect((await traces(ONE)).waits).toMatchObject(waits);
  });

  it('what was uncertain and is written off goes, and is sent by nobody afterwards', async () => {
    const { campaign } = await answered([uncertain]);
    const { ledger, operator } = world();
    await ledger.resolve(campaign.n, { ...operator, decision: 'write_off', before: 0, mobile: ONE });
    expect(await erase(ONE)).toMatchObject({ messages: 1 });
    expect(await world().column('audit', 'detail', "verb = 'resolve'")).toBe('{"decision":"write_off"}');
    const { line } = await world().message(campaign.n, 1);
    world().now += DAY;
    await ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'not_sent',
      before: world().now,
      line,
    });
    expect((await world().message(campaign.n, 1)).state).toBe('canceled');
  });

  it('a retry leaves an erased message out, also by its reason, and sends those to others', async () => {
    const { campaign, worker, third } = await answered([refuse, refuse]);
    if (third !== undefined) await world().record(worker, [sent(campaign, third)]);
    const helped = async () =>
      world().open.sql(
        "SELECT sum(messages) AS n FROM campaign_count WHERE state = 'rejected' AND retry_helps = 1",
      );
    expect(await helped()).toEqual([{ n: 2 }]);
    expect(await erase(ONE)).toMatchObject({ messages: 1 });
    expect(await helped()).toEqual([{ n: 1 }]);
    const { reason } = await world().message(campaign.n, 1);
    const retry = { ...world().operator, reason: reason ?? '' };
    expect(await world().ledger.retry(campaign.n, retry)).toBe(1);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(0);
    expect(await world().states(campaign.n)).toMatchObject({ rejected: 1, queued: 1 });
    expect((await world().message(campaign.n, 2)).state).toBe('queued');
  });

  it('a person with several numbers is found under each, and the whole row goes', async () => {
    const campaign = await launch([
      { who: 1, others: [7], day: 0 },
      { who: 2, day: 0 },
    ]);
    await sendDue(campaign, sent);
    expect(await erase('254700000007')).toMatchObject({ messages: 1 });
    expect(await everything()).not.toContain(ONE);
    expect((await rowsOf(campaign)).some((row) => row.startsWith('2 '))).toBe(true);
  });

  it.each([true, false])(
    'a reminder that left is not sent again by a corrected list, with a key: %s',
    async (keyed) => {
      const row = { who: 1, day: 0, key: keyed ? 'INV-1' : '' };
      const rows = [row, { who: 2, day: 1, key: keyed ? 'INV-2' : '' }];
      const campaign = await launch(rows, { keyed });
      await sendDue(campaign, sent);
      expect(await erase(ONE)).toMatchObject({ messages: 1 });
      await correct(campaign, [{ ...row, name: 'new' }, ...rows.slice(1)], { keyed });
      const again = (await rowsOf(campaign)).filter((each) => each.startsWith('1 '));
      expect(again.every((each) => !each.includes('queued'))).toBe(true);
      world().now += DAY / 4;
      const due = await world().ledger.dueBatches({ now: world().now, perCampaign: 9 });
      expect(due).toEqual([]);
    },
  );

  it('who was canceled by hand in a campaign that goes on stays canceled when a list names the number again', async () => {
    const campaign = await launch([
      { who: 1, day: 1 },
      { who: 2, day: 1 },
    ]);
    await world().ledger.cancelPerson(campaign.n, { ...world().operator, mobile: ONE });
    expect(await erase(ONE)).toMatchObject({ messages: 1 });
    await correct(campaign, [
      { who: 1, day: 2 },
      { who: 2, day: 1 },
    ]);
    expect((await rowsOf(campaign)).filter((each) => each.includes('queued'))).toEqual([
      `2  ${dateOf(1)} queued`,
    ]);
  });

  it('keys go, too: from the audit of a series, and from orders by the key alone once nothing is left to send', async () => {
    const rows = [
      { who: 1, day: 1, key: 'A-17 (-2d)' },
      { who: 1, day: 3, key: 'A-17 (0d)' },
      { who: 2, day: 1, key: 'B-2 (-2d)' },
    ];
    const campaign = await launch(rows, { keyed: true, series: ['-2d', '0d'] });
    const { ledger, operator } = world();
    for (const key of ['A-17', 'B-2']) await ledger.cancelPerson(campaign.n, { ...operator, key });
    expect(await erase(ONE)).toMatchObject({ messages: 2 });
    expect(await everything()).not.toContain('A-17');
    const named = await world().open.sql("SELECT detail FROM audit WHERE verb = 'cancel_person' ORDER BY id");
    expect(named.map((row) => row['detail'])).toEqual(['{"canceled":2}', '{"key":"B-2","canceled":1}']);
    expect(await world().open.sql('SELECT key FROM canceled_person WHERE mobile IS NULL')).toEqual([
      { key: 'B-2 (-2d)' },
    ]);
  });

  it('a recurring job from which the person was canceled fires without them, and sends nothing to no number', async () => {
    const settings = { every: { cron: '0 9 * * mon' } };
    const at = world().now + 3_600_000;
    const schedule = await world().launch(2, { name: 'weekly', settings, startAt: at });
    expect(await erase(ONE)).toBeNull();
    await world().ledger.cancelPerson(schedule.n, { ...world().operator, mobile: ONE });
    expect(await erase(ONE)).toMatchObject({ messages: 1 });
    world().now = at;
    const fired = await world().ledger.fire({
      schedule: schedule.n,
      nextAt: at,
      fireAt: at,
      missed: [],
      followingAt: at + 7 * DAY,
      id: 'weekly-1',
      name: 'weekly 1',
      now: at,
    });
    expect(fired).not.toBeNull();
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    expect(messages.map(({ mobile }) => mobile)).toEqual([TWO]);
    await world().record(
      worker,
      messages.map((message) => sent(fired as Campaign, message)),
    );
  });

  it('a late report joins the erased message and learns nothing about nobody', async () => {
    const { campaign } = await answered();
    await erase(ONE);
    const late = {
      messageId: `id-${campaign.n}-1`,
      mobile: ONE,
      delivery: 'undelivered',
      effect: 'permanent',
    } as const;
    await world().report(late);
    expect((await world().message(campaign.n, 1)).delivery).toBe('undelivered');
    expect(await world().open.sql('SELECT mobile FROM failure')).toEqual([]);
    // What it brought goes with the same order.
    expect(await erase(ONE)).toMatchObject({ messages: 0, reports: 1, webhooks: 1 });
    expect(await everything()).not.toContain(ONE);
  });

  it('opt-outs stay, with the failures under them; a raw webhook about somebody else stays, too', async () => {
    const { campaign } = await answered();
    await world().post({ replies: [stop(ONE)] });
    world().now += 1_000;
    const shared = await world().post({
      reports: [
        { messageId: `id-${campaign.n}-1`, mobile: ONE, effect: 'permanent' },
        { messageId: 'not-known-yet', mobile: TWO },
      ],
    });
    await world()
      .open.sql('UPDATE webhook SET body = ? WHERE id = ?', [`${ONE} ${TWO}`, shared])
      .catch(() => null);
    await erase(ONE);
    const suppressed = await world().ledger.suppressed({ mobiles: [ONE], sender: campaign.sender });
    expect([...suppressed.keys()]).toEqual([ONE]);
    expect(await world().open.sql('SELECT mobile FROM failure')).toEqual([{ mobile: ONE }]);
    expect(await world().open.sql('SELECT purged_at AS at FROM webhook WHERE id = ?', [shared])).toEqual([
      { at: null },
    ]);
    // The other report still finds its message.
    expect(await world().open.sql("SELECT joined FROM report WHERE messageid = 'not-known-yet'")).toEqual([
      { joined: 'waiting' },
    ]);
  });

  it('a webhook that nobody understood stays when it names somebody else, too, or only the same digits abroad', async () => {
    await notUnderstood(`[{"to":"${ONE}"},{"to":"${TWO}"},{"to":"254700000003"}]`);
    await notUnderstood('{"to":"255700000001"}', 'other');
    await notUnderstood(`2026-03-01 ${ONE} failed`);
    expect(await erase(ONE)).toMatchObject({ webhooks: 1, shared: 1 });
    const kept = await world().open.sql('SELECT purged_at IS NULL AS kept FROM webhook ORDER BY id');
    expect(kept.map((row) => row['kept'])).toEqual([1, 1, 0]);
  });

  it('an order that was cut short is finished by the same order, and leaves no number behind', async () => {
    await answered();
    await world().open.sql('INSERT INTO erasing (mobile, at) VALUES (?, 1)', [ONE]);
    expect(await erase(ONE)).toMatchObject({ messages: 1 });
    expect(await world().open.sql('SELECT mobile FROM erasing')).toEqual([]);
    expect(await everything()).not.toContain(ONE);
  });

  it('an order whose admin gets a lower role behind its commit goes to its end [X21]', async () => {
    await answered();
    const { ledger, operator } = world();
    const link = { digest: 'link', endsAt: world().now + DAY };
    await ledger.addUser({ ...operator, name: 'mary', id: 'id of mary', role: 'admin', link });
    const right = { of: { user: 'id of mary' }, role: 'admin' } as const;
    const [erased] = await Promise.all([
      askedFrom.run({ from: '10.0.0.7', right }, () => erase(ONE)),
      ledger.changeRole({ ...operator, name: 'mary', role: 'operator' }),
    ]);
    expect(erased).toMatchObject({ messages: 1 });
    expect(await world().open.sql('SELECT mobile FROM erasing')).toEqual([]);
  });

  it('what is left of an old order is removed by itself; a young one is left to whoever works on it', async () => {
    const { ledger, now } = world();
    await notUnderstood(`{"to":"${ONE}"}`);
    const orders = [
      [ONE, 1],
      [TWO, now],
    ];
    for (const order of orders)
      await world().open.sql('INSERT INTO erasing (mobile, at) VALUES (?, ?)', order);
    expect(await ledger.finishErasures({ now, before: now })).toBe(1);
    expect(await everything()).not.toContain(ONE);
    expect(await world().open.sql('SELECT mobile FROM erasing')).toEqual([{ mobile: TWO }]);
    await world().open.sql('DELETE FROM erasing');
  });

  it('while an order is open the audit of everybody else is kept', async () => {
    const campaign = await world().launch(2);
    const { ledger, operator } = world();
    await ledger.cancelPerson(campaign.n, { ...operator, mobile: TWO });
    await world().open.sql('INSERT INTO erasing (mobile, at) VALUES (?, 1)', ['254700000003']);
    const removed = () =>
      world().open.sql(
        "UPDATE audit SET detail = json_remove(detail, '$.mobile', '$.key', '$.words', '$.evidence') WHERE verb = 'cancel_person'",
      );
    await expect(removed()).rejects.toThrow('the audit is append-only');
    await world().open.sql('UPDATE erasing SET mobile = ?', [TWO]);
    await removed();
    await world().open.sql('DELETE FROM erasing');
  });

  it('without such an order the database itself keeps every identity, and one in flight even with it', async () => {
    const { campaign, third, worker } = await answered();
    const empty = (seq: number) =>
      world().open.sql(
        `UPDATE message SET mobile = 'purged-${seq}', key = '' WHERE campaign = ? AND seq = ${seq}`,
        [campaign.n],
      );
    await expect(empty(1)).rejects.toThrow('the identity of a message is fixed');
    await world().open.sql('INSERT INTO erasing (mobile, at) VALUES (?, 1)', ['254700000003']);
    await expect(empty(3)).rejects.toThrow('the identity of a message is fixed');
    await expect(empty(1)).rejects.toThrow('the identity of a message is fixed');
    if (third !== undefined) await world().record(worker, [refuse(campaign, third)]);
    await world().open.sql('DELETE FROM erasing');
  });
}
