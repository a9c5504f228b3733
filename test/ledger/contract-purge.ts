import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { replyOf } from './contract-replies.ts';
import { rejected, sent, uncertain, type World } from './contract-world.ts';
import type { NewReminder } from '../../src/ledger/contracts/schedules.ts';
import { reminderWorld } from './reminder-world.ts';

/** Personal data is removed from what is settled; whatever is counted stays as it was. */
export function purgeContract(world: () => World): void {
  const purge = (campaign: Campaign) => world().ledger.purgeCampaign(campaign.n, world().operator);

  /** One sent, one rejected that a retry could help, one uncertain. */
  async function settled() {
    const { campaign, worker, lease, messages } = await world().sending(3);
    const [one, two, three] = messages;
    if (one === undefined || two === undefined || three === undefined) throw new Error('not claimed');
    const evidence = { httpStatus: 500, code: null, raw: 'sorry, 254700000003' };
    await world().record(worker, [
      sent(campaign, one),
      rejected(campaign, two, true),
      { ...uncertain(campaign, three), evidence },
    ]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    return campaign;
  }

  it('numbers, keys and fields go, and nothing else of a message changes', async () => {
    const campaign = await settled();
    const before = await world().messages(campaign.n);
    expect(await purge(campaign)).toBe(3);
    const after = await world().messages(campaign.n);
    expect(after).toEqual(
      before.map((message) => ({ ...message, mobile: `purged-${message.seq}`, key: '', fields: [] })),
    );
    expect(await world().column('evidence', 'raw', `campaign = ${campaign.n}`)).toBeNull();
    expect(await world().column('evidence', 'http_status', `campaign = ${campaign.n}`)).toBe(500);
    const reader = await world().reader();
    expect(await reader.purges()).toEqual([{ campaign: campaign.n, purgedAt: world().now }]);
    expect(await world().column('audit', 'count(*)', "verb = 'purge'")).toBe(1);
  });

  it('a canceled recurring job is purged, and what was copied for a firing can be discarded', async () => {
    const settings = { every: { cron: '0 9 * * mon' } };
    const startAt = world().now + 3_600_000;
    const schedule = await world().launch(3, { name: 'weekly', settings, startAt });
    const half = await world().draft(2, { name: 'weekly 1' });
    await world().open.sql('UPDATE schedule SET building = ?', [half.n]);
    await world().ledger.discardDraft(half.n);
    expect(await world().messages(half.n)).toHaveLength(2);
    expect(await purge(schedule)).toBeNull();

    await world().ledger.cancel(schedule.n, world().operator);
    expect(await purge(schedule)).toBe(3);
    await world().ledger.discardDraft(half.n);
    expect(await world().messages(half.n)).toEqual([]);
  });

  it.each(['messages', 'traces'])(
    'a report of another mobile stays one when a purge takes the %s away',
    async (what) => {
      const campaign = await settled();
      await world().report({ messageId: `id-${campaign.n}-1`, mobile: '254799999999' });
      world().now += 1_000;
      if (what === 'messages') await purge(campaign);
      else await world().ledger.purgeTraces({ ...world().operator, before: world().now });
      expect(await world().column('report', 'joined', 'TRUE')).toBe('ambiguous');
      expect(await (await world().reader()).mismatchedReports(1)).toMatchObject({ count: 1 });
      await world().verify();
    },
  );

  it('a campaign is purged once', async () => {
    const campaign = await settled();
    expect(await purge(campaign)).toBe(3);
    expect(await purge(campaign)).toBeNull();
  });

  it('what an upload is being laid over is not purged, though all of it went: it would remind the same people again', async () => {
    const { launch, upload } = reminderWorld(world);
    const rows = [{ who: 1, day: 0 }];
    const campaign = await launch(rows);
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    expect(await upload(campaign, rows)).toBe(true);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await purge(campaign)).toBeNull();
    expect(await world().ledger.applyUploads(world().now)).toBe(true);
    expect(await purge(campaign)).toBe(1);
  });

  it.each([
    ['with a key, also of another date', true],
    ['without a key, of the same date', false],
  ])('a reminder that was purged is not sent again, at none of its numbers: %s', async (_what, keyed) => {
    const { launch, reminder } = reminderWorld(world);
    const row = { who: 1, day: 0, key: keyed ? 'INV-1' : '', others: [7] };
    const campaign = await launch([row], { keyed });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    const again = (who: number, key = row.key, day = 0) => reminder({ who, key, day }, 0);
    const asked = async (rows: NewReminder[]) =>
      world().ledger.remindedBefore({ name: 'rent', keyed, rows, now: world().now });
    const rows = [again(1), again(7), again(8), again(1, 'other'), again(1, row.key, 5)];
    const before = await asked(rows);
    expect(before).toEqual([true, true, false, false, keyed]);
    expect(await purge(campaign)).toBe(1);
    expect(await asked(rows)).toEqual(before);
    for (const { digest } of await world().open.sql('SELECT digest FROM purged_reminder')) {
      expect(digest).toBeInstanceOf(Uint8Array);
      expect(Buffer.from(digest as Uint8Array).toString('latin1')).not.toContain('254700000001');
    }
  });

  it('another process knows what was purged, whatever failed beside the first purge and undid it once', async () => {
    const { launch, reminder } = reminderWorld(world);
    const campaign = await launch([{ who: 1, day: 0, key: 'INV-1' }], { keyed: true });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    let isPurged = false;
    // Each step of the purge is in one group with an operation that fails behind it.
    const failing = async () => {
      while (!isPurged)
        await expect(
          world().ledger.setRate(999_999, { ...world().operator, ratePerSecond: 1 }),
        ).rejects.toMatchObject({ code: 'not_found' });
    };
    const purged = purge(campaign).finally(() => (isPurged = true));
    await failing();
    expect(await purged).toBe(1);
    const rows = [reminder({ who: 1, day: 0, key: 'INV-1' }, 0)];
    const asked = { name: 'rent', keyed: true, rows, now: world().now };
    const other = await world().open.another();
    expect(await other.remindedBefore(asked)).toEqual([true]);
    expect(await world().ledger.remindedBefore(asked)).toEqual([true]);
  });

  it('of an open campaign nothing is removed, and the database itself refuses it', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    expect(await purge(campaign)).toBeNull();
    const sql = (text: string, values: (string | number)[]) => world().open.sql(text, values);
    await expect(sql('UPDATE campaign SET purge_seq = 0 WHERE n = ?', [campaign.n])).rejects.toThrow(
      'only a settled campaign',
    );
    await expect(
      sql("UPDATE message SET mobile = 'purged-1', key = '' WHERE campaign = ? AND seq = 1", [campaign.n]),
    ).rejects.toThrow('the identity of a message is fixed');
    expect((await world().messages(campaign.n)).map(({ mobile }) => mobile)).toEqual([
      '254700000001',
      '254700000002',
    ]);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
  });

  it('a step is bounded, and a purge that was cut short goes on where it was', async () => {
    const campaign = await settled();
    const sql = (text: string, values: (string | number)[]) => world().open.sql(text, values);
    await sql('UPDATE campaign SET purge_seq = 0 WHERE n = ?', [campaign.n]);
    for (const mobile of ['254700000009', 'purged-2'])
      await expect(
        sql('UPDATE message SET mobile = ? WHERE campaign = ? AND seq = 1', [mobile, campaign.n]),
      ).rejects.toThrow('the identity of a message is fixed');
    await sql("UPDATE message SET mobile = 'purged-1', fields = '[]' WHERE campaign = ? AND seq = 1", [
      campaign.n,
    ]);
    await sql('UPDATE campaign SET purge_seq = 1 WHERE n = ?', [campaign.n]);
    expect(await (await world().reader()).purges()).toEqual([{ campaign: campaign.n, purgedAt: null }]);
    expect(await purge(campaign)).toBe(2);
    expect((await world().messages(campaign.n)).map(({ mobile }) => mobile)).toEqual([
      'purged-1',
      'purged-2',
      'purged-3',
    ]);
  });

  it('nothing of a purged campaign is sent again, whoever asks', async () => {
    const campaign = await settled();
    await purge(campaign);
    const { ledger, operator, open } = world();
    await expect(ledger.retry(campaign.n, operator)).rejects.toMatchObject({ code: 'state_forbids' });
    await expect(
      ledger.resolve(campaign.n, { ...operator, decision: 'not_sent', before: world().now + 1 }),
    ).rejects.toMatchObject({ code: 'state_forbids' });
    await expect(
      open.sql('UPDATE batch SET settled_at = NULL WHERE campaign = ?', [campaign.n]),
    ).rejects.toThrow('nothing of a purged campaign is sent again');
    // Deciding what is uncertain sends nothing.
    const { resolved } = await ledger.resolve(campaign.n, { ...operator, decision: 'sent', before: 0 });
    expect(resolved).toBe(1);
  });

  it('a number that an operator named leaves the audit; nothing else of the audit can change', async () => {
    const campaign = await settled();
    const { ledger, operator, open } = world();
    await ledger.resolve(campaign.n, {
      ...operator,
      decision: 'write_off',
      before: 0,
      mobile: '254700000003',
    });
    await purge(campaign);
    expect(await world().column('audit', 'detail', "verb = 'resolve'")).toBe('{"decision":"write_off"}');
    await expect(open.sql("UPDATE audit SET detail = '{}' WHERE verb = 'resolve'")).rejects.toThrow(
      'append-only',
    );
  });

  it('what comes late for a purged message still counts, and learns nothing about nobody', async () => {
    const campaign = await settled();
    await purge(campaign);
    await world().report({ messageId: `id-${campaign.n}-1`, delivery: 'undelivered', effect: 'permanent' });
    expect((await world().message(campaign.n, 1)).delivery).toBe('undelivered');
    expect(await world().open.sql('SELECT mobile FROM failure')).toEqual([]);
  });

  it('numbers that were opted out stay so, others that failed once are forgotten', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    await world().report({ messageId: `id-${campaign.n}-1`, delivery: 'undelivered', effect: 'opted_out' });
    await world().report({ messageId: `id-${campaign.n}-2`, delivery: 'undelivered', effect: 'permanent' });
    await purge(campaign);
    const mobiles = ['254700000001', '254700000002'];
    const suppressed = await world().ledger.suppressed({ mobiles, sender: campaign.sender });
    expect([...suppressed]).toEqual([['254700000001', 'opted out']]);
    expect(await world().open.sql('SELECT mobile FROM failure')).toEqual([{ mobile: '254700000001' }]);
  });

  it('raw webhooks, numbers of reports and replies of before go; what is younger or unread stays', async () => {
    const campaign = await settled();
    const { ledger } = world();
    await world().report({ messageId: `id-${campaign.n}-1`, mobile: '254700000001' });
    const tallies = async () => (await world().reader()).tallies(campaign.n, 0);
    const before = await tallies();
    const old = world().now;
    world().now += 1_000;
    await world().report({ messageId: 'other', mobile: '254700000007' });
    expect(await ledger.purgeTraces({ ...world().operator, before: old + 1 })).toEqual({
      webhooks: 1,
      reports: 1,
      replies: 0,
    });
    expect(await world().open.sql('SELECT mobile FROM report ORDER BY id')).toEqual([
      { mobile: null },
      { mobile: '254700000007' },
    ]);
    const raws = await world().open.sql('SELECT length(body) AS bytes FROM webhook ORDER BY id');
    expect(raws[0]).toEqual({ bytes: 0 });
    expect(raws[1]?.['bytes']).toBeGreaterThan(0);
    expect(await tallies()).toEqual(before);
  });

  it('a webhook that nobody has read yet is left to be read, however old it is', async () => {
    const campaign = await settled();
    const { ledger, now } = world();
    const raw = { method: 'POST', contentType: 'application/json', query: '', ip: '127.0.0.1' };
    await ledger.storeWebhook({ ...raw, receivedAt: now, body: new TextEncoder().encode('unread') });
    expect(await purge(campaign)).toBe(3);
    expect(await ledger.purgeTraces({ ...world().operator, before: now + 1 })).toMatchObject({ webhooks: 0 });
    const [left] = await ledger.newWebhooks(1);
    expect(new TextDecoder().decode(left?.body)).toBe('unread');
  });

  it('a number among the words of a report is masked where they are shown, and goes from them with a purge', async () => {
    const campaign = await settled();
    const said = { word: 'No route to 254700000001', reason: 'not delivered (254700000001)' };
    const id = `id-${campaign.n}-1`;
    await world().report({ messageId: id, delivery: 'undelivered', ...said });
    await world().report({ messageId: 'other', word: said.word });
    await world().report({ messageId: 'another', reason: said.reason });
    const masked = 'not delivered (2547****0001)';
    expect(await world().message(campaign.n, 1)).toMatchObject({ reason: masked });
    await world().ledger.purgeTraces({ ...world().operator, before: world().now + 1 });
    expect(await world().open.sql('SELECT word, reason FROM report')).toEqual([
      { word: 'No route to 2547****0001', reason: masked },
      { word: 'No route to 2547****0001', reason: null },
      { word: 'DeliveredToTerminal', reason: masked },
    ]);
  });

  it('a report of an unknown id outlives a purge while it waits, also one that takes its number, and joins in the end [W7]', async () => {
    const { ledger } = world();
    const came = world().now;
    for (const messageId of ['early-1', 'early-2'])
      await world().report({ messageId, mobile: '254700000002' });
    world().now += 1_000;
    const waiting = () => world().open.sql("SELECT mobile FROM report WHERE joined = 'waiting'");
    expect(await ledger.purgeTraces({ ...world().operator, before: came })).toMatchObject({ reports: 0 });
    expect(await waiting()).toEqual([{ mobile: '254700000002' }, { mobile: '254700000002' }]);
    expect(await ledger.purgeTraces({ ...world().operator, before: came + 1 })).toMatchObject({ reports: 2 });
    expect(await waiting()).toEqual([{ mobile: null }, { mobile: null }]);
    const { campaign, worker, messages } = await world().sending(2);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: `early-${message.seq}` })),
    );
    expect(await waiting()).toEqual([]);
    expect((await world().message(campaign.n, 1)).delivery).toBe('delivered');
  });

  it('replies keep their time, their campaign and their wish, and lose number, text and everything else', async () => {
    const { ledger, now } = world();
    const raw = { method: 'POST', contentType: 'application/json', query: '', ip: '127.0.0.1' };
    await ledger.storeWebhook({ ...raw, receivedAt: now, body: new TextEncoder().encode('STOP it') });
    const [stored] = await ledger.newWebhooks(1);
    const reply = {
      channel: 'chat' as const,
      identity: 'chat-1',
      recordId: 'file-1',
      mobile: '254700000001',
      addressee: 'DUKA',
      text: 'STOP, says Amina',
      at: now,
      detail: { name: 'Amina' },
      wish: 'stop' as const,
    };
    const record = {
      webhook: stored?.webhook ?? 0,
      kind: 'reply' as const,
      reports: [],
      replies: [reply],
      now,
    };
    await ledger.recordReports([record]);
    const counts = await ledger.purgeTraces({ ...world().operator, before: now + 1 });
    expect(counts).toEqual({ webhooks: 1, reports: 0, replies: 1 });
    expect(await world().open.sql('SELECT detail FROM reply')).toEqual([{ detail: '{}' }]);
    const reader = await world().reader();
    const query = { campaign: null, since: 0, before: null, limit: 10 };
    expect(await reader.replies(query)).toMatchObject([
      { mobile: 'purged-1', text: '', detail: {}, recordId: null, at: now, receivedAt: now, wish: 'stop' },
    ]);
    // Whoever asked not to be written to still is not.
    const mobiles = [reply.mobile];
    expect((await ledger.suppressed({ mobiles, sender: 'DUKA' })).get(reply.mobile)).toBe('opted out');
    expect(await ledger.purgeTraces({ ...world().operator, before: now + 1 })).toMatchObject({ replies: 0 });
  });

  it('a younger reply stays as it is', async () => {
    const before = world().now;
    await world().post({ replies: [replyOf('254700000001', { text: 'When is it due?' })] });
    expect(await world().ledger.purgeTraces({ ...world().operator, before })).toMatchObject({ replies: 0 });
    expect(await world().open.sql('SELECT mobile, text FROM reply')).toEqual([
      { mobile: '254700000001', text: 'When is it due?' },
    ]);
  });

  it('a raw webhook that was emptied is never read again: what it said stays', async () => {
    const campaign = await settled();
    const { ledger } = world();
    await world().report({ messageId: `id-${campaign.n}-1` });
    await ledger.purgeTraces({ ...world().operator, before: world().now + 1 });
    expect(await ledger.storedWebhooks({ after: 0, limit: 10 })).toEqual([]);
    await ledger.rereadWebhook({ webhook: 1, kind: 'not_understood', reports: [], now: world().now });
    expect((await world().message(campaign.n, 1)).delivery).toBe('delivered');
  });
}
