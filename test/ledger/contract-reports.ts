import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NewReport } from '../../src/ledger/contracts/records.ts';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { requeued, START, sent, uncertain, type World } from './contract-world.ts';

/** A mobile that nothing was sent to. */
const STRANGER = '254799999999';

export function reportContract(world: () => World): void {
  const webhook = (text: string) => ({
    receivedAt: world().now,
    method: 'POST',
    contentType: 'application/json',
    query: 'a=1',
    body: new TextEncoder().encode(text),
    ip: '10.0.0.1',
  });

  it('the same webhook stored ten times, at once and by two processes, is one row that counted to ten [W4]', async () => {
    const other = await world().open.another();
    const store = (index: number) =>
      (index % 2 === 0 ? world().ledger : other).storeWebhook(webhook('{"a":1}'));
    await Promise.all(Array.from({ length: 10 }, (_, index) => store(index)));
    await world().ledger.storeWebhook({ ...webhook('{"a":1}'), query: 'a=2' });
    await other.close();
    const stored = await world().ledger.newWebhooks(10);
    expect(stored).toHaveLength(2);
    expect(stored[0]).toMatchObject({
      method: 'POST',
      contentType: 'application/json',
      query: 'a=1',
      ip: '10.0.0.1',
    });
    expect(new TextDecoder().decode(stored[0]?.body)).toBe('{"a":1}');
    expect(await world().column('webhook', 'times', `id = ${stored[0]?.webhook}`)).toBe(10);
  });

  it('webhooks that wait together, also the same one again, are stored as if they came one after another [W4]', async () => {
    const cases = 24;
    const post = fc.record({
      text: fc.constantFrom('a', 'b', 'c', 'd'),
      urgent: fc.boolean(),
      late: fc.constantFrom(0, 0, 5, -5),
    });
    const step = fc.record({
      posts: fc.array(post, { minLength: 1, maxLength: 6, size: 'max' }),
      then: fc.constantFrom('nothing', 'read', 'void'),
    });
    const steps = fc.array(step, { minLength: 2, maxLength: 4, size: 'max' });
    const seed = Number(process.env['TUMA_TEST_SEED'] ?? 20_261_129);
    for (const [index, each] of fc.sample(steps, { numRuns: cases, seed }).entries()) {
      const ends = [];
      for (const how of ['alone', 'together']) {
        const ip = `${how} ${index}`;
        for (const { posts, then } of each) {
          const store = (at: number) => {
            const { text, urgent, late } = posts[at] as (typeof posts)[number];
            return world().ledger.storeWebhook({ ...webhook(text), receivedAt: START + late, urgent, ip });
          };
          if (how === 'together') await Promise.all([...posts.keys()].map(store));
          else for (const at of posts.keys()) await store(at);
          await after(then, ip);
        }
        const columns = 'received_at, last_at, times, kind, urgent, voided_at, query, body';
        ends.push(await world().open.sql(`SELECT ${columns} FROM webhook WHERE ip = '${ip}' ORDER BY id`));
      }
      expect({ index, each, end: ends[1] }).toEqual({ index, each, end: ends[0] });
    }
  });

  /** What happens to the webhooks of an address between two sets of them. */
  async function after(what: string, ip: string): Promise<void> {
    const { ledger, now, operator } = world();
    if (what === 'void') await ledger.voidWebhooks({ ...operator, ip, since: null });
    if (what !== 'read') return;
    const unread = (await ledger.newWebhooks(1_000)).filter((each) => each.ip === ip);
    await ledger.recordReports(unread.map((each) => ({ ...each, kind: 'other', reports: [], now })));
  }

  it('a webhook that cannot be stored harms none that waits beside it', async () => {
    const texts = ['a', 'a', 'bad', 'b', 'a'];
    const stored = await Promise.allSettled(
      texts.map((text) =>
        world().ledger.storeWebhook({ ...webhook(text), receivedAt: text === 'bad' ? 0.5 : START }),
      ),
    );
    expect(stored.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true]);
    expect(await world().open.sql('SELECT times FROM webhook ORDER BY id')).toEqual([
      { times: 3 },
      { times: 1 },
    ]);
  });

  it('a webhook keeps every byte of its body, whatever it is and wherever in memory it lay', async () => {
    const all = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    await world().ledger.storeWebhook({ ...webhook(''), body: all.subarray(10, 290) });
    await world().ledger.storeWebhook(webhook(''));
    const stored = await world().ledger.newWebhooks(2);
    expect(stored.map(({ body }) => [...body])).toEqual([[...all.subarray(10, 290)], []]);
  });

  it('a webhook is processed once, whoever reads it', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: 'm1' })),
    );
    await world().ledger.storeWebhook(webhook('x'));
    const [raw] = await world().ledger.newWebhooks(1);
    const report = {
      messageId: 'm1',
      word: 'D',
      delivery: 'delivered' as const,
      reason: null,
      mobile: null,
      network: null,
      at: null,
    };
    const record = {
      webhook: raw?.webhook ?? 0,
      kind: 'report' as const,
      reports: [report],
      now: world().now,
    };
    await Promise.all([world().ledger.recordReports([record]), world().ledger.recordReports([record])]);
    expect(await world().open.sql('SELECT id FROM report')).toHaveLength(1);
    expect(await world().ledger.newWebhooks(1)).toEqual([]);
  });

  it('any order, repetition and early arrival of the same reports gives the same delivery [W5 I7]', async () => {
    type Said = Pick<NewReport, 'delivery' | 'reason'> & { mobile?: string };
    const words: Said[] = [
      { delivery: 'pending', reason: 'submitted' },
      { delivery: 'undelivered', reason: 'absent' },
      { delivery: 'undelivered', reason: 'no route' },
      { delivery: 'delivered', reason: null },
      { delivery: null, reason: 'who knows' },
      { delivery: 'delivered', reason: null, mobile: STRANGER },
      { delivery: 'undelivered', reason: 'absent', mobile: STRANGER },
      { delivery: null, reason: 'who knows', mobile: STRANGER },
    ];
    const count = 40;
    const { campaign, worker, messages } = await world().sending(count);
    const choice = fc.record({
      used: fc.subarray([...words.keys()], { minLength: 1 }),
      seeds: fc.array(fc.nat(1_000), { minLength: 10, maxLength: 10 }),
      early: fc.nat(10),
    });
    const choices = fc.sample(choice, { numRuns: count, seed: 20_261_120 });
    for (const [index, message] of messages.entries()) {
      const { used, seeds, early } = choices[index] as (typeof choices)[number];
      const order = seeds.map((seed) => used[seed % used.length] as number);
      const missing = used.filter((word) => !order.includes(word));
      const all = [...order, ...missing];
      for (const [place, word] of all.entries()) {
        if (place === early) await world().record(worker, [sent(campaign, message)]);
        await world().report({
          messageId: `id-${campaign.n}-${message.seq}`,
          ...(words[word] as (typeof words)[number]),
        });
      }
      if (early >= all.length) await world().record(worker, [sent(campaign, message)]);
      const known = used.filter((word) => word < 4);
      const rank = known.includes(3)
        ? 'delivered'
        : known.some((word) => word === 1 || word === 2)
          ? 'undelivered'
          : 'pending';
      const found = await world().message(campaign.n, message.seq);
      expect(found.delivery).toBe(rank);
      const conflict = known.includes(3) && (known.includes(1) || known.includes(2));
      expect(await world().column('message', 'conflict', `seq = ${message.seq}`)).toBe(conflict ? 1 : 0);
    }
    const joined = 'SELECT DISTINCT joined, mobile FROM report ORDER BY joined';
    expect(await world().open.sql(joined)).toEqual([
      { joined: 'ambiguous', mobile: STRANGER },
      { joined: 'joined', mobile: null },
    ]);
    await world().verify();
  });

  /** A sent message of the id m1 to 254700000001. */
  async function sentOne() {
    const { campaign, worker, messages } = await world().sending(1);
    const record = () => world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'm1' })]);
    return { campaign, record };
  }

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'a report %s the id is known that names another mobile joins nothing, and says nothing of either number',
    async (_when, isEarly) => {
      const { campaign, record } = await sentOne();
      if (!isEarly) await record();
      const said = { messageId: 'm1', mobile: STRANGER, reason: 'blacklisted' } as const;
      for (const effect of ['opted_out', 'permanent'] as const)
        await world().report({ ...said, delivery: 'undelivered', effect });
      await world().report({ ...said, delivery: 'delivered' });
      if (isEarly) await record();
      await world().ledger.joinWaiting(world().now);
      expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'pending', reason: null });
      expect(await world().values('report', 'joined')).toEqual(['ambiguous']);
      const mobiles = ['254700000001', STRANGER];
      expect(await world().ledger.suppressed({ mobiles, sender: 'DUKA' })).toEqual(new Map());
      expect(await world().column('failure', 'count(*)', 'TRUE')).toBe(0);
      expect(await (await world().reader()).mismatchedReports(2)).toMatchObject({
        count: 3,
        lastAt: world().now,
        webhooks: [3, 2],
      });
      await world().verify();
    },
  );

  it.each([null, '254700000001', '700000001', '00001', '123456', '2547000000', '256700000001', '0700000001'])(
    'a report that names no other mobile for sure is joined: %s',
    async (mobile) => {
      const { campaign, record } = await sentOne();
      await record();
      await world().report({ messageId: 'm1', mobile });
      expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'delivered' });
      expect(await (await world().reader()).mismatchedReports(2)).toEqual({
        count: 0,
        lastAt: null,
        webhooks: [],
      });
      await world().verify();
    },
  );

  it.each([['before'], ['after']])(
    'a report of another mobile that comes %s the one which decides an uncertain message is not its',
    async (when) => {
      const { campaign, worker, messages } = await world().sending(1);
      await world().record(worker, [uncertain(campaign, messages[0] as never)]);
      const other = { messageId: 'new', mobile: STRANGER, delivery: 'delivered' } as const;
      const own = { messageId: 'new', mobile: '254700000001', delivery: 'undelivered' } as const;
      for (const report of when === 'before' ? [other, own] : [own, other]) await world().report(report);
      expect(await world().message(campaign.n, 1)).toMatchObject({
        state: 'sent',
        delivery: 'undelivered',
      });
      expect(await world().column('report', 'joined', `mobile = '${STRANGER}'`)).toBe('ambiguous');
      await world().verify();
    },
  );

  it('a delivery keeps when, and why, its first report of the highest rank came', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: 'm1' })),
    );
    world().now += 100;
    await world().report({ messageId: 'm1', delivery: 'undelivered', reason: 'absent' });
    const first = world().now;
    world().now += 100;
    await world().report({ messageId: 'm1', delivery: 'undelivered', reason: 'later' });
    await world().report({ messageId: 'm1', delivery: 'pending', reason: 'queued' });
    expect(await world().message(campaign.n, 1)).toMatchObject({
      delivery: 'undelivered',
      reason: 'absent',
      reportedAt: first,
    });
  });

  it('a report with an unknown id waits, changes nothing, and is tried again for ever [W7]', async () => {
    const { campaign } = await world().sending(1);
    for (let index = 0; index < 3; index += 1) await world().report({ messageId: `stranger-${index}` });
    expect(await world().ledger.joinWaiting(world().now)).toBe(0);
    expect(await world().ledger.joinWaiting(world().now)).toBe(0);
    expect(await world().states(campaign.n)).toEqual({ sending: 1 });
    expect(await world().open.sql("SELECT id FROM report WHERE joined = 'waiting'")).toHaveLength(3);
  });

  it('behind a page of reports that nobody knows the others are tried, too', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().report({ messageId: 'stranger-0' });
    await world().report({ messageId: 'then this', mobile: '254700000001' });
    const columns = 'webhook, word, delivery, received_at, known, joined';
    await world().open.sql(
      `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 499)
       INSERT INTO report (messageid, ${columns})
       SELECT 'stranger-' || value, ${columns} FROM report, n WHERE messageid = 'stranger-0'`,
    );
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    const joined = [];
    for (let page = 0; page < 2; page += 1) joined.push(await world().ledger.joinWaiting(world().now));
    expect(joined).toEqual([0, 1]);
  });

  it('a report that names the mobile decides the one uncertain message to it', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await world().report({ messageId: 'new', mobile: '254700000001', network: '2' });
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'sent',
      delivery: 'delivered',
      messageId: 'new',
      network: '2',
      costMicro: null,
    });
    expect(await world().column('message', 'basis', 'seq = 1')).toBe('report');
    expect((await world().message(campaign.n, 2)).state).toBe('uncertain');
    const again = await world().record(worker, [
      sent(campaign, messages[0] as never, { messageId: 'other' }),
    ]);
    expect(again).toEqual(['stale']);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'new', costMicro: 7 })]);
    expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'delivered', costMicro: 7 });
  });

  /** A report has decided the first of two messages; then the second got the same id. */
  async function twins() {
    const { campaign, worker, messages } = await world().sending(2);
    const [first, second] = messages as [never, never];
    await world().record(worker, [uncertain(campaign, first)]);
    await world().report({ messageId: 'twin', mobile: '254700000001' });
    await world().record(worker, [sent(campaign, second, { messageId: 'twin' })]);
    await world().ledger.joinWaiting(world().now);
    return { campaign, worker, first };
  }

  it('what a report decided stays sent and delivered when a later message gets the same id [P13]', async () => {
    const { campaign } = await twins();
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'sent', delivery: 'pending' });
    await world().verify();
  });

  it('an answer that comes late, with the id that a report named and another message has, leaves both flagged [P13]', async () => {
    const { campaign, worker, first } = await twins();
    await world().record(worker, [sent(campaign, first, { messageId: 'twin' })]);
    await world().verify();
    await world().ledger.joinWaiting(world().now);
    const flags = await world().open.sql('SELECT flags FROM message ORDER BY seq');
    expect(flags.map((row) => row['flags'])).toEqual(['id_conflict', 'id_conflict']);
    await world().verify();
  });

  it.each([
    ['without a mobile', {}],
    ['with a word that nobody knows', { mobile: '254700000001', delivery: null }],
    ['to another number', { mobile: '254700000009' }],
  ])('a report %s decides nothing', async (_, facts) => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await world().report({ messageId: 'new', ...facts });
    expect((await world().message(campaign.n, 1)).state).toBe('uncertain');
  });

  it('a report by mobile decides nothing when two messages may be meant', async () => {
    const one = await world().sending(1, { name: 'one' });
    await world().record(
      one.worker,
      one.messages.map((message) => uncertain(one.campaign, message)),
    );
    const two = await world().sending(1, { name: 'two' });
    await world().report({ messageId: 'new', mobile: '254700000001' });
    expect((await world().message(one.campaign.n, 1)).state).toBe('uncertain');
    await world().record(
      two.worker,
      two.messages.map((message) => uncertain(two.campaign, message)),
    );
    expect(await world().ledger.joinWaiting(world().now)).toBe(0);
    await world().record(
      two.worker,
      two.messages.map((message) => sent(two.campaign, message)),
    );
    expect(await world().ledger.joinWaiting(world().now)).toBe(1);
    expect(await world().message(one.campaign.n, 1)).toMatchObject({ state: 'sent', messageId: 'new' });
  });

  it.each(['sent', 'not_sent'] as const)(
    'a report that may be of a message which a person called %s decides no other to the number',
    async (decision) => {
      const one = await world().sending(1);
      await world().record(
        one.worker,
        one.messages.map((message) => uncertain(one.campaign, message)),
      );
      await world().ledger.releaseBatch({ ...one.lease, now: world().now });
      world().now += 3_600_000;
      const resolved = { ...world().operator, decision, before: world().now };
      expect(await world().ledger.resolve(one.campaign.n, resolved)).toMatchObject({ resolved: 1 });
      await world().ledger.pause(one.campaign.n, { ...world().operator, reason: 'operator' });
      const two = await world().sending(1, { name: 'other' });
      await world().record(
        two.worker,
        two.messages.map((message) => uncertain(two.campaign, message)),
      );
      world().now += 1_000;
      await world().report({ messageId: 'of the first', mobile: '254700000001' });
      expect(await world().states(two.campaign.n)).toEqual({ uncertain: 1 });
      // Three days later no report of the first is to be expected any more.
      world().now += 71.5 * 3_600_000;
      await world().report({ messageId: 'of the second', mobile: '254700000001' });
      expect(await world().states(two.campaign.n)).toEqual({ sent: 1 });
    },
  );

  it.each(['write_off', 'sent', 'not_sent'] as const)(
    'a report decides no message beside another one that began by a clock which was set back since (%s) [S6]',
    async (decision) => {
      const right = world().now;
      world().now += 3_600_000;
      const ahead = await world().sending(1, { name: 'ahead' });
      await world().record(
        ahead.worker,
        ahead.messages.map((message) => uncertain(ahead.campaign, message)),
      );
      await world().ledger.releaseBatch({ ...ahead.lease, now: world().now });
      const before = world().now + 1;
      await world().ledger.resolve(ahead.campaign.n, { ...world().operator, decision, before });
      await world().ledger.pause(ahead.campaign.n, { ...world().operator, reason: 'operator' });
      world().now = right;
      expect(await isDecidedByUnknownId()).toBe(false);
    },
  );

  /** An uncertain message to the same number, of a campaign of its own, that is decided by a report whose id nobody knows. */
  async function isDecidedByUnknownId(): Promise<boolean> {
    const { campaign, worker, messages } = await world().sending(1, { name: 'other' });
    await world().record(worker, [uncertain(campaign, messages[0] as ClaimedMessage)]);
    world().now += 1_000;
    await world().report({ messageId: 'unknown', mobile: '254700000001' });
    return (await world().states(campaign.n))['sent'] === 1;
  }

  it.each(['sent', 'not_sent'] as const)(
    'a report is not of a message that was decided days ago (%s), though its campaign went on sending',
    async (decision) => {
      const campaign = await world().launch(2);
      const worker = await world().worker();
      const lease = await world().lease(worker, 400 * 3_600_000);
      const [first] = (await world().claim(lease, worker, { limit: 1 })).messages;
      await world().record(worker, [uncertain(campaign, first as ClaimedMessage)]);
      world().now += 3_600_000;
      const resolved = { ...world().operator, decision, before: world().now };
      expect(await world().ledger.resolve(campaign.n, resolved)).toMatchObject({ resolved: 1 });
      world().now += 80 * 3_600_000;
      const { messages } = await world().claim(lease, worker);
      await world().record(
        worker,
        messages.map((message) => sent(campaign, message)),
      );
      await world().ledger.releaseBatch({ ...lease, now: world().now });
      expect(await isDecidedByUnknownId()).toBe(true);
    },
  );

  it('a report is not of a message that was throttled before it was sent', async () => {
    const { campaign, worker, lease, messages } = await world().sending(1);
    await world().record(worker, [requeued(campaign, messages[0] as ClaimedMessage)]);
    const [again] = (await world().claim(lease, worker)).messages;
    await world().record(worker, [sent(campaign, again as ClaimedMessage)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect(await isDecidedByUnknownId()).toBe(true);
  });

  it('a message that was put back and is uncertain again is decided by the report of either attempt', async () => {
    const { campaign, worker, lease, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    world().now += 3_600_000;
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'not_sent',
      before: world().now,
    });
    const again = await world().claim(await world().lease(worker), worker);
    await world().record(
      worker,
      again.messages.map((message) => uncertain(campaign, message)),
    );
    await world().report({ messageId: 'of one of them', mobile: '254700000001' });
    expect(await world().states(campaign.n)).toEqual({ sent: 1 });
  });

  it('a report decides no message that was sent more than 72 hours before it', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(
      worker,
      messages.map((message) => uncertain(campaign, message)),
    );
    world().now += 72 * 3_600_000 + 1;
    await world().report({ messageId: 'new', mobile: '254700000001' });
    expect((await world().message(campaign.n, 1)).state).toBe('uncertain');
  });
}
