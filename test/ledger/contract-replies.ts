import { expect, it } from 'vitest';
import type { NewReply, ReplyRow } from '../../src/ledger/contracts/replies.ts';
import type { NewReport } from '../../src/ledger/contracts/records.ts';
import type { Claim } from '../../src/ledger/contracts/sending.ts';
import { row, sent, type World } from './contract-world.ts';

const ONE = '254700000001';
const TWO = '254700000002';

/** Of so many pairs the order is certain, so that both are seen; of the others, on a connection each, chance decides it. */
const ONE_AFTER_THE_OTHER = 2;

async function inTurn<Answer>(steps: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await step());
  return answers;
}

let replies = 0;

export function replyOf(mobile: string, options: Partial<NewReply> = {}): NewReply {
  replies += 1;
  return {
    channel: 'sms',
    identity: `sms:${replies}`,
    recordId: null,
    mobile,
    addressee: 'DUKA',
    text: 'hello',
    at: null,
    detail: {},
    wish: null,
    ...options,
  };
}

export const stop = (mobile: string, options: Partial<NewReply> = {}) =>
  replyOf(mobile, { text: 'STOP', wish: 'stop', ...options });

export function replyContract(world: () => World): void {
  const inbox = async (campaign: number | null = null) =>
    (await world().reader()).replies({ campaign, since: 0, before: null, limit: 100 });
  const optOuts = async () => (await world().reader()).optOuts({ after: null, limit: 100 });
  const suppressed = (sender = 'DUKA') => world().ledger.suppressed({ mobiles: [ONE, TWO], sender });

  it('rows to numbers that opted out are left out of a promotional draft, with the reason and before duplicates [I9]', async () => {
    await world().ledger.addOptOuts(
      [
        { mobile: ONE, source: 'operator' },
        { mobile: TWO, source: 'operator', sender: 'OTHER' },
      ],
      world().now,
    );
    const draft = await world().draft(0, { kind: 'promotional' });
    const rows = [row(1), { ...row(1), line: 2 }, { ...row(2), line: 3 }];
    const about = { now: world().now, sender: 'DUKA' };
    expect(await world().ledger.addMessages(draft.n, rows, about)).toEqual([
      { line: 1, suppression: 'opted out' },
      { line: 2, suppression: 'opted out' },
    ]);
    expect(await world().ledger.addMessages(draft.n, [{ ...row(2), line: 4 }], about)).toEqual([
      { line: 4, keptLine: 3 },
    ]);
    const open = await world().draft(0, { name: 'transactional' });
    expect(await world().ledger.addMessages(open.n, [row(1)], { now: world().now })).toEqual([]);
  });

  it('the same reply, posted again in another wrapping, is stored once [X4]', async () => {
    const reply = replyOf(ONE, { channel: 'chat', identity: 'chat:9', recordId: '9', detail: { to: 'x' } });
    await world().post({ replies: [reply] });
    await world().post({ replies: [reply, replyOf(TWO)] });
    const found = await inbox();
    expect(found.map(({ mobile }) => mobile)).toEqual([TWO, ONE]);
    expect(found[1]).toMatchObject({ channel: 'chat', recordId: '9', text: 'hello', detail: { to: 'x' } });
  });

  it('a reply belongs to the last campaign that wrote to the number, and to none that only planned to', async () => {
    const first = await world().sending(1);
    await world().record(first.worker, [sent(first.campaign, first.messages[0] as never)]);
    world().now += 60_000;
    const second = await world().sending(1, { name: 'second' });
    await world().record(second.worker, [sent(second.campaign, second.messages[0] as never)]);
    await world().launch(1, { name: 'planned' });
    world().now += 60_000;
    await world().post({ replies: [replyOf(ONE), replyOf('254711111111')] });
    const found = await inbox();
    expect(found.map(({ campaign }) => campaign)).toEqual([
      null,
      { id: second.campaign.id, name: 'second', line: 1 },
    ]);
    expect(await inbox(second.campaign.n)).toHaveLength(1);
    expect(await inbox(first.campaign.n)).toEqual([]);
  });

  it('a reply that is older than the first message of a campaign answers the one before, or none', async () => {
    const first = await world().sending(1);
    const begunAt = world().now;
    await world().record(first.worker, [sent(first.campaign, first.messages[0] as never)]);
    world().now += 3_600_000;
    const second = await world().sending(1, { name: 'second' });
    await world().record(second.worker, [sent(second.campaign, second.messages[0] as never)]);
    const secondAt = world().now;
    world().now += 3_600_000;
    const times = [begunAt - 600_000, begunAt + 600_000, secondAt + 1_000, secondAt - 1_000, null];
    await world().post({ replies: times.map((at) => replyOf(ONE, { at, text: String(at) })) });
    const found = new Map((await inbox()).map(({ text, campaign }) => [text, campaign?.name ?? null]));
    // Clocks differ a little, so a second before the first message is no proof.
    expect(times.map((at) => found.get(String(at)))).toEqual([null, 'promo', 'second', 'second', 'second']);
  });

  it('the inbox goes by the time in the message, page by page, and never by one after its arrival', async () => {
    const now = world().now;
    const at = [now - 1_000, now - 3_000, null, now + 86_400_000, now - 3_000, now - 2_000];
    for (const [index, each] of at.entries())
      await world().post({ replies: [replyOf(ONE, { at: each, text: String(index) })] });
    const reader = await world().reader();
    const seen: ReplyRow[] = [];
    while (seen.length < at.length)
      seen.push(
        ...(await reader.replies({ campaign: null, since: 0, before: seen.at(-1) ?? null, limit: 2 })),
      );
    expect(seen.map(({ text }) => text)).toEqual(['3', '2', '0', '5', '4', '1']);
  });

  it('a STOP in the middle of a campaign stops every later claim, and START lets the number back [I9 S9]', async () => {
    await world().launch(3, { kind: 'promotional' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const before = await world().claim(lease, worker, { limit: 1 });
    expect(before.messages.map(({ mobile }) => mobile)).toEqual([ONE]);
    await world().post({ replies: [stop(TWO)] });
    const after = await world().claim(lease, worker, { limit: 10, fromSeq: 2 });
    expect(after.messages.map(({ mobile }) => mobile)).toEqual(['254700000003']);
    expect(await suppressed()).toEqual(new Map([[TWO, 'opted out']]));
    expect(await suppressed('OTHER')).toEqual(new Map([[TWO, 'opted out']]));
    world().now += 1;
    await world().post({ replies: [replyOf(TWO, { text: 'START', wish: 'start' })] });
    expect(await suppressed()).toEqual(new Map());
    const history = await (await world().reader()).optOutHistory(TWO);
    expect(history.map(({ change, source, evidence }) => [change, source, evidence])).toEqual([
      ['added', 'reply', 'replied "STOP" to DUKA'],
      ['removed', 'reply', 'replied "START" to DUKA'],
    ]);
  });

  it('of a STOP and a claim in the same millisecond either may be first, and the ledger tells which [S10]', async () => {
    const rows = 40;
    await world().launch(rows, { kind: 'promotional', settings: { batchSize: 1 } });
    const other = await world().open.another();
    const worker = await world().worker();
    for (let line = 1; line <= rows; line += 1) {
      const mobile = String(254_700_000_000 + line);
      const lease = await world().lease(worker);
      const optOut = () => other.addOptOuts([{ mobile, source: 'operator' }], world().now);
      const claim = () => world().claim(lease, worker);
      const order: (() => Promise<number | Claim>)[] = line % 2 === 0 ? [optOut, claim] : [claim, optOut];
      const both =
        line <= ONE_AFTER_THE_OTHER ? await inTurn(order) : await Promise.all(order.map((each) => each()));
      const claimed = both.find((each) => typeof each === 'object');
      const [row] = await world().open.sql('SELECT state, reason FROM message WHERE seq = ?', [line]);
      const isClaimed = claimed?.messages.length === 1;
      expect(row).toEqual(
        isClaimed ? { state: 'sending', reason: null } : { state: 'skipped', reason: 'opted out' },
      );
      const known = await world().ledger.suppressed({ mobiles: [mobile], sender: 'DUKA' });
      expect(known.get(mobile)).toBe('opted out');
    }
    const [first, second] = await world().open.sql('SELECT state FROM message WHERE seq <= 2 ORDER BY seq');
    expect([first, second]).toEqual([{ state: 'sending' }, { state: 'skipped' }]);
    await other.close();
  });

  it('a wish counts from when it came, not from when it was read', async () => {
    const came = world().now;
    await world().ledger.removeOptOuts([ONE], world().operator);
    await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator' }], came + 10);
    world().now = came + 5;
    await world().post({ replies: [replyOf(ONE, { text: 'START', wish: 'start' })] });
    expect(await suppressed()).toEqual(new Map([[ONE, 'opted out']]));
  });

  it('what an operator says comes after all that is known, though the clock of a worker ran ahead', async () => {
    world().now += 3_600_000;
    await world().post({ replies: [stop(ONE)] });
    world().now -= 3_600_000;
    expect(await world().ledger.removeOptOuts([ONE], world().operator)).toBe(1);
    expect(await suppressed()).toEqual(new Map());
    expect(await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator' }], world().now)).toBe(1);
    expect(await suppressed()).toEqual(new Map([[ONE, 'opted out']]));
  });

  it('an opt-out of one sender, in whatever case it was typed, leaves other senders alone', async () => {
    const one = { mobile: ONE, source: 'operator' as const, sender: 'Duka', by: 'ann' };
    await world().ledger.addOptOuts([one, { ...one, mobile: TWO, sender: 'Other' }], 1);
    expect(await suppressed('duka')).toEqual(new Map([[ONE, 'opted out']]));
    expect(await suppressed('DUKA')).toEqual(new Map([[ONE, 'opted out']]));
    expect(await suppressed('OTHER')).toEqual(new Map([[TWO, 'opted out']]));
    await world().launch(2, { kind: 'promotional' });
    const worker = await world().worker();
    const lease = await world().lease(worker);
    const { messages } = await world().claim(lease, worker);
    expect(messages.map(({ mobile }) => mobile)).toEqual([TWO]);
  });

  it('being imported again moves the time only; letting back counts only those that were out', async () => {
    const entry = { mobile: ONE, source: 'import' as const, evidence: 'line of a.csv' };
    expect(await world().ledger.addOptOuts([entry, entry], 5)).toBe(1);
    expect(await world().ledger.addOptOuts([entry], 6)).toBe(0);
    expect(await optOuts()).toEqual([
      { mobile: ONE, kind: 'opted out', sender: '', source: 'import', at: 6, evidence: 'line of a.csv' },
    ]);
    expect(await world().column('opt_out_event', 'count(*)', 'TRUE')).toBe(1);
    expect(await world().ledger.removeOptOuts([ONE, TWO], { now: 7, by: 'ann' })).toBe(1);
    expect(await optOuts()).toEqual([]);
  });

  it('a reply in doubt waits until somebody opts its number out, or says that it may be written to', async () => {
    const reader = await world().reader();
    const inDoubt = async () => {
      const rows = await reader.replies({
        campaign: null,
        since: 0,
        before: null,
        inDoubt: true,
        limit: 9,
      });
      expect(await reader.repliesInDoubt()).toBe(rows.length);
      return rows.map(({ mobile }) => mobile);
    };
    const doubtful = (mobile: string) => replyOf(mobile, { text: 'stopp', wish: 'maybe_stop' });
    await world().post({ replies: [doubtful(ONE), doubtful(TWO), replyOf('254700000003')] });
    expect(await suppressed()).toEqual(new Map());
    expect(await inDoubt()).toEqual([TWO, ONE]);
    world().now += 1_000;
    await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator' }], world().now);
    expect(await inDoubt()).toEqual([TWO]);
    expect(await world().ledger.removeOptOuts([TWO], world().operator)).toBe(1);
    expect(await world().ledger.removeOptOuts([TWO], world().operator)).toBe(0);
    expect(await inDoubt()).toEqual([]);
    world().now += 1_000;
    // Of somebody who is out, nothing is left to decide.
    await world().post({ replies: [doubtful(ONE), doubtful(TWO)] });
    expect(await inDoubt()).toEqual([TWO]);
    await world().post({ replies: [stop(TWO)] });
    expect(await inDoubt()).toEqual([]);
    await world().verify();
  });

  it('read again, a reply in doubt is a stop where its words are known now', async () => {
    const reply = (wish: 'stop' | 'maybe_stop') => replyOf(ONE, { identity: 'sms:x', text: 'x', wish });
    const webhook = await world().post({ replies: [reply('maybe_stop')] });
    for (const wish of ['maybe_stop', 'stop', 'maybe_stop'] as const)
      await world().ledger.rereadWebhook({
        webhook,
        kind: 'reply',
        reports: [],
        replies: [reply(wish)],
        now: world().now,
      });
    expect(await suppressed()).toEqual(new Map([[ONE, 'opted out']]));
    expect(await world().open.sql('SELECT wish FROM reply')).toEqual([{ wish: 'stop' }]);
  });

  it('knows under which names campaigns wrote', async () => {
    const { n } = await world().launch(1);
    await world().draft(0, { name: 'draft' });
    await world().ledger.pause(n, { ...world().operator, reason: 'sender' });
    await world().ledger.resume(n, { ...world().operator, sender: 'My Shop' });
    expect((await world().ledger.senders()).toSorted()).toEqual(['DUKA', 'My Shop']);
  });

  it('the history of opt-outs can only grow', async () => {
    await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator' }], 1);
    await expect(world().open.sql("UPDATE opt_out_event SET source = 'x'")).rejects.toThrow('append-only');
    await expect(world().open.sql('DELETE FROM opt_out_event')).rejects.toThrow('append-only');
  });

  it('a list of opt-outs is read in pages without a gap', async () => {
    const mobiles = Array.from({ length: 25 }, (_, index) => `2547000001${index + 10}`);
    await world().ledger.addOptOuts(
      mobiles.map((mobile) => ({ mobile, source: 'import' })),
      1,
    );
    await world().ledger.addOptOuts([{ mobile: mobiles[3] ?? '', source: 'operator', sender: 'DUKA' }], 2);
    const reader = await world().reader();
    const seen: string[] = [];
    let after = null;
    for (;;) {
      const page: Awaited<ReturnType<typeof reader.optOuts>> = await reader.optOuts({ after, limit: 4 });
      seen.push(...page.map(({ mobile, sender }) => `${mobile}${sender}`));
      if (page.length < 4) break;
      after = page.at(-1) ?? null;
    }
    expect(seen).toEqual([...mobiles, `${mobiles[3]}DUKA`].toSorted());
  });

  it('what may be a reply is read before the reports that wait', async () => {
    const raw = (text: string, urgent: boolean) => ({
      receivedAt: world().now,
      method: 'POST',
      contentType: '',
      query: '',
      body: new TextEncoder().encode(text),
      ip: '::1',
      urgent,
    });
    for (const text of ['a', 'b']) await world().ledger.storeWebhook(raw(text, false));
    await world().ledger.storeWebhook(raw('stop', true));
    const found = await world().ledger.newWebhooks(2);
    expect(found.map(({ body }) => new TextDecoder().decode(body))).toEqual(['stop', 'a']);
  });

  const suppressedNow = () => world().ledger.suppressed({ mobiles: [ONE], sender: 'DUKA' });
  const start = (options: Partial<NewReply> = {}) =>
    replyOf(ONE, { text: 'START', wish: 'start', ...options });

  it.each(['START', 'a person'])(
    'a STOP counts after what %s said while the clock was ahead',
    async (who) => {
      await world().post({ replies: [stop(ONE)] });
      world().now += 86_400_000;
      if (who === 'START') await world().post({ replies: [start()] });
      else await world().ledger.removeOptOuts([ONE], world().operator);
      world().now -= 86_400_000 - 60_000;
      expect((await suppressedNow()).size).toBe(0);
      await world().post({ replies: [stop(ONE)] });
      expect((await suppressedNow()).size).toBe(1);
    },
  );

  it('a START that is posted late does not undo the STOP that was written after it', async () => {
    const begun = world().now;
    world().now += 300_000;
    await world().post({ replies: [stop(ONE, { at: begun + 299_000 })] });
    world().now += 300_000;
    await world().post({ replies: [start({ at: begun })] });
    expect((await suppressedNow()).size).toBe(1);
    await world().post({ replies: [start({ at: begun + 300_000 })] });
    expect((await suppressedNow()).size).toBe(0);
  });

  it.each(['operator', 'import'] as const)(
    'what an %s says of somebody who is out already is not undone by a START of before it',
    async (source) => {
      const add = () => world().ledger.addOptOuts([{ mobile: ONE, source }], world().now);
      expect(await add()).toBe(1);
      const begun = (world().now += 60_000);
      world().now += 60_000;
      expect(await add()).toBe(0);
      world().now += 60_000;
      await world().post({ replies: [start({ at: begun })] });
      expect((await suppressedNow()).size).toBe(1);
      await world().post({ replies: [start({ at: world().now })] });
      expect((await suppressedNow()).size).toBe(0);
    },
  );

  it('what an import said again is known when something else becomes known of the number', async () => {
    const entry = { mobile: ONE, source: 'import' as const };
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [sent(campaign, messages[0] as never, { messageId: 'a' })]);
    for (const _ of [1, 2]) await world().ledger.addOptOuts([entry], (world().now += 60_000));
    const failed = { messageId: 'a', delivery: 'undelivered', effect: 'permanent' } as const;
    await world().report(failed);
    await world().post({ replies: [start({ at: world().now - 1 })] });
    expect((await suppressedNow()).size).toBe(1);
  });

  it('who was imported again is let back though the clock was ahead', async () => {
    const entry = { mobile: ONE, source: 'import' as const };
    await world().ledger.addOptOuts([entry], world().now);
    await world().ledger.addOptOuts([entry], world().now + 86_400_000);
    expect(await world().ledger.removeOptOuts([ONE], world().operator)).toBe(1);
    expect((await suppressedNow()).size).toBe(0);
  });

  const written = (text: string, wish: 'stop' | 'start') =>
    replyOf(ONE, { identity: `sms:${text}`, text, wish });

  /** Posted as a provider does that says no time: the same bytes for the same word. */
  async function store(text: string, urgent = true): Promise<void> {
    world().now += 1_000;
    const said = { method: 'POST', contentType: '', query: '', ip: '::1', urgent };
    const body = new TextEncoder().encode(text);
    await world().ledger.storeWebhook({ ...said, receivedAt: world().now, body });
  }

  /** Reads what waits, which are replies of one word each. */
  async function readAll(times: Record<string, number> = {}, reports: NewReport[] = []): Promise<void> {
    for (const { webhook, body } of await world().ledger.newWebhooks(10)) {
      const text = new TextDecoder().decode(body);
      const reply = { ...written(text, text === 'START' ? 'start' : 'stop'), at: times[text] ?? null };
      const read = { webhook, reports, replies: [reply], now: world().now };
      await world().ledger.recordReports([{ ...read, kind: 'reply' }]);
    }
  }

  async function postWord(text: string, reports: NewReport[] = []): Promise<void> {
    await store(text);
    await readAll({}, reports);
  }

  it('of STOP, START and STOP without any time the last one counts, however often each was posted', async () => {
    for (const [text, out] of [
      ['STOP', 1],
      ['STOP', 1],
      ['START', 0],
      ['STOP', 1],
      ['STOP', 1],
    ] as const) {
      await postWord(text);
      expect((await suppressedNow()).size).toBe(out);
    }
    // A START that is only repeated lets nobody back in.
    await postWord('START');
    expect((await suppressedNow()).size).toBe(1);
    await world().verify();
  });

  it('a STOP that was taken for none by an earlier profile counts each time that it comes now', async () => {
    await store('STOP', false);
    await readAll();
    await postWord('START');
    await postWord('STOP');
    expect((await suppressedNow()).size).toBe(1);
  });

  it.each([
    { known: ['STOP'], posted: ['STOP', 'START', 'STOP'], timed: false },
    { known: [], posted: ['START', 'STOP', 'START'], timed: false },
    { known: [], posted: ['START', 'STOP', 'START'], timed: true },
  ])(
    'the STOP counts of $posted after $known, read together later (timed: $timed)',
    async ({ known, posted, timed }) => {
      const begun = world().now;
      for (const text of known) await postWord(text);
      for (const text of posted) await store(text);
      await readAll(timed ? { START: begun + 1_000, STOP: begun + 2_000 } : {});
      expect((await suppressedNow()).size).toBe(1);
    },
  );

  it('a STOP counts after a START of while the clock was ahead, though both are read only much later', async () => {
    await world().ledger.addOptOuts([{ mobile: ONE, source: 'operator' }], world().now);
    world().now += 3_600_000;
    await store('START');
    world().now -= 3_000_000;
    await store('STOP');
    world().now += 86_400_000;
    await readAll();
    expect((await suppressedNow()).size).toBe(1);
  });

  it.each(['operator', 'import'] as const)(
    'a START that is posted late does not undo the later word of an %s',
    async (source) => {
      const begun = world().now;
      world().now += 60_000;
      await world().ledger.addOptOuts([{ mobile: ONE, source }], world().now);
      world().now += 60_000;
      await world().post({ replies: [start({ at: begun })] });
      expect((await suppressedNow()).size).toBe(1);
      await world().post({ replies: [start({ at: world().now })] });
      expect((await suppressedNow()).size).toBe(0);
    },
  );

  it('a START that is read after what was written later lets back in, though the service is an hour behind', async () => {
    const said = () => ({ at: world().now - 3_600_000 });
    await world().post({ replies: [stop(ONE, said())] });
    world().now += 60_000;
    const early = start(said());
    world().now += 60_000;
    await world().post({ replies: [replyOf(ONE, said())] });
    await world().post({ replies: [early] });
    expect((await suppressedNow()).size).toBe(0);
  });

  it('a STOP in other bytes, and without a time as the one before, counts after a START', async () => {
    const again = () => world().post({ replies: [written('STOP', 'stop')] });
    await again();
    world().now += 1_000;
    await world().post({ replies: [start()] });
    world().now += 1_000;
    const webhook = await again();
    expect((await suppressedNow()).size).toBe(1);
    const read = { webhook, reports: [], replies: [written('STOP', 'stop')], now: world().now };
    await world().ledger.rereadWebhook({ ...read, kind: 'reply' });
    expect(await world().open.sql('SELECT count(*) AS count FROM opt_out_event')).toEqual([{ count: 3 }]);
  });

  it('what comes again for its reply has its reports counted once', async () => {
    const report = {
      messageId: 'r-1',
      word: 'Failed',
      delivery: 'undelivered',
      reason: null,
      mobile: null,
    } as const;
    const reports = [{ ...report, network: null, at: null } as NewReport];
    for (let times = 0; times < 3; times += 1) await postWord('STOP', reports);
    expect(await world().open.sql('SELECT count(*) AS count FROM report')).toEqual([{ count: 1 }]);
  });

  it.each([true, false])(
    'what was taken back is so for what was posted until then (timed: %s)',
    async (timed) => {
      const takeBack = () => world().ledger.voidWebhooks({ ip: '::1', since: null, ...world().operator });
      const times = timed ? { STOP: world().now } : {};
      const post = async () => {
        await store('STOP');
        await readAll(times);
      };
      await post();
      await takeBack();
      expect((await suppressedNow()).size).toBe(0);
      // With its time it is a repetition, without one perhaps the same word once more.
      await post();
      expect((await suppressedNow()).size).toBe(timed ? 0 : 1);
      expect(await takeBack()).toMatchObject({ webhooks: 1, replies: timed ? 0 : 1 });
      expect((await suppressedNow()).size).toBe(0);
    },
  );

  it('a STOP that says it is of tomorrow holds no START back', async () => {
    await world().post({ replies: [stop(ONE, { at: world().now + 86_400_000 })] });
    world().now += 3_600_000;
    await world().post({ replies: [start({ at: world().now })] });
    expect((await suppressedNow()).size).toBe(0);
  });

  it('a START that was held back by a forged STOP counts when that is taken back', async () => {
    await world().post({ replies: [stop(ONE)] });
    const begun = (world().now += 60_000);
    world().now += 60_000;
    await world().post({ replies: [stop(ONE, { at: begun + 30_000 })], ip: '192.0.2.9' });
    await world().post({ replies: [start({ at: begun })] });
    expect((await suppressedNow()).size).toBe(1);
    await world().ledger.voidWebhooks({ ip: '192.0.2.9', since: null, ...world().operator });
    expect((await suppressedNow()).size).toBe(0);
  });

  it('read again, a reply has the wish that its word means now', async () => {
    const reply = (wish: 'stop' | null) => replyOf(ONE, { identity: 'sms:basi', text: 'BASI', wish });
    const webhook = await world().post({ replies: [reply(null)] });
    expect((await suppressedNow()).size).toBe(0);
    const again = { webhook, reports: [], replies: [reply('stop')], now: world().now };
    for (let times = 0; times < 2; times += 1)
      await world().ledger.rereadWebhook({ ...again, kind: 'reply' });
    expect((await suppressedNow()).size).toBe(1);
    expect(await world().open.sql('SELECT count(*) AS count FROM opt_out_event')).toEqual([{ count: 1 }]);
  });

  it('a STOP that is read only now counts from when it came', async () => {
    const webhook = await world().post({ replies: [replyOf(ONE)] });
    world().now += 1_000;
    await world().post({ replies: [start()] });
    world().now += 1_000;
    const again = { webhook, reports: [], replies: [stop(ONE)], now: world().now };
    await world().ledger.rereadWebhook({ ...again, kind: 'reply' });
    expect((await suppressedNow()).size).toBe(0);
  });
}
