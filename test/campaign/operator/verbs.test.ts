import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { cancelCampaign } from '../../../src/campaign/operator/orders.ts';
import { pauseCampaign, retryRejected, setRate, type Order } from '../../../src/campaign/operator/orders.ts';
import { resolveUncertain } from '../../../src/campaign/operator/resolve.ts';
import { skipFiring } from '../../../src/campaign/operator/skip-firing.ts';
import { resumeCampaign } from '../../../src/campaign/operator/resume.ts';
import { askedFrom } from '../../../src/ledger/contracts/asked-from.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

async function order(story: LedgerStory, n: number): Promise<Order> {
  const { campaign, state } = await (await story.reader()).overview(n);
  return { campaign, state, ledger: story.ledger, now: story.now, by: 'operator test' };
}

async function stateOf(story: LedgerStory, n: number): Promise<string> {
  const { state, reason } = await (await story.reader()).overview(n);
  return reason === null ? state : `${state}(${reason})`;
}

function audit(story: LedgerStory): string[] {
  const database = new DatabaseSync(story.file, { readOnly: true });
  try {
    return database
      .prepare('SELECT verb, by FROM audit ORDER BY id')
      .all()
      .map(({ verb, by }) => `${String(verb)} by ${String(by)}`);
  } finally {
    database.close();
  }
}

const AS_IT_IS = { sender: null, budgetMicro: null };
const FORBIDDEN = { code: 'state_forbids', exitCode: 2 };

async function settled(): Promise<{ story: LedgerStory; n: number }> {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 4 });
  await story.claim();
  await story.record(n, {
    1: { to: 'sent' },
    2: { to: 'rejected' },
    3: { to: 'rejected', reason: 'gave up after 5', retryHelps: true },
    4: { to: 'uncertain' },
  });
  return { story, n };
}

describe('pause and resume', () => {
  it('do what is asked once; the same again changes nothing and is no error', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    expect(await pauseCampaign(await order(story, n))).toBe(true);
    expect(await stateOf(story, n)).toBe('paused(operator)');
    expect(await pauseCampaign(await order(story, n))).toBe(false);
    expect(await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS })).toBe(true);
    expect(await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS })).toBe(false);
    expect(await stateOf(story, n)).toBe('running');
    expect(audit(story).slice(-2)).toEqual(['pause by operator test', 'resume by operator test']);
  });

  it('a pause by the operator takes the place of one that would end by itself', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    await story.ledger.pause(n, { now: story.now, by: 'worker', reason: 'balance' });
    expect(await pauseCampaign(await order(story, n))).toBe(true);
    expect(await stateOf(story, n)).toBe('paused(operator)');
    expect(await story.ledger.resume(n, { now: story.now, by: 'worker', reasons: ['balance'] })).toBe(false);
  });

  it('another sender is taken by a paused campaign only', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    await expect(
      resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS, sender: 'NEW' }),
    ).rejects.toMatchObject(FORBIDDEN);
    await story.ledger.pause(n, { now: story.now, by: 'worker', reason: 'sender' });
    expect(await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS, sender: 'NEW' })).toBe(true);
    expect((await order(story, n)).campaign.sender).toBe('NEW');
  });

  it('another sender with a higher budget is refused whole unless the campaign is paused, at the commit too', async () => {
    const story = await LedgerStory.begin();
    const budgetMicro = 2_000_000;
    const n = await story.launch({ budgetMicro });
    const later = await story.launch({ id: 'later-1', name: 'later', startAt: story.now + 1e6, budgetMicro });
    const change = { sender: 'NEW', budgetMicro: 3_000_000 };
    const scheduled = resumeCampaign({ ...(await order(story, later)), ...change });
    await expect(scheduled).rejects.toMatchObject(FORBIDDEN);
    await story.ledger.pause(n, { now: story.now, by: 'worker', reason: 'balance' });
    const asRead = await order(story, n);
    await story.ledger.resume(n, { now: story.now, by: 'worker', reasons: ['balance'] });
    await expect(resumeCampaign({ ...asRead, ...change })).rejects.toMatchObject({
      ...FORBIDDEN,
      message: expect.stringContaining('is running; it cannot be given another sender') as string,
    });
    for (const each of [n, later]) {
      const { campaign } = await order(story, each);
      expect(campaign).toMatchObject({ sender: asRead.campaign.sender, budgetMicro });
    }
  });

  it('are forbidden where there is nothing to pause or resume', async () => {
    const { story, n } = await settled();
    await expect(pauseCampaign(await order(story, n))).rejects.toMatchObject(FORBIDDEN);
    await expect(resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS })).rejects.toMatchObject(
      FORBIDDEN,
    );
  });

  const HOUR = 3_600_000;

  async function pausedBeforeStart() {
    const story = await LedgerStory.begin();
    const startAt = story.now + HOUR;
    const n = await story.launch({ startAt });
    const resume = async () => resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS });
    expect(await resume()).toBe(false);
    expect(await stateOf(story, n)).toBe('scheduled');
    expect(await pauseCampaign(await order(story, n))).toBe(true);
    return { story, n, startAt, resume };
  }

  it('before its start a campaign waits for it again', async () => {
    const { story, n, startAt, resume } = await pausedBeforeStart();
    expect(await resume()).toBe(true);
    expect(await stateOf(story, n)).toBe('scheduled');
    expect(await story.ledger.startDue(startAt)).toMatchObject([{ started: true }]);
    expect(await stateOf(story, n)).toBe('running');
  });

  it('paused over its start a campaign does not begin by itself, and goes on when it is resumed in time', async () => {
    const { story, n, startAt, resume } = await pausedBeforeStart();
    story.now = startAt;
    expect(await story.ledger.startDue(story.now)).toEqual([]);
    expect(await stateOf(story, n)).toBe('paused(operator)');
    expect(await resume()).toBe(true);
    expect(await stateOf(story, n)).toBe('running');
  });

  it('paused over its start_deadline a campaign sends nothing until it is resumed once more', async () => {
    const { story, n, startAt, resume } = await pausedBeforeStart();
    story.now = startAt + 2 * HOUR + 1;
    expect(await resume()).toBe(true);
    expect(await stateOf(story, n)).toBe('paused(start)');
    expect(audit(story).at(-1)).toBe('miss_start by schedule');
    expect(await resume()).toBe(true);
    expect(await stateOf(story, n)).toBe('running');
  });

  it('a campaign that has started goes on, however long ago its start was', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ startAt: story.now + HOUR });
    await story.ledger.startDue((story.now += HOUR));
    await pauseCampaign(await order(story, n));
    story.now += 100 * HOUR;
    await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS });
    expect(await stateOf(story, n)).toBe('running');
  });
});

describe('a recurring job', () => {
  const DAY = 86_400_000;

  /** Each day at nine in Nairobi, from tomorrow on. */
  async function recurring() {
    const story = await LedgerStory.begin();
    const first = story.now + DAY;
    const n = await story.launch({ settings: { every: { cron: '0 9 * * *' } }, startAt: first });
    const nextAt = async () => (await (await story.reader()).agenda(n)).schedule?.nextAt ?? null;
    const skip = async () => skipFiring({ ...(await order(story, n)), nextAt: await nextAt() });
    const fire = (at: number) => {
      const moments = { nextAt: at, fireAt: at, missed: [], followingAt: at + DAY };
      return story.ledger.fire({ schedule: n, ...moments, id: `f${at}`, name: `f ${at}`, now: story.now });
    };
    return { story, n, first, nextAt, skip, fire };
  }

  it('that is paused fires no more, and resumed it waits for the next moment', async () => {
    const { story, n, first, nextAt, fire } = await recurring();
    expect(await pauseCampaign(await order(story, n))).toBe(true);
    story.now = first + 1;
    expect(await story.ledger.dueSchedules(story.now)).toEqual([]);
    expect(await fire(first)).toBeNull();
    await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS });
    expect(await story.ledger.dueSchedules(story.now)).toEqual([]);
    expect(await nextAt()).toBe(first + DAY);
    expect((await (await story.reader()).agenda(n)).schedule).toMatchObject({ fired: 0, missed: 1 });
  });

  it('leaves out the next firing, and no other one when it is asked again', async () => {
    const { story, n, first, nextAt, skip, fire } = await recurring();
    expect(await skip()).toEqual({ at: first, next: first + DAY, changed: true });
    expect(await skip()).toEqual({ at: first, next: first + DAY, changed: false });
    expect(await nextAt()).toBe(first + DAY);
    expect(audit(story).filter((entry) => entry.startsWith('skip'))).toEqual(['skip by operator test']);
    story.now = first;
    expect(await story.ledger.dueSchedules(story.now)).toEqual([]);
    expect(await fire(first)).toBeNull();
    expect((await (await story.reader()).agenda(n)).schedule).toMatchObject({
      missed: 0,
      latest: [{ at: first, campaign: null, leftOut: true }],
    });
    story.now = first + DAY;
    expect(await fire(first + DAY)).not.toBeNull();
  });

  it('is skipped or fired, whichever commits first', async () => {
    const fired = await recurring();
    const asRead = { ...(await order(fired.story, fired.n)), nextAt: fired.first };
    fired.story.now = fired.first;
    expect(await fired.fire(fired.first)).not.toBeNull();
    await expect(skipFiring({ ...asRead, now: fired.first })).rejects.toMatchObject(FORBIDDEN);

    const skipped = await recurring();
    skipped.story.now = skipped.first;
    expect(await skipped.skip()).toMatchObject({ at: skipped.first, changed: true });
    expect(await skipped.fire(skipped.first)).toBeNull();
    expect(await skipped.nextAt()).toBe(skipped.first + DAY);
  });

  it('keeps what is left out when it is paused and resumed, and when the clock is set back', async () => {
    const { story, n, first, nextAt, skip, fire } = await recurring();
    story.now += 1_000;
    await skip();
    await pauseCampaign(await order(story, n));
    expect(await skip()).toMatchObject({ changed: false });
    await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS });
    expect(await nextAt()).toBe(first + DAY);
    story.now -= 1_000;
    await story.ledger.clockSetBack(() => story.now);
    expect(await nextAt()).toBe(first + DAY);
    story.now = first;
    expect(await fire(first)).toBeNull();
  });

  it('keeps what is left out also when a clock that ran ahead had fired a later one', async () => {
    const { story, first, nextAt, skip, fire } = await recurring();
    const right = story.now;
    await skip();
    story.now = first + DAY;
    expect(await fire(first + DAY)).not.toBeNull();
    story.now = right;
    await story.ledger.clockSetBack(() => story.now);
    expect(await nextAt()).toBe(first + DAY);
    expect(await skip()).toMatchObject({ at: first, changed: false });
    story.now = first;
    expect(await fire(first)).toBeNull();
  });

  it('is the only kind of campaign that has a firing to leave out', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    await expect(skipFiring({ ...(await order(story, n)), nextAt: null })).rejects.toMatchObject(FORBIDDEN);
  });
});

describe('a budget', () => {
  const KES = 1_000_000;

  it('is raised and the campaign goes on in one step, with who did it and what it was', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ budgetMicro: 2 * KES });
    await story.ledger.pause(n, { now: story.now, by: 'worker', reason: 'budget' });
    const raise = { ...AS_IT_IS, budgetMicro: 5 * KES };
    expect(await resumeCampaign({ ...(await order(story, n)), ...raise })).toBe(true);
    expect(await stateOf(story, n)).toBe('running');
    expect((await order(story, n)).campaign.budgetMicro).toBe(5 * KES);
    expect(audit(story).slice(-2)).toEqual(['budget by operator test', 'resume by operator test']);
    expect(await resumeCampaign({ ...(await order(story, n)), ...raise })).toBe(false);
  });

  it('of a campaign that is running or scheduled is raised, and its state stays', async () => {
    const story = await LedgerStory.begin();
    const running = await story.launch({ budgetMicro: 2 * KES });
    const waiting = { id: 'later-1', name: 'later', startAt: story.now + 1e6, budgetMicro: 2 * KES };
    const later = await story.launch(waiting);
    for (const n of [running, later])
      expect(await resumeCampaign({ ...(await order(story, n)), ...AS_IT_IS, budgetMicro: 3 * KES })).toBe(
        true,
      );
    expect([await stateOf(story, running), await stateOf(story, later)]).toEqual(['running', 'scheduled']);
    expect((await order(story, later)).campaign.budgetMicro).toBe(3 * KES);
  });

  it('is never lowered, never given to a campaign without one, nor to one that is over', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ budgetMicro: 2 * KES });
    const other = await story.launch({ id: 'free-1', name: 'free' });
    const change = { ...AS_IT_IS, budgetMicro: KES };
    for (const each of [n, other])
      await expect(resumeCampaign({ ...(await order(story, each)), ...change })).rejects.toMatchObject(
        FORBIDDEN,
      );
    await cancelCampaign(await order(story, n));
    const raise = { ...(await order(story, n)), ...AS_IT_IS, budgetMicro: 9 * KES };
    await expect(resumeCampaign(raise)).rejects.toMatchObject(FORBIDDEN);
    expect((await order(story, n)).campaign.budgetMicro).toBe(2 * KES);
    expect((await order(story, other)).campaign.budgetMicro).toBeNull();
  });
});

describe('cancel', () => {
  it('counts what will never be sent, and is no error the second time', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 7 });
    expect(await cancelCampaign(await order(story, n))).toEqual({ changed: true, canceled: 7 });
    expect(await cancelCampaign(await order(story, n))).toEqual({ changed: false, canceled: 0 });
    expect(await stateOf(story, n)).toBe('canceled');
    expect(audit(story).at(-1)).toBe('cancel by operator test');
  });

  it('is forbidden when everything has been sent', async () => {
    const { story, n } = await settled();
    await expect(cancelCampaign(await order(story, n))).rejects.toMatchObject(FORBIDDEN);
    expect(await stateOf(story, n)).toBe('finished');
  });

  it('is forbidden when the last of it was sent since somebody looked: nothing was canceled', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 1 });
    await story.claim();
    const before = await order(story, n);
    await story.record(n, { 1: { to: 'sent' } });
    expect(before.state).toBe('running');
    await expect(cancelCampaign(before)).rejects.toMatchObject({
      ...FORBIDDEN,
      message: `Campaign ${before.campaign.name} (${before.campaign.id}) is finished; it cannot be canceled.`,
    });
    expect(await stateOf(story, n)).toBe('finished');
  });
});

describe('rate', () => {
  it('changes once, then is so already', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch();
    expect(await setRate({ ...(await order(story, n)), ratePerSecond: 80 })).toBe(true);
    expect(await setRate({ ...(await order(story, n)), ratePerSecond: 80 })).toBe(false);
    expect((await order(story, n)).campaign.settings.ratePerSecond).toBe(80);
    expect(await setRate({ ...(await order(story, n)), ratePerSecond: null })).toBe(true);
    expect(audit(story).at(-1)).toBe('rate by operator test');
  });

  it('is forbidden on what is settled', async () => {
    const { story, n } = await settled();
    await expect(setRate({ ...(await order(story, n)), ratePerSecond: 1 })).rejects.toMatchObject(FORBIDDEN);
  });
});

describe('retry', () => {
  it('takes what a retry can help, or all of one reason; never what is uncertain', async () => {
    const { story, n } = await settled();
    expect(await retryRejected({ ...(await order(story, n)), reason: null, resolveAfterMs: 0 })).toBe(1);
    expect(await stateOf(story, n)).toBe('running');
    expect(
      await retryRejected({ ...(await order(story, n)), reason: 'invalid mobile', resolveAfterMs: 0 }),
    ).toBe(1);
    const { messages } = await (await story.reader()).overview(n);
    expect(messages).toMatchObject({ queued: 2, rejected: 0, uncertain: 1, sent: 1 });
    expect(audit(story).at(-1)).toBe('retry by operator test');
  });

  it('is forbidden on a canceled campaign', async () => {
    const { story, n } = await settled();
    await retryRejected({ ...(await order(story, n)), reason: null, resolveAfterMs: 0 });
    await cancelCampaign(await order(story, n));
    await expect(
      retryRejected({ ...(await order(story, n)), reason: null, resolveAfterMs: 0 }),
    ).rejects.toMatchObject(FORBIDDEN);
  });
});

describe('resolve', () => {
  const all = { line: null, mobile: null, resolveAfterMs: 600_000 };

  it('sends again only what has rested for long enough', async () => {
    const { story, n } = await settled();
    const early = { ...(await order(story, n)), ...all, decision: 'not_sent' as const };
    await expect(resolveUncertain(early)).rejects.toMatchObject({ code: 'too_early', exitCode: 2 });
    expect((await (await story.reader()).overview(n)).messages).toMatchObject({ uncertain: 1, queued: 0 });
    story.now += 600_001;
    expect(await resolveUncertain({ ...(await order(story, n)), ...all, decision: 'not_sent' })).toEqual({
      resolved: 1,
      tooYoung: 0,
    });
    expect((await (await story.reader()).overview(n)).messages).toMatchObject({ uncertain: 0, queued: 1 });
    expect(audit(story).at(-1)).toBe('resolve by operator test');
  });

  it('calls them sent, or writes them off, at once', async () => {
    const { story, n } = await settled();
    expect(await resolveUncertain({ ...(await order(story, n)), ...all, decision: 'write_off' })).toEqual({
      resolved: 1,
      tooYoung: 0,
    });
    expect((await (await story.reader()).overview(n)).messages).toMatchObject({
      uncertain: 1,
      written_off: 1,
    });
    const named = { ...(await order(story, n)), ...all, line: 5, decision: 'sent' as const };
    expect(await resolveUncertain(named)).toEqual({ resolved: 1, tooYoung: 0 });
    expect((await (await story.reader()).overview(n)).messages).toMatchObject({ uncertain: 0, sent: 2 });
  });

  it('says so when the message that is named is not uncertain, and is content with none when none is named', async () => {
    const { story, n } = await settled();
    const sent = { ...(await order(story, n)), ...all, decision: 'sent' as const };
    await expect(resolveUncertain({ ...sent, line: 2 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(resolveUncertain({ ...sent, mobile: '254700000001' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await resolveUncertain({ ...sent, mobile: '254700000004' })).toEqual({ resolved: 1, tooYoung: 0 });
    expect(await resolveUncertain(sent)).toEqual({ resolved: 0, tooYoung: 0 });
  });

  it('never sends again what belongs to a canceled campaign', async () => {
    const story = await LedgerStory.begin();
    const n = await story.launch({ messages: 2 });
    await story.claim();
    await story.record(n, { 1: { to: 'uncertain' }, 2: { to: 'queued' } });
    await cancelCampaign(await order(story, n));
    story.now += 600_001;
    const again = { ...(await order(story, n)), ...all, decision: 'not_sent' as const };
    await expect(resolveUncertain(again)).rejects.toMatchObject(FORBIDDEN);
    const decided = { resolved: 1, tooYoung: 0 };
    expect(await resolveUncertain({ ...again, decision: 'sent' })).toEqual(decided);
  });
});

describe('while a second person must approve', () => {
  it('only an approver sends more than was approved; whoever may operate still stops', async () => {
    const { story, n } = await settled();
    await story.ledger.setApproval({ on: true, now: story.now, by: 'admin' });
    const given = await order(story, n);
    const REFUSED = { code: 'approval_needed', exitCode: 2 };
    const retry = { reason: null, resolveAfterMs: 0 };
    await expect(retryRejected({ ...given, ...retry })).rejects.toMatchObject(REFUSED);
    const all = { line: null, mobile: null, resolveAfterMs: 0 };
    await expect(resolveUncertain({ ...given, ...all, decision: 'not_sent' })).rejects.toMatchObject(REFUSED);
    await expect(resolveUncertain({ ...given, ...all, decision: 'sent' })).resolves.toBeDefined();
    for (const [name, role] of [
      ['mary', 'approver'],
      ['otto', 'operator'],
    ] as const)
      await story.ledger.addUser({
        now: story.now,
        by: 'admin',
        id: `user ${name}`,
        name,
        role,
        link: { digest: name, endsAt: story.now },
      });
    const asks = (name: string) =>
      askedFrom.run({ from: '10.0.0.7', right: { of: { user: `user ${name}` }, role: 'operator' } }, () =>
        retryRejected({ ...given, ...retry }),
      );
    await expect(asks('otto')).rejects.toMatchObject(REFUSED);
    await expect(asks('mary')).resolves.toBe(1);
    const again = await order(story, n);
    await expect(resumeCampaign({ ...again, ...AS_IT_IS, sender: 'OTHER' })).rejects.toMatchObject(REFUSED);
    expect(await pauseCampaign(again)).toBe(true);
    expect((await cancelCampaign(await order(story, n))).changed).toBe(true);
  });
});
