import { expect, it } from 'vitest';
import type { AlertCause } from '../../src/domain/alert.ts';
import type { DueAlert } from '../../src/ledger/contracts/alerts.ts';
import type { NewReply } from '../../src/ledger/contracts/replies.ts';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { ACCOUNT, KES, sent, uncertain, type World } from './contract-world.ts';
import { reminderWorld } from './reminder-world.ts';

const HOUR_MS = 3_600_000;

/** What people are told: once for each event, and at least once by each channel. */
export function alertsContract(world: () => World): void {
  const raise = () =>
    world().ledger.raiseAlerts({ now: world().now, lowCreditMicro: 100 * KES, uncertain: 2 });
  /** What the channel should try now, cause by cause. */
  const takeGroups = (channel = 'webhook') => world().ledger.takeAlerts({ now: world().now, channel });
  const take = async (channel = 'webhook') => (await takeGroups(channel)).flat();
  const causes = async () => (await take()).map(({ cause, campaign }) => [cause, campaign?.name ?? null]);

  /** The channel takes everything that is due. Answers what it was told. */
  async function deliverAll() {
    const told: DueAlert[] = [];
    for (let some = await take(); some.length > 0; some = await take()) {
      told.push(...some);
      for (const { id } of some)
        await world().ledger.recordAlertTry({
          alert: id,
          channel: 'webhook',
          now: world().now,
          retryAt: null,
        });
    }
    return told;
  }

  async function reading(creditMicro: number): Promise<void> {
    world().now += 1_000;
    const begun = await world().ledger.beginReading(ACCOUNT, world().now);
    await world().ledger.recordReading({ account: ACCOUNT, begun, at: world().now, creditMicro });
  }

  /** Everything of a campaign is sent and settled. */
  async function finished(name: string) {
    const { campaign, worker, lease, messages } = await world().sending(2, { name });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    return campaign;
  }

  it('a campaign that ends is told once, and once more when a person has it send again', async () => {
    const { campaign, worker, lease, messages } = await world().sending(1);
    await world().record(worker, [uncertain(campaign, messages[0] as ClaimedMessage)]);
    expect(await raise()).toBe(0);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    expect([await raise(), await raise()]).toEqual([1, 0]);
    expect(await causes()).toEqual([['finished', 'promo']]);
    world().now += HOUR_MS;
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'not_sent',
      before: world().now,
    });
    expect(await raise()).toBe(0);
    const again = await world().lease(worker);
    const claim = await world().claim(again, worker);
    await world().record(worker, [sent(campaign, claim.messages[0] as ClaimedMessage)]);
    await world().ledger.releaseBatch({ ...again, now: world().now });
    await raise();
    const told = await world().open.sql("SELECT count(*) AS count FROM alert WHERE cause = 'finished'");
    expect(told).toEqual([{ count: 2 }]);
  });

  it('a campaign that got corrected contacts has not ended before they are laid over it', async () => {
    const { launch, upload } = reminderWorld(world);
    const rows = [{ who: 1, day: 0 }];
    const campaign = await launch(rows);
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker);
    await upload(campaign, rows);
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await raise()).toBe(0);
    await world().ledger.applyUploads(world().now);
    expect(await raise()).toBe(1);
  });

  it('a pause is told with its reason, unless the operator made it or only the hours are over', async () => {
    const names = ['balance', 'budget', 'errors', 'operator', 'window'] as const;
    for (const reason of names) {
      const { n } = await world().launch(1, { name: reason });
      await world().ledger.pause(n, { ...world().operator, reason });
    }
    expect(await raise()).toBe(3);
    const told = await take();
    expect(told.map(({ detail, campaign }) => [detail.reason, campaign?.name])).toEqual([
      ['balance', 'balance'],
      ['budget', 'budget'],
      ['errors', 'errors'],
    ]);
  });

  it('a pause that is over before anybody looked is not told', async () => {
    const { n } = await world().launch(1);
    await world().ledger.pause(n, { ...world().operator, reason: 'balance' });
    await world().ledger.resume(n, world().operator);
    expect(await raise()).toBe(0);
  });

  it.each([
    ['no report came', [], 'no delivery report came'],
    [
      'reports came in another form',
      ['255', '256'],
      '2 delivery reports fit no message, such as 255; an id that we know is ff (one is the other in hexadecimal)',
    ],
    [
      'reports came with an id of ours and another mobile',
      ['ff 254700000099'],
      '1 delivery report has an id of ours but another mobile, or an id that several messages have',
    ],
  ])('a canary that failed is told with its words: %s', async (_what, reports, words) => {
    const canary = { first: 1, waitMs: 60_000, delivered: 0.5 };
    const campaign = await world().launch(2, { settings: { canary, batchSize: 1 } });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    await world().report({ messageId: 'of before' });
    world().now += 1;
    const [message] = (await world().claim(lease, worker)).messages;
    await world().record(worker, [sent(campaign, message as ClaimedMessage, { messageId: 'ff' })]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    for (const [messageId = '', mobile = null] of reports.map((report) => report.split(' ')))
      await world().report({ messageId, mobile });
    await world().ledger.watchCanaries(world().now);
    world().now += 60_000;
    expect((await world().ledger.watchCanaries(world().now)).map(({ step }) => step)).toEqual(['failed']);
    expect([await raise(), await raise()]).toEqual([1, 0]);
    const [alert] = await take();
    expect(alert).toMatchObject({ cause: 'canary_failed', campaign: { id: campaign.id } });
    expect(alert?.detail.words).toBe(words);
  });

  it('a low credit is told once, and again only after it was above the limit', async () => {
    await finished('promo');
    await raise();
    for (const [credit, told] of [
      [150, 0],
      [90, 1],
      [80, 0],
      [100, 0],
      [99, 1],
    ] as const) {
      await reading(credit * KES);
      expect(await raise(), `${credit}`).toBe(told);
    }
    const low = (await take()).filter(({ cause }) => cause === 'low_credit');
    expect(low.map(({ detail }) => detail.creditMicro)).toEqual([90 * KES, 99 * KES]);
  });

  it('uncertain messages are told from their bound on, once for each campaign', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [uncertain(campaign, one)]);
    expect(await raise()).toBe(0);
    await world().record(worker, [uncertain(campaign, two)]);
    expect(await raise()).toBe(1);
    await world().record(worker, [uncertain(campaign, three)]);
    expect(await raise()).toBe(0);
    expect(await causes()).toEqual([['uncertain', 'promo']]);
  });

  it('an unknown answer and an unknown word of reports are told once each, with their words', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    const question = { content: 'funds', words: 'Insufficient funds' };
    const group = { httpStatus: 402, code: null, question };
    await world().record(worker, [
      { ...uncertain(campaign, one), evidence: { ...group, raw: '{}' } },
      sent(campaign, two),
    ]);
    for (const mobile of [null, '254700000009'])
      await world().post({
        reports: [{ messageId: `id-${campaign.n}-2`, word: 'Zorblified', delivery: null, mobile }],
      });
    expect([await raise(), await raise()]).toEqual([2, 0]);
    expect((await take()).map(({ cause, detail }) => [cause, detail.words])).toEqual([
      ['unknown_answer', 'Insufficient funds'],
      ['unknown_word', 'Zorblified'],
    ]);
  });

  it('34 unknown answers are one alert, and the next ones wait for an hour', async () => {
    const { campaign, worker, messages } = await world().sending(40);
    const answer = async (from: number, to: number) => {
      const unknown = messages.slice(from, to).map((message) => {
        const question = { content: `answer ${message.seq}`, words: `Answer ${message.seq}` };
        const evidence = { httpStatus: 402, code: null, raw: '{}', question };
        return { ...uncertain(campaign, message), evidence };
      });
      await world().record(worker, unknown);
    };
    const raiseAnswers = () =>
      world().ledger.raiseAlerts({ now: world().now, lowCreditMicro: null, uncertain: 100 });
    await answer(0, 34);
    expect([await raiseAnswers(), await raiseAnswers()]).toEqual([1, 0]);
    expect(await take()).toMatchObject([
      { cause: 'unknown_answer', detail: { count: 34, words: 'Answer 1' } },
    ]);
    world().now += 1_000;
    await answer(34, 36);
    expect(await raiseAnswers()).toBe(0);
    world().now += HOUR_MS;
    await answer(36, 37);
    expect([await raiseAnswers(), await raiseAnswers()]).toEqual([1, 0]);
    world().now += HOUR_MS;
    expect((await take()).map(({ detail }) => detail.count)).toContain(3);
  });

  it('webhooks that nobody understood are one alert an hour, and replies that may be a STOP one a day', async () => {
    const reply = (identity: string): NewReply => ({
      channel: 'sms',
      identity,
      recordId: null,
      mobile: '254700000001',
      addressee: 'DUKA',
      text: 'stopp',
      at: null,
      detail: {},
      wish: 'maybe_stop',
    });
    await world().post({ replies: [reply('a'), reply('b')] });
    await world().storeUnread(2);
    expect([await raise(), await raise()]).toEqual([2, 0]);
    const told = (await deliverAll()).map(({ cause, detail }) => `${cause} ${detail.count}`);
    expect(told.toSorted()).toEqual(['maybe_stop 2', 'not_understood 2']);
    world().now += HOUR_MS + 1;
    await world().post({ replies: [reply('c')] });
    await world().storeUnread(1);
    expect(await raise()).toBe(1);
    world().now += 23 * HOUR_MS;
    expect([await raise(), await raise()]).toEqual([1, 0]);
    const later = (await deliverAll()).map(({ cause, detail }) => `${cause} ${detail.count}`);
    expect(later.toSorted()).toEqual(['maybe_stop 1', 'not_understood 1']);
  });

  it('a pause goes first, and other causes never use up its hour', async () => {
    for (let at = 0; at < 35; at += 1) await world().ledger.raiseAlert('test', world().now + at);
    const { n } = await world().launch(1);
    await world().ledger.pause(n, { ...world().operator, reason: 'balance' });
    await raise();
    const [first] = await take();
    expect(first?.cause).toBe('paused');
    await deliverAll();
    await world().ledger.resume(n, world().operator);
    world().now += 1_000;
    await world().ledger.pause(n, { ...world().operator, reason: 'errors' });
    await raise();
    expect((await take()).map(({ cause }) => cause)).toContain('paused');
  });

  it('reports that stop while a campaign goes on are told after an hour, and the end of a campaign is not', async () => {
    const { campaign, worker, lease, messages } = await world().sending(2, { settings: { batchSize: 2 } });
    await world().record(worker, [sent(campaign, messages[0] as ClaimedMessage)]);
    await world().report({ messageId: `id-${campaign.n}-1` });
    world().now += 2 * HOUR_MS;
    await world().record(worker, [sent(campaign, messages[1] as ClaimedMessage)]);
    await world().ledger.releaseBatch({ ...lease, now: world().now });
    // The last claim is older than the last report, so nothing is missing.
    expect(await raise()).toBe(1);
    expect(await causes()).toEqual([['finished', 'promo']]);

    const silent = await finished('silent');
    world().now += HOUR_MS - 1;
    await raise();
    expect((await causes()).flat()).not.toContain('no_reports');
    world().now += 60_001;
    expect(await raise()).toBe(1);
    expect((await take()).map(({ cause, campaign: told }) => [cause, told?.id])).toContainEqual([
      'no_reports',
      silent.id,
    ]);
  });

  it('reports that find no message do not keep quiet that none found its message for an hour', async () => {
    const campaign = await finished('silent');
    world().now += HOUR_MS;
    await world().report({ messageId: 'of another form' });
    await world().report({ messageId: `ID-${campaign.n}-1`, mobile: '254799999999' });
    world().now += 60_001;
    await raise();
    expect((await causes()).flat()).toContain('no_reports');
  });

  it('a campaign that waits for approval is told at once, and each question once', async () => {
    const { ledger, now } = world();
    const made = await ledger.createPreparation({
      id: 'p1',
      by: 'asha',
      identities: ['asha'],
      job: '{}',
      now,
    });
    const about = { id: 'p1', by: 'asha', now };
    const planning = { ...about, revision: made?.revision ?? 0, process: 'x', plan: '{"planning":"done"}' };
    await ledger.beginPlanning({ ...planning, dead: null });
    await ledger.recordPlan(planning);
    expect(await raise()).toBe(0);
    const asked = await ledger.askApproval({ ...about, revision: made?.revision ?? 0 });
    expect([await raise(), await raise()]).toEqual([1, 0]);
    expect(await take()).toMatchObject([{ cause: 'approval_asked', campaign: null, detail: { count: 1 } }]);
    await ledger.changePreparation({
      ...about,
      revision: asked?.revision ?? 0,
      identities: ['asha'],
      job: '{}',
    });
    expect(await raise()).toBe(0);
  });

  it('while approval is needed, each step that could make an approver of an admin is told, with who did it', async () => {
    const { ledger, now } = world();
    const by = { by: 'mary', now };
    const link = { digest: 'l', endsAt: now };
    const step = async (name: string, role: 'viewer' | 'operator' | 'approver' | 'admin') => {
      await ledger.addUser({ ...by, id: `user ${name}`, name, role, link: { ...link, digest: name } });
      await ledger.renewLink({ ...by, name, link: { ...link, digest: `new ${name}` } });
      const token = { digest: `token ${name}`, endsAt: now };
      await ledger.addToken({ ...by, name, role, owners: [], token });
    };
    await step('early', 'admin');
    await ledger.setApproval({ ...by, on: true });
    expect(await raise()).toBe(0);
    await step('otto', 'operator');
    await ledger.changeRole({ ...by, name: 'early', role: 'approver' });
    expect(await raise()).toBe(0);
    await step('otieno', 'approver');
    await ledger.changeRole({ ...by, name: 'otto', role: 'admin' });
    await ledger.setApproval({ ...by, on: false });
    expect([await raise(), await raise()]).toEqual([5, 0]);
    const told = (await ledger.takeAlerts({ now, channel: 'webhook' })).flat();
    const detail = { count: 1, by: 'mary', role: null, whom: null };
    expect(told.map(({ cause, detail: of }) => [cause, of])).toEqual([
      ['approvers_changed', { ...detail, step: 'add_user', whom: 'otieno', role: 'approver' }],
      ['approvers_changed', { ...detail, step: 'make_link', whom: 'otieno' }],
      ['approvers_changed', { ...detail, step: 'add_token', whom: 'otieno', role: 'approver' }],
      ['approvers_changed', { ...detail, step: 'set_role', whom: 'otto', role: 'admin' }],
      ['approvers_changed', { ...detail, step: 'approval' }],
    ]);
  });

  it('a service that does not answer for a minute is one alert an outage, whichever workers see it', async () => {
    const workers = [await world().worker(), await world().worker()];
    const beat = async (since: number | null) => {
      const outage = since === null ? null : { since, nextTryAt: world().now + 30_000 };
      for (const worker of workers) await world().ledger.heartbeat(worker, world().now, outage);
    };
    const since = world().now;
    world().now += 59_000;
    await beat(since);
    expect(await raise()).toBe(0);
    world().now += 1_000;
    expect([await raise(), await raise()]).toEqual([1, 0]);
    expect(await take()).toMatchObject([{ cause: 'service_lost', campaign: null, detail: { since } }]);
    world().now += 10 * 60_000;
    await beat(since);
    expect(await raise()).toBe(0);
    await beat(null);
    const again = world().now + 1_000;
    world().now += 70_000;
    await beat(again);
    expect(await raise()).toBe(1);
    // A dead worker sees nothing.
    world().now += 10 * 60_000;
    await world().ledger.heartbeat(workers[0] ?? 0, world().now, null);
    expect(await raise()).toBe(0);
  });

  it('what happened more than a day ago is not told', async () => {
    await finished('promo');
    world().now += 25 * HOUR_MS;
    expect(await raise()).toBe(0);
  });

  it('is held for a minute by one who takes it, then tried again, until its channel has it', async () => {
    await world().ledger.raiseAlert('test', world().now);
    expect(await take()).toHaveLength(1);
    expect(await take()).toHaveLength(0);
    world().now += 60_000;
    const [alert] = await take();
    const tried = { alert: alert?.id ?? 0, channel: 'webhook', now: world().now };
    await world().ledger.recordAlertTry({ ...tried, retryAt: world().now + 10_000 });
    world().now += 9_999;
    expect(await take()).toHaveLength(0);
    world().now += 1;
    expect(await take()).toMatchObject([{ id: alert?.id, tries: 1 }]);
    await world().ledger.recordAlertTry({ ...tried, retryAt: null });
    world().now += HOUR_MS;
    expect(await take()).toHaveLength(0);
    // Another channel has a delivery of its own.
    expect(await take('mail')).toHaveLength(1);
  });

  it('a cause goes out once an hour and collects what comes meanwhile, an urgent one once a minute', async () => {
    const pause = async (name: string) => {
      const { n } = await world().launch(1, { name });
      await world().ledger.pause(n, { ...world().operator, reason: 'balance' });
    };
    /** The names that each cause goes out with. */
    const deliver = async () => {
      await raise();
      const groups = [];
      for (let some = await takeGroups(); some.length > 0; some = await takeGroups()) {
        for (const alert of some.flat())
          await world().ledger.recordAlertTry({
            alert: alert.id,
            channel: 'webhook',
            now: world().now,
            retryAt: null,
          });
        groups.push(...some);
      }
      const names = groups.map((alerts) => [
        alerts[0]?.cause,
        ...alerts.map(({ campaign }) => campaign?.name),
      ]);
      return names.filter(([cause]) => cause !== 'no_reports');
    };
    await finished('f-1');
    for (const name of ['p-1', 'p-2', 'p-3']) await pause(name);
    expect(await deliver()).toEqual([
      ['paused', 'p-1', 'p-2', 'p-3'],
      ['finished', 'f-1'],
    ]);
    for (const name of ['f-2', 'f-3']) await finished(name);
    for (const name of ['p-4', 'p-5']) await pause(name);
    expect(await deliver()).toEqual([]);
    world().now += 60_000;
    expect(await deliver()).toEqual([['paused', 'p-4', 'p-5']]);
    await pause('p-6');
    world().now += HOUR_MS;
    expect(await deliver()).toEqual([
      ['paused', 'p-6'],
      ['finished', 'f-2', 'f-3'],
    ]);
  });

  it('34 pauses never wait behind a channel that failed, and go out together when it is back', async () => {
    for (let at = 0; at < 34; at += 1) {
      const { n } = await world().launch(1, { name: `p-${at}` });
      await world().ledger.pause(n, { ...world().operator, reason: 'balance' });
      await raise();
      const tried = await take();
      // Each new pause is a reason to try all of them again at once.
      expect(tried).toHaveLength(at + 1);
      for (const { id } of tried)
        await world().ledger.recordAlertTry({
          alert: id,
          channel: 'webhook',
          now: world().now,
          retryAt: world().now + HOUR_MS,
        });
      expect(await take()).toEqual([]);
    }
    world().now += HOUR_MS;
    expect(await takeGroups()).toMatchObject([{ length: 34 }]);
  });

  const endpoint = (id: string, causes: AlertCause[] | null = null, most = 9) => {
    const target = {
      id,
      url: `https://example.org/${id}`,
      secret: `whsec_${id}`,
      shown: 'https://example.org/…',
    };
    const limits = { lowCreditMicro: 100 * KES, uncertain: 2 };
    return { ...target, description: 'till', causes, limits, most, ...world().operator };
  };
  const takenBy = async (channel: string) => (await take(channel)).map(({ cause }) => cause);

  it('an endpoint gets what happens after it was added and is of its causes, beside every other channel', async () => {
    const { ledger } = world();
    // Nobody received alerts until now, so this was never raised.
    await finished('before');
    expect(await ledger.addAlertEndpoint(endpoint('ae_all'))).toBe(true);
    expect(await ledger.addAlertEndpoint(endpoint('ae_pauses', ['paused']))).toBe(true);
    expect(await takenBy('ae_all')).toEqual([]);
    await finished('after');
    await raise();
    expect(await takenBy('ae_all')).toEqual(['finished']);
    expect(await takenBy('ae_pauses')).toEqual([]);
    const { n } = await world().launch(1, { name: 'short' });
    await ledger.pause(n, { ...world().operator, reason: 'balance' });
    await raise();
    expect(await takenBy('ae_pauses')).toEqual(['paused']);
    expect(await takenBy('webhook')).toEqual(['paused', 'finished', 'finished']);
    expect(await takenBy('ae_unknown')).toEqual([]);
  });

  it('a removed endpoint gets nothing more, not even what was taken for it, and its tries are noted nowhere', async () => {
    const { ledger } = world();
    await ledger.addAlertEndpoint(endpoint('ae_gone'));
    await ledger.addAlertEndpoint(endpoint('ae_stays'));
    await ledger.raiseAlert('test', world().now);
    const [taken] = await take('ae_gone');
    expect(await ledger.alertTarget('ae_gone')).toEqual({
      url: 'https://example.org/ae_gone',
      secret: 'whsec_ae_gone',
    });
    expect(await ledger.removeAlertEndpoint({ ...world().operator, id: 'ae_gone' })).toBe(true);
    expect(await ledger.removeAlertEndpoint({ ...world().operator, id: 'ae_gone' })).toBe(false);
    expect(await ledger.alertTarget('ae_gone')).toBeNull();
    const tried = {
      alert: taken?.id ?? 0,
      channel: 'ae_gone',
      now: world().now,
      retryAt: world().now,
      why: 'x',
    };
    await ledger.recordAlertTry(tried);
    world().now += HOUR_MS;
    expect(await takenBy('ae_gone')).toEqual([]);
    expect(await takenBy('ae_stays')).toEqual(['test']);
    expect((await (await world().reader()).alertEndpoints()).map(({ id }) => id)).toEqual(['ae_stays']);
  });

  it('an endpoint shows its last success and failure, and a new secret takes the place of the one before', async () => {
    const { ledger } = world();
    const reader = await world().reader();
    await ledger.addAlertEndpoint(endpoint('ae_1'));
    expect(await ledger.addAlertEndpoint(endpoint('ae_2', null, 1))).toBe(false);
    await ledger.raiseAlert('test', world().now);
    const [alert] = await take('ae_1');
    const tried = { alert: alert?.id ?? 0, channel: 'ae_1' };
    const failureAt = world().now;
    const retryAt = failureAt + 1_000;
    await ledger.recordAlertTry({ ...tried, now: failureAt, retryAt, why: 'it answered 500' });
    world().now += 1_000;
    expect(await takenBy('ae_1')).toEqual(['test']);
    await ledger.recordAlertTry({ ...tried, now: world().now, retryAt: null, why: null });
    expect(await ledger.renewAlertSecret({ ...world().operator, id: 'ae_1', secret: 'whsec_new' })).toBe(
      true,
    );
    expect(await ledger.renewAlertSecret({ ...world().operator, id: 'ae_2', secret: 'whsec_new' })).toBe(
      false,
    );
    const [row, ...others] = await reader.alertEndpoints();
    expect(others).toEqual([]);
    expect(row).toMatchObject({ description: 'till', causes: null, successAt: world().now, failureAt });
    expect(row).toMatchObject({ failure: 'it answered 500', addedBy: world().operator.by });
    // The secret is only where it signs: neither in lists nor in the audit.
    expect(JSON.stringify([row, await reader.auditTrail({ campaign: null, limit: 9 })])).not.toContain(
      'whsec_',
    );
    expect((await ledger.alertTarget('ae_1'))?.secret).toBe('whsec_new');
  });

  it('a webhook that is older than the alert, and is read later, has an alert of its own', async () => {
    for (const body of ['one', 'two']) {
      const about = { method: 'POST', contentType: 'text/plain', query: '', ip: '127.0.0.1' };
      await world().ledger.storeWebhook({ ...about, receivedAt: world().now, body: Buffer.from(body) });
    }
    const [older, newer] = (await world().ledger.newWebhooks(2)).map(({ webhook }) => webhook);
    const read = async (webhook = 0) => {
      const now = world().now;
      await world().ledger.recordReports([
        {
          webhook,
          now,
          kind: 'not_understood',
          reports: [],
          replies: [],
        },
      ]);
    };
    await read(newer);
    await raise();
    expect((await deliverAll()).map(({ detail }) => detail.count)).toEqual([1]);
    world().now += HOUR_MS + 1;
    await read(older);
    expect([await raise(), await raise()]).toEqual([1, 0]);
    expect((await deliverAll()).map(({ cause, detail }) => [cause, detail.count])).toEqual([
      ['not_understood', 1],
    ]);
  });
}
