import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, Outcome } from '../../src/ledger/contracts/sending.ts';
import { ACCOUNT, PRICE, rejected, requeued, sent, uncertain, type World } from './contract-world.ts';
import { DAY, reminderWorld, type Row } from './reminder-world.ts';

/** What is done to one campaign is done to no other, though both have the same people, keys, dates and places. */
export function besideContract(world: () => World): void {
  const { dateOf, stage, launch, upload, correct, rowsOf, sendDue } = reminderWorld(world);
  const keyed = { keyed: true };
  const person = (who: number, day: number, more: Partial<Row> = {}) => ({ who, day, key: 'k', ...more });
  const due = [1, 2, 3, 4, 5].map((who) => person(who, 0));

  /** One of each: sent, refused, twice uncertain, put off, moved, canceled, skipped and waiting. */
  function verdictOf(campaign: Campaign, message: ClaimedMessage): Outcome {
    if (message.seq === 1) return sent(campaign, message);
    if (message.seq === 2) return rejected(campaign, message, true);
    if (message.seq === 5) return requeued(campaign, message, world().now + 3 * DAY);
    const evidence = { httpStatus: 500, code: null, raw: `no idea of ${message.mobile}` };
    return { ...uncertain(campaign, message), evidence };
  }

  /** A campaign that has seen all that can happen to one. */
  async function live(name: string): Promise<Campaign> {
    const later = [person(6, 5), person(7, 5), person(8, 5)];
    const campaign = await launch([...due, ...later, person(9, 6, { skip: 'moment past' })], keyed);
    await world().open.sql('UPDATE campaign SET name = ? WHERE n = ?', [name, campaign.n]);
    expect(await sendDue(campaign, verdictOf)).toBe(5);
    await world().post({ reports: [{ messageId: `id-${campaign.n}-1`, reason: 'away', effect: 'absent' }] });
    world().now += 1_000;
    const said = person(3, 0, { name: 'New' });
    await correct(campaign, [...due.with(2, said), person(6, 5), person(7, 6)], keyed);
    const mobile = '254700000004';
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'write_off',
      before: 0,
      mobile,
    });
    await world().ledger.pause(campaign.n, { ...world().operator, reason: 'operator' });
    world().now += 1_000;
    return campaign;
  }

  /** All that the ledger holds of a campaign. */
  async function everything({ n }: Campaign): Promise<unknown> {
    const tables = ['message', 'batch', 'attempt', 'evidence', 'upload', 'failure', 'audit'];
    const all = tables.map((table) => [`SELECT * FROM ${table} WHERE campaign = ?`, n] as const);
    const own = ['SELECT * FROM campaign WHERE n = ?', n] as const;
    return Promise.all([...all, own].map(([text, value]) => world().open.sql(text, [value])));
  }

  const notSent = () =>
    ({ ...world().operator, decision: 'not_sent', before: world().now, line: 4 }) as const;

  it('a correction, a retry, a decision, a cancel and a purge of one leave the others as they are', async () => {
    const before = await live('fees');
    const campaign = await live('loan');
    const after = await live('dues');
    const known = [await everything(before), await everything(after)];
    await world().ledger.resume(campaign.n, world().operator);
    const newer = due.with(1, person(2, 2)).with(2, person(3, 0, { name: 'Newer' }));
    await correct(campaign, [...newer, person(6, 6), person(8, 5)], keyed);
    expect(await world().ledger.resolve(campaign.n, notSent())).toMatchObject({ resolved: 1 });
    await correct(campaign, [...due, person(6, 5)], keyed);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
    expect((await rowsOf(campaign)).slice(0, 9).map((row) => row.replace(/ \d{4}-\d\d-\d\d/, ''))).toEqual([
      '1 k sent',
      '2 k queued',
      '3 k queued',
      '4 k uncertain no answer in time',
      '5 k queued throttled',
      '6 k queued',
      '7 k canceled moved',
      '8 k canceled no longer in the contacts',
      '9 k skipped moment past',
    ]);
    expect(await sendDue(campaign, uncertain)).toBe(2);
    const { operator } = world();
    expect(
      await world().ledger.resolve(campaign.n, { ...operator, decision: 'sent', before: 0, line: 3 }),
    ).toMatchObject({ resolved: 1 });
    await world().ledger.cancel(campaign.n, operator);
    expect(await world().ledger.purgeCampaign(campaign.n, operator)).toBe((await rowsOf(campaign)).length);
    expect([await everything(before), await everything(after)]).toEqual(known);
    expect(await rowsOf(before)).toContain(`8 k ${dateOf(5)} canceled no longer in the contacts`);
  });

  it('two uploads at once are both laid to their end', async () => {
    const one = await launch([person(1, 5), person(2, 5)], keyed);
    await world().open.sql("UPDATE campaign SET name = 'fees' WHERE n = ?", [one.n]);
    const two = await launch([person(1, 5)], keyed);
    expect(await upload(one, [person(1, 6)], keyed)).toBe(true);
    expect(await upload(two, [person(2, 6), person(3, 6)], keyed)).toBe(true);
    // Planned meanwhile by a third.
    const draft = await stage([person(4, 9)], keyed);
    await world().ledger.arrangeReminders(draft.n, world().now);
    expect(await world().ledger.applyUploads(world().now)).toBe(true);
    expect([await rowsOf(one), await rowsOf(two)]).toEqual([
      [
        `1 k ${dateOf(5)} canceled moved`,
        `2 k ${dateOf(5)} canceled no longer in the contacts`,
        `1 k ${dateOf(6)} queued`,
      ],
      [
        `1 k ${dateOf(5)} canceled no longer in the contacts`,
        `2 k ${dateOf(6)} queued`,
        `3 k ${dateOf(6)} queued`,
      ],
    ]);
    expect(await Promise.all([one, two].map(({ n }) => world().ledger.openReminders(n)))).toEqual([1, 2]);
  });

  it('a canary holds back only the batches of its own campaign', async () => {
    const canary = { first: 2, waitMs: 60_000, delivered: 0.8 };
    const careful = await world().launch(4, { name: 'careful', settings: { canary, batchSize: 2 } });
    const other = await world().launch(4, { settings: { batchSize: 2 } });
    const worker = await world().worker();
    const ask = { worker, now: world().now, leaseMs: 60_000 };
    const due = await world().ledger.dueBatches({ now: ask.now, perCampaign: 9 });
    const leases = await Promise.all(due.map((batch) => world().ledger.leaseBatch({ ...batch, ...ask })));
    expect(leases.map((lease) => lease?.campaign.n)).toEqual([careful.n, other.n, other.n]);
  });

  it('what is sent from one account is not in the totals of another, nor takes its slots', async () => {
    const { worker } = await world().sending(2, { name: 'one' });
    const booksOf = async (account: string) =>
      (await world().open.sql('SELECT * FROM account WHERE client_id = ?', [account]))[0];
    const before = await booksOf(ACCOUNT);
    const other = await world().launch(3, { name: 'other', account: 'C-200' });
    const { messages } = await world().claim(await world().lease(worker), worker, { accountRate: 50 });
    const [first, second] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [sent(other, first), uncertain(other, second)]);
    expect(await booksOf('C-200')).toMatchObject({
      spent: PRICE,
      reserved: 2 * PRICE,
      in_flight: 1,
      claims: 3,
    });
    expect(await booksOf(ACCOUNT)).toEqual(before);
  });
}
