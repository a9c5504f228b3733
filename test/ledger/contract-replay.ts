import fc from 'fast-check';
import { expect, it } from 'vitest';
import { replyOf, stop } from './contract-replies.ts';
import { sent, uncertain, type World } from './contract-world.ts';

const FORGER = '203.0.113.9';
const ONE = '254700000001';
const STRANGER = '254799999999';

export function againContract(world: () => World): void {
  const operator = () => world().operator;
  const voidForger = (since: number | null = null) =>
    world().ledger.voidWebhooks({ ...operator(), ip: FORGER, since });

  async function oneUncertain() {
    const { campaign, worker, messages } = await world().sending(1);
    const [message] = messages as [never];
    await world().record(worker, [uncertain(campaign, message)]);
    return { campaign, worker, message };
  }

  it('a word is mapped once: reports of before and after mean it, in every spelling', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    const id = (seq: number) => `id-${campaign.n}-${seq}`;
    const unknown = { delivery: null, reason: null } as const;
    await world().post({ reports: [{ ...unknown, messageId: id(1), word: 'Barred By Net' }] });
    await world().post({ reports: [{ ...unknown, messageId: id(2), word: 'BARRED_BY_NET' }] });
    const reader = await world().reader();
    expect((await reader.unknownWords(10)).map(({ word, mapped }) => [word, mapped])).toEqual([
      ['BARRED_BY_NET', null],
      ['Barred By Net', null],
    ]);
    const order = { ...operator(), word: 'barredbynet', delivery: 'undelivered' as const };
    expect(await world().ledger.mapWord(order)).toBe(2);
    await world().post({ reports: [{ ...unknown, messageId: id(3), word: 'Barred-by-net' }] });
    const rows = await world().messages(campaign.n);
    expect(rows.map(({ delivery }) => delivery)).toEqual(['undelivered', 'undelivered', 'undelivered']);
    expect(rows[0]?.reason).toBe('Barred By Net');
    expect(await world().ledger.mapWord({ ...order, delivery: 'delivered' })).toBe(3);
    const again = await world().messages(campaign.n);
    expect(again.map(({ delivery, reason }) => [delivery, reason])).toEqual(
      Array.from({ length: 3 }, () => ['delivered', null]),
    );
    expect(await world().column('audit', 'count(*)', "verb = 'map'")).toBe(2);
    // What comes later means what was said last.
    await world().post({ reports: [{ ...unknown, messageId: 'late', word: 'Barred By Net' }] });
    expect(await world().column('report', 'delivery', "messageid = 'late'")).toBe('delivered');
    await world().post({ reports: [{ ...unknown, messageId: id(3), word: 'Another' }] });
    expect(await world().column('report', 'delivery', "word = 'Another'")).toBeNull();
  });

  it('a word that more reports hold than one step reads gets its meaning in all of them, in each once', async () => {
    const unknown = { word: 'Huh', delivery: null };
    await world().post({
      reports: Array.from({ length: 2_001 }, (_, at) => ({ ...unknown, messageId: `x${at}` })),
    });
    expect(await world().ledger.mapWord({ ...operator(), word: 'huh', delivery: 'delivered' })).toBe(2_001);
    expect(await world().column('report', 'count(*)', "delivery = 'delivered'")).toBe(2_001);
  });

  it('a word that gets a meaning decides an uncertain message, as it would have when it came', async () => {
    const { campaign } = await oneUncertain();
    await world().post({ reports: [{ messageId: 'x', word: 'Huh', delivery: null, mobile: ONE }] });
    expect((await world().message(campaign.n, 1)).state).toBe('uncertain');
    await world().ledger.mapWord({ ...operator(), word: 'huh', delivery: 'delivered' });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
  });

  it('a forged report that made a message sent is taken back: it is uncertain again, and audited [X2]', async () => {
    const { campaign, worker, message } = await oneUncertain();
    const told = 'network, delivery_reason, conflict, reported_at';
    const [before] = await world().open.sql(`SELECT ${told} FROM message`);
    const forged = { messageId: 'forged', delivery: 'delivered' as const, mobile: ONE };
    const failed = { ...forged, delivery: 'undelivered' as const, reason: 'absent', network: '63902' };
    await world().post({ ip: FORGER, reports: [failed, forged] });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    await world().open.sql("UPDATE message SET delivery_reason = 'absent'");
    world().now += 1_000;
    expect(await voidForger()).toEqual({ webhooks: 1, reports: 2, replies: 0, uncertain: 1 });
    // Nothing of it is left, and whoever calls it not sent waits anew for its report.
    expect(await world().open.sql(`SELECT ${told} FROM message`)).toEqual([before]);
    expect(await world().column('message', 'settled_at', 'TRUE')).toBe(world().now);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'uncertain',
      delivery: null,
      messageId: null,
      reason: 'report taken back',
    });
    expect(await world().column('audit', 'detail', "verb = 'void'")).toContain(FORGER);
    expect(await voidForger()).toMatchObject({ webhooks: 0, uncertain: 0 });
    // The honest answer to the same attempt still counts.
    expect(await world().record(worker, [sent(campaign, message)])).toEqual(['recorded']);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'pending' });
  });

  it('an honest report with the same id proves the message again', async () => {
    const { campaign } = await oneUncertain();
    const said = { messageId: 'same', delivery: 'delivered' as const, mobile: ONE };
    await world().post({ ip: FORGER, reports: [said] });
    await world().post({ reports: [said] });
    expect(await voidForger()).toMatchObject({ reports: 1, uncertain: 0 });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
  });

  it('a message that was answered is never uncertain again, whatever is taken back', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    await world().post({ ip: FORGER, reports: [{ messageId: 'a', delivery: 'delivered' }] });
    await world().post({ reports: [{ messageId: 'a', delivery: 'undelivered', reason: 'absent' }] });
    expect(await world().column('message', 'conflict', 'seq = 1')).toBe(1);
    await voidForger();
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'undelivered' });
    expect(await world().column('message', 'conflict', 'seq = 1')).toBe(0);
    const text = "UPDATE message SET state = 'uncertain', actor = 'operator', basis = NULL, delivery = NULL";
    await expect(world().open.sql(text)).rejects.toThrow('only a report or a mapping can be taken back');
  });

  it('a forged id that a real message carries leaves no conflict behind', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(worker, [uncertain(campaign, messages[0] as never)]);
    await world().post({ ip: FORGER, reports: [{ messageId: 'real', delivery: 'delivered', mobile: ONE }] });
    const flags = ['no_mobile_echoed', 'cost_unreadable'];
    await world().record(worker, [
      { ...sent(campaign, messages[1] as never, { messageId: 'real' }), flags } as never,
    ]);
    await world().post({ reports: [{ messageId: 'real', delivery: 'delivered' }] });
    expect(await world().message(campaign.n, 2)).toMatchObject({ delivery: 'pending' });
    expect(await voidForger()).toMatchObject({ uncertain: 1 });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'uncertain' });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    expect(await world().column('message', 'flags', 'seq = 2')).toBe('no_mobile_echoed,cost_unreadable');
    expect(await world().column('message', 'flags', 'seq = 1')).toBeNull();
  });

  it('forged STOPs and STARTs are taken back; what honest people asked for stays [X3]', async () => {
    await world().ledger.addOptOuts([{ mobile: '254700000003', source: 'operator' }], world().now);
    world().now += 1;
    await world().post({ replies: [stop('254700000002')] });
    await world().post({
      ip: FORGER,
      replies: [stop(ONE), stop('254700000002'), replyOf('254700000003', { text: 'START', wish: 'start' })],
    });
    const mobiles = [ONE, '254700000002', '254700000003'];
    const out = async () => [...(await world().ledger.suppressed({ mobiles, sender: 'DUKA' })).keys()];
    expect(await out()).toEqual([ONE, '254700000002']);
    expect(await voidForger()).toMatchObject({ replies: 3 });
    expect(await out()).toEqual(['254700000002', '254700000003']);
    const reader = await world().reader();
    expect(await reader.replies({ campaign: null, since: 0, before: null, limit: 9 })).toHaveLength(1);
  });

  it('what is taken back before anybody read it is never read, however many came in between', async () => {
    const raw = { receivedAt: 1, method: 'POST', contentType: '', query: '', ip: FORGER };
    await world().ledger.storeWebhook({ ...raw, body: new Uint8Array([1]) });
    await world().ledger.storeWebhook({ ...raw, body: new Uint8Array([2]) });
    await world().open.sql('UPDATE webhook SET id = 2500 WHERE id = 2');
    expect(await voidForger()).toMatchObject({ webhooks: 2 });
    expect(await world().ledger.newWebhooks(9)).toEqual([]);
  });

  it('a STOP that is posted and taken back twice was asked for twice and taken back twice', async () => {
    const raw = { method: 'POST', contentType: '', query: '', body: new Uint8Array([1]), ip: FORGER };
    for (const _ of [1, 2]) {
      await world().ledger.storeWebhook({ ...raw, receivedAt: (world().now += 1_000) });
      const read = { webhook: 1, kind: 'reply' as const, reports: [], now: world().now };
      await world().ledger.recordReports([{ ...read, replies: [{ ...stop(ONE), at: null }] }]);
      await voidForger();
    }
    const changes = await world().open.sql('SELECT change FROM opt_out_event ORDER BY id');
    expect(changes.map(({ change }) => change)).toEqual(['added', 'voided', 'added', 'voided']);
  });

  it('only what came since a moment is taken back', async () => {
    await world().post({ ip: FORGER, replies: [stop(ONE)] });
    world().now += 1_000;
    await world().post({ ip: FORGER, replies: [stop('254700000002')] });
    expect(await voidForger(world().now)).toMatchObject({ webhooks: 1 });
    const mobiles = [ONE, '254700000002'];
    expect([...(await world().ledger.suppressed({ mobiles, sender: 'X' })).keys()]).toEqual([ONE]);
  });

  it('what a forger posted first does not swallow the same words from the provider', async () => {
    const raw = { receivedAt: 1, method: 'POST', contentType: '', query: '', body: new Uint8Array([1]) };
    await world().ledger.storeWebhook({ ...raw, ip: FORGER });
    await world().ledger.storeWebhook({ ...raw, ip: '127.0.0.1' });
    expect(await world().ledger.newWebhooks(10)).toHaveLength(2);
  });

  it('a report that is posted again after it was taken back counts, and can be taken back as one of then', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    await world().post({ reports: [{ messageId: 'of another' }] });
    const report = { messageId: 'a', word: 'D', delivery: 'delivered', reason: null, mobile: null } as const;
    const raw = { method: 'POST', contentType: '', query: '', body: new Uint8Array([1]), ip: FORGER };
    for (const _ of [1, 2]) {
      const receivedAt = (world().now += 1_000);
      await world().ledger.storeWebhook({ ...raw, receivedAt });
      for (const { webhook } of await world().ledger.newWebhooks(10)) {
        const read = { webhook, reports: [{ ...report, network: null, at: null }], now: world().now };
        await world().ledger.recordReports([{ ...read, kind: 'report' }]);
      }
      expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'delivered' });
      expect(await voidForger(receivedAt)).toMatchObject({ webhooks: 1, reports: 1 });
      expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'pending' });
    }
  });

  it('reading a webhook again replaces what was read, and twice is as once', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    const reply = stop('254700000009');
    const webhook = await world().post({ reports: [{ messageId: 'a' }], replies: [reply] });
    const report = { messageId: 'a', word: 'D', delivery: 'delivered', reason: null, mobile: null } as const;
    const reports = [{ ...report, network: null, at: null }];
    for (const _ of [1, 2]) {
      await world().ledger.rereadWebhook({
        webhook,
        kind: 'report',
        reports,
        replies: [reply],
        now: world().now,
      });
      expect(await world().message(campaign.n, 1)).toMatchObject({ delivery: 'delivered' });
      expect(await world().column('report', 'count(*)', 'TRUE')).toBe(1);
      expect(await world().column('opt_out_event', 'count(*)', 'TRUE')).toBe(1);
    }
    await voidForger();
    expect(await world().ledger.storedWebhooks({ after: 0, limit: 10 })).toHaveLength(1);
    await world().ledger.voidWebhooks({ ...operator(), ip: '127.0.0.1', since: null });
    expect(await world().ledger.storedWebhooks({ after: 0, limit: 10 })).toEqual([]);
    await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
    expect(await world().column('report', 'count(*)', 'TRUE')).toBe(0);
  });

  it('only what was read is read again, from where the look before ended', async () => {
    const first = await world().post({ reports: [{ messageId: 'a' }] });
    const second = await world().post({ reports: [{ messageId: 'b' }] });
    const raw = { receivedAt: 1, method: 'POST', contentType: '', query: '', ip: '' };
    await world().ledger.storeWebhook({ ...raw, body: new Uint8Array([1]) });
    const stored = await world().ledger.storedWebhooks({ after: first, limit: 9 });
    expect(stored.map(({ webhook }) => webhook)).toEqual([second]);
    const [unread] = await world().ledger.newWebhooks(9);
    const again = { webhook: unread?.webhook ?? 0, kind: 'other' as const, reports: [], now: world().now };
    await world().ledger.rereadWebhook(again);
    // One that came again meanwhile is read as one that came.
    expect(await world().ledger.newWebhooks(9)).toEqual([unread]);
  });

  it('what only a report had proved is uncertain again when that report is read no more', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(worker, [
      uncertain(campaign, messages[0] as never),
      sent(campaign, messages[1] as never, { messageId: 'b' }),
    ]);
    const delivered = { delivery: 'delivered', mobile: ONE } as const;
    const webhook = await world().post({ reports: [{ messageId: 'a', ...delivered }, { messageId: 'b' }] });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    const again = { webhook, kind: 'not_understood', now: world().now } as const;
    const proof = await world().post({ reports: [{ messageId: 'a', ...delivered }] });
    await world().ledger.rereadWebhook({ ...again, reports: [] });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    await world().ledger.rereadWebhook({ ...again, webhook: proof, reports: [] });
    for (const _ of [1, 2]) await world().ledger.rereadWebhook({ ...again, reports: [] });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'uncertain' });
    expect(await world().column('message', 'messageid', 'seq = 1')).toBeNull();
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'sent', delivery: 'pending' });
    await world().verify();
  });

  it('a report of another mobile says nothing, however often it is read again, mapped, or taken back', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    const report = { messageId: 'a', word: 'Huh', delivery: null, reason: null, mobile: STRANGER } as const;
    const webhook = await world().post({ ip: FORGER, reports: [report] });
    const isUntouched = async (joined: string | undefined) => {
      expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'pending' });
      expect(await world().column('report', 'joined', 'TRUE')).toBe(joined);
      await world().verify();
    };
    await isUntouched('ambiguous');
    await world().ledger.mapWord({ ...operator(), word: 'huh', delivery: 'undelivered' });
    await isUntouched('ambiguous');
    const reports = [{ ...report, network: null, at: null }];
    await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
    await isUntouched('ambiguous');
    await voidForger();
    await isUntouched(undefined);
  });

  it('a joined report that names another mobile when it is read again is taken out, and back in', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    const said = { messageId: 'a', word: 'D', delivery: 'delivered', reason: null, mobile: ONE } as const;
    const webhook = await world().post({ reports: [said] });
    for (const [mobile, delivery] of [
      [STRANGER, 'pending'],
      [ONE, 'delivered'],
    ] as const) {
      const reports = [{ ...said, mobile, network: null, at: null }];
      await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
      expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery });
      await world().verify();
    }
  });

  it.each(['read again as of another mobile', 'taken back'])(
    'what a report alone had proved is uncertain again when it is %s, and the reports of others wait',
    async (how) => {
      const { campaign } = await oneUncertain();
      const proof = { messageId: 'a', word: 'D', delivery: 'delivered', reason: null, mobile: ONE } as const;
      const webhook = await world().post({ ip: FORGER, reports: [proof] });
      await world().post({ reports: [{ ...proof, mobile: STRANGER }] });
      expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
      const reports = [{ ...proof, mobile: STRANGER, network: null, at: null }];
      if (how === 'taken back') await voidForger();
      else await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
      expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'uncertain', messageId: null });
      expect(await world().values('report', 'joined')).toEqual(['waiting']);
      await world().verify();
    },
  );

  it('what a report decided stays sent when it is read again after another message got its id [P13]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(worker, [uncertain(campaign, messages[0] as never)]);
    const proof = { messageId: 'a', word: 'D', delivery: 'delivered', reason: null, mobile: ONE } as const;
    const webhook = await world().post({ reports: [proof] });
    await world().record(worker, [sent(campaign, messages[1] as never, { messageId: 'a' })]);
    const reports = [{ ...proof, network: null, at: null }];
    await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', delivery: 'delivered' });
    await world().verify();
  });

  it('reports, forgeries, a map and a void in any order leave the same messages [X2 I7]', async () => {
    const count = 12;
    const { campaign, worker, messages } = await world().sending(count);
    const seed = Number(process.env['TUMA_TEST_SEED'] ?? Date.now() % 1_000_000);
    const steps = ['honest', 'unknown', 'forged', 'failed', 'map', 'other'] as const;
    const orders = fc.sample(fc.shuffledSubarray([...steps], { minLength: steps.length }), {
      numRuns: count,
      seed,
    });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: `p${message.seq}` })),
    );
    for (const [index, order] of orders.entries()) {
      const messageId = `p${index + 1}`;
      const word = `Odd word ${'abcdefghijkl'[index]}`;
      for (const step of order) {
        if (step === 'honest') await world().post({ reports: [{ messageId, delivery: 'pending' }] });
        if (step === 'unknown') await world().post({ reports: [{ messageId, word, delivery: null }] });
        if (step === 'other')
          await world().post({ reports: [{ messageId, delivery: 'delivered', mobile: STRANGER }] });
        if (step === 'failed')
          await world().post({ reports: [{ messageId, reason: 'absent', effect: 'absent' }] });
        if (step === 'forged') {
          await world().post({ ip: FORGER, reports: [{ messageId, delivery: 'delivered' }] });
          await voidForger();
        }
        if (step === 'map') await world().ledger.mapWord({ ...operator(), word, delivery: 'pending' });
      }
    }
    for (const row of await world().messages(campaign.n))
      expect({ seed, ...row }).toMatchObject({ delivery: 'undelivered', reason: 'absent' });
    expect(await world().column('failure', 'count(*)', "effect = 'absent'")).toBe(count);
    expect(await world().open.sql('SELECT 1 FROM message WHERE conflict = 1')).toEqual([]);
  });
}
