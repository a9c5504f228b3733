import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import { sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld, type Row } from './reminder-world.ts';

/** A reminder that was moved while nobody knew whether it was sent goes once, on the date that the last upload gave it. */
export function movedRemindersContract(world: () => World): void {
  const { dateOf, reminder, launch, upload, correct, rowsOf, sendDue, refuse } = reminderWorld(world);
  const other = { who: 2, day: 9, key: 'a' };
  const person = (day: number) => [{ who: 1, day, key: 'a' }, other];
  const notSent = () => ({ ...world().operator, decision: 'not_sent', before: world().now }) as const;

  async function callNotSent(campaign: Campaign): Promise<void> {
    expect(await world().ledger.resolve(campaign.n, notSent())).toMatchObject({ resolved: 1 });
  }

  /** What became of the person's reminders, in the order in which they were planned. */
  const reminders = async (campaign: Campaign) =>
    statesOf((await rowsOf(campaign)).filter((text) => text.startsWith('1 ')));

  /** Its first reminder is uncertain, and a correction moves it. */
  async function movedTo(day: number): Promise<Campaign> {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, uncertain)).toBe(1);
    world().now += 1_000;
    await correct(campaign, person(day), { keyed: true });
    world().now += 1_000;
    return campaign;
  }

  it('with a key: moved while it was uncertain, and called not sent, it goes once, on its later date', async () => {
    const campaign = await launch(person(0), { keyed: true });
    const [first, moved, other] = [dateOf(0), dateOf(3), dateOf(9)];
    expect(await sendDue(campaign, uncertain)).toBe(1);
    await correct(campaign, person(3), { keyed: true });
    expect(await rowsOf(campaign)).toEqual([
      `1 a ${first} uncertain no answer in time`,
      `2 a ${other} queued`,
      `1 a ${moved} skipped already reminded`,
    ]);
    world().now += DAY;
    expect(await world().ledger.resolve(campaign.n, notSent())).toEqual({ resolved: 1, tooYoung: 0 });
    expect(await rowsOf(campaign)).toEqual([
      `1 a ${first} canceled moved`,
      `2 a ${other} queued`,
      `1 a ${moved} queued`,
    ]);
    expect(
      await world().open.sql("SELECT seq FROM message WHERE state = 'queued' AND settled_at > 0"),
    ).toEqual([]);
    expect(await world().ledger.dueBatches({ now: world().now, perCampaign: 9 })).toEqual([]);
    world().now += 2 * DAY;
    expect(await sendDue(campaign, sent)).toBe(1);
    expect((await rowsOf(campaign)).at(-1)).toBe(`1 a ${moved} sent`);
    await world().verify();
  });

  it('with a key: moved while it was uncertain, and called not sent too late, it is not sent', async () => {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, uncertain)).toBe(1);
    await correct(campaign, person(1), { keyed: true });
    world().now += 2 * DAY;
    await callNotSent(campaign);
    expect(await sendDue(campaign, sent)).toBe(0);
    expect((await rowsOf(campaign)).map((row) => row.split(' ').slice(3).join(' '))).toEqual([
      'skipped moment past',
      'queued',
      'skipped already reminded',
    ]);
  });

  it('taken out by a later upload, its later date does not come back', async () => {
    const campaign = await movedTo(3);
    await correct(campaign, [other], { keyed: true });
    world().now += DAY;
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual([
      'canceled no longer in the contacts',
      'skipped already reminded',
    ]);
    // Nothing of its batches waits any more, or the campaign would never be over.
    expect(await world().open.sql('SELECT first_seq FROM batch WHERE settled_at IS NULL')).toEqual([
      { first_seq: 2 },
    ]);
    await world().verify();
  });

  it('moved back by a later upload, it goes on its own date', async () => {
    const campaign = await movedTo(3);
    await correct(campaign, person(0), { keyed: true });
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['queued', 'skipped already reminded']);
    expect(await sendDue(campaign, sent)).toBe(1);
    await world().verify();
  });

  it('moved three times, the date of the last upload comes back, and says what that upload says', async () => {
    const campaign = await movedTo(3);
    const third = dateOf(3);
    await correct(campaign, person(5), { keyed: true });
    world().now += 1_000;
    await correct(campaign, [{ who: 1, day: 3, key: 'a', name: 'Ann' }, other], { keyed: true });
    expect(await reminders(campaign)).toEqual([
      'uncertain no answer in time',
      'skipped already reminded',
      'skipped already reminded',
    ]);
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['canceled moved', 'queued', 'skipped already reminded']);
    const said =
      "SELECT fields ->> '$[1]' AS name FROM message WHERE campaign = ? AND occurrence = ? AND state = 'queued'";
    expect(await world().open.sql(said, [campaign.n, third])).toEqual([{ name: 'Ann' }]);
    world().now += 3 * DAY;
    expect(await sendDue(campaign, sent)).toBe(1);
    await world().verify();
  });

  it('moved forth before it was sent, and back while that is uncertain, the date that it came back to is sent', async () => {
    const campaign = await launch(person(3), { keyed: true });
    world().now += 1_000;
    await correct(campaign, person(0), { keyed: true });
    expect(await sendDue(campaign, uncertain)).toBe(1);
    world().now += 1_000;
    await correct(campaign, person(3), { keyed: true });
    expect(await reminders(campaign)).toEqual(['skipped already reminded', 'uncertain no answer in time']);
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['queued', 'canceled moved']);
    await world().verify();
  });

  it('skipped for another date that then was not sent either, an upload that names it again plans it', async () => {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, refuse)).toBe(1);
    world().now += 1_000;
    await correct(campaign, person(3), { keyed: true });
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(0);
    expect(await reminders(campaign)).toEqual(['skipped already reminded', 'queued']);
    const asked = [{ mobile: '254700000001', key: 'a', occurrence: dateOf(0) }];
    expect(await world().ledger.compareReminders(campaign.n, asked, world().now)).toMatchObject([
      { verdict: 'unchanged', goes: true },
    ]);
    world().now += 1_000;
    await correct(campaign, person(0), { keyed: true });
    expect(await reminders(campaign)).toEqual(['queued', 'canceled moved']);
    expect(await sendDue(campaign, sent)).toBe(1);
    await world().verify();
  });

  it('refused on two dates and moved back to the first, a retry sends the one that the last upload named', async () => {
    const campaign = await launch(person(3), { keyed: true });
    world().now += 1_000;
    await correct(campaign, person(0), { keyed: true });
    expect(await sendDue(campaign, refuse)).toBe(1);
    world().now += 1_000;
    await correct(campaign, person(3), { keyed: true });
    world().now += 3 * DAY;
    expect(await sendDue(campaign, refuse)).toBe(1);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect(await reminders(campaign)).toEqual(['queued', 'skipped already reminded']);
    await world().verify();
  });

  it('what the last upload skips for another reason does not come back', async () => {
    const campaign = await movedTo(3);
    await correct(campaign, [{ who: 1, day: 3, key: 'a', skip: 'moment past' }, other], { keyed: true });
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['queued', 'skipped already reminded']);
  });

  it('a date that was skipped for another reason does not come back', async () => {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, uncertain)).toBe(1);
    await correct(campaign, [{ who: 1, day: 3, key: 'a', skip: 'moment past' }, other], { keyed: true });
    world().now += 1_000;
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['queued', 'skipped moment past']);
  });

  it('sent by a newer campaign meanwhile, neither date goes', async () => {
    const campaign = await movedTo(3);
    await correct(campaign, [{ who: 1, day: 3, key: 'a' }], { keyed: true });
    const newer = await launch([{ who: 1, day: 0, key: 'a' }], { keyed: true });
    expect(await sendDue(newer, sent)).toBe(1);
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['canceled moved', 'skipped already reminded']);
    await world().verify();
  });

  it('called not sent, what a newer campaign skipped goes once, in its own campaign; of a canceled one it is refused', async () => {
    const older = await launch([{ who: 1, day: 0, key: 'a' }], { keyed: true });
    expect(await sendDue(older, uncertain)).toBe(1);
    world().now += 1_000;
    const newer = await launch([{ who: 1, day: 3, key: 'a', skip: 'already reminded' }, other], {
      keyed: true,
    });
    world().now += 1_000;
    await callNotSent(older);
    expect([await reminders(older), await reminders(newer)]).toEqual([
      ['queued'],
      ['skipped already reminded'],
    ]);
    expect(await sendDue(older, uncertain)).toBe(1);
    await world().ledger.pause(newer.n, { ...world().operator, reason: 'operator' });
    await world().ledger.cancel(newer.n, world().operator);
    await expect(world().ledger.resolve(newer.n, notSent())).rejects.toMatchObject({ code: 'state_forbids' });
    await world().verify();
  });

  it('what a cancel has not reached yet reminds nobody, and what went is not open', async () => {
    const campaign = await launch([
      { who: 1, day: 0 },
      { who: 2, day: 0 },
      { who: 3, day: 3 },
    ]);
    expect(await world().ledger.openReminders(campaign.n)).toBe(3);
    const worker = await world().worker();
    const { messages } = await world().claim(await world().lease(worker), worker, { limit: 1 });
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message)),
    );
    expect(await world().ledger.openReminders(campaign.n)).toBe(2);
    const rows = [reminder({ who: 3, day: 3 }, 0)];
    const asked = { name: 'rent', keyed: false, rows, now: world().now };
    expect(await world().ledger.remindedBefore(asked)).toEqual([true]);
    await world().open.sql("UPDATE campaign SET state = 'canceled', canceled_at = 1");
    expect(await world().ledger.remindedBefore(asked)).toEqual([false]);
  });

  it('what waits in an older campaign though its day is over is in the way of no date that an upload brings', async () => {
    const older = await launch([{ who: 1, day: 0, key: 'a' }], { keyed: true });
    expect(await sendDue(older, uncertain)).toBe(1);
    const newer = await launch([other], { keyed: true });
    world().now += DAY;
    await callNotSent(older);
    const rows = [reminder({ who: 1, day: 3, key: 'a' }, 0)];
    const asked = { name: 'rent', keyed: true, rows, now: world().now };
    expect(await world().ledger.remindedBefore(asked)).toEqual([false]);
    expect(await world().ledger.compareReminders(newer.n, rows, world().now)).toMatchObject([{ goes: true }]);
    await correct(newer, [{ who: 1, day: 3, key: 'a' }, other], { keyed: true });
    // Also by a clock that says another day later it does not go beside it.
    expect([await reminders(older), await reminders(newer)]).toEqual([['skipped moment past'], ['queued']]);
    await world().verify();
  });

  it('without a key, another date is another reminder and takes no place', async () => {
    const campaign = await launch([
      { who: 1, day: 0 },
      { who: 1, day: 3, skip: 'already reminded' },
    ]);
    expect(await sendDue(campaign, uncertain)).toBe(1);
    world().now += 1;
    await callNotSent(campaign);
    expect(statesOf(await rowsOf(campaign))).toEqual(['queued', 'skipped already reminded']);
  });

  it('skipped for what an older campaign sent, or for another reason, it stays so when it is named again', async () => {
    const older = await launch([{ who: 1, day: 0 }]);
    expect(await sendDue(older, sent)).toBe(1);
    const rows: Row[] = [
      { who: 1, day: 0, skip: 'already reminded' },
      { who: 2, day: 0, skip: 'moment past' },
      { who: 3, day: 0, skip: 'already reminded' },
      { who: 4, day: 5 },
    ];
    const campaign = await launch(rows);
    await correct(
      campaign,
      rows.map(({ who, day }) => ({ who, day })),
    );
    expect(statesOf(await rowsOf(campaign))).toEqual([
      'skipped already reminded',
      'skipped moment past',
      'queued',
      'queued',
    ]);
  });

  it('laid by a process whose clock was read before the upload was accepted, its date comes back all the same', async () => {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, uncertain)).toBe(1);
    world().now += 1_000;
    expect(await upload(campaign, person(3), { keyed: true })).toBe(true);
    expect(await world().ledger.applyUploads(world().now - 5)).toBe(true);
    world().now += 1_000;
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['canceled moved', 'queued']);
  });

  it('moved again after the clock was set back, the date of the last upload comes back', async () => {
    const campaign = await movedTo(3);
    await correct(campaign, person(5), { keyed: true });
    world().now -= 1_500;
    await correct(campaign, [{ who: 1, day: 3, key: 'a', name: 'Ann' }, other], { keyed: true });
    world().now += 3_000;
    await callNotSent(campaign);
    expect(await reminders(campaign)).toEqual(['canceled moved', 'queued', 'skipped already reminded']);
  });

  it('refused on two dates, the last upload names the first again: a retry does not send the second', async () => {
    const campaign = await launch(person(0), { keyed: true });
    expect(await sendDue(campaign, refuse)).toBe(1);
    world().now += 1_000;
    await correct(campaign, person(1), { keyed: true });
    world().now += DAY;
    expect(await sendDue(campaign, refuse)).toBe(1);
    world().now += 1_000;
    const again = [
      { who: 1, day: -1, key: 'a' },
      { ...other, day: 8 },
    ];
    await correct(campaign, again, { keyed: true });
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect(await reminders(campaign)).toEqual(['queued', 'skipped already reminded']);
  });
}

/** State and reason of rows as `rowsOf` writes them. */
function statesOf(rows: string[]): string[] {
  return rows.map((text) => /\d{4}-\d\d-\d\d (.*)/.exec(text)?.[1] ?? text);
}
