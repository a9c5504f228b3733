import { expect, it } from 'vitest';
import type { AnswerGroup } from '../../src/domain/answer-meaning.ts';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { ClaimedMessage, Outcome } from '../../src/ledger/sending.ts';
import { PRICE, requeued, sent, uncertain, type World } from './contract-world.ts';

/** Answers that the profile does not know wait for a person, who says once what they mean. */
export function answersContract(world: () => World): void {
  const FUNDS = { httpStatus: 402, code: null, question: 'Insufficient funds' };

  const unknown = (campaign: Campaign, message: ClaimedMessage, group: AnswerGroup = FUNDS): Outcome => {
    return { ...uncertain(campaign, message), evidence: { ...group, raw: '{}' } };
  };
  const map = (answer: number, meaning: 'credit' | 'contact' | 'accepted' | 'uncertain') =>
    world().ledger.mapAnswer({ ...world().operator, answer, meaning });
  const groups = async () => (await world().reader()).answers();

  it('one group has one number, and counts how often it came and what waits for it [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(4);
    const [one, two, three, four] = messages as [
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
      ClaimedMessage,
    ];
    const other = { httpStatus: 200, code: '14', question: '' };
    await world().record(worker, [
      unknown(campaign, one),
      unknown(campaign, two),
      unknown(campaign, three, other),
      uncertain(campaign, four),
    ]);
    const open = { meaning: null, mappedBy: null, lastAt: world().now };
    expect(await groups()).toEqual([
      { ...open, ...FUNDS, answer: 1, count: 2, messages: 2 },
      { ...open, ...other, answer: 2, count: 1, messages: 1 },
    ]);
    const reader = await world().reader();
    expect(await reader.openAnswers(campaign.n)).toEqual(await reader.openAnswers(null));
    expect(await reader.openAnswers(campaign.n + 1)).toEqual([]);
  });

  it('a class of refusal rejects what waits, frees its money, and says whether a retry helps [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one), uncertain(campaign, two)]);
    expect(await map(1, 'credit')).toBe(1);
    expect(await map(1, 'credit')).toBe(0);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'rejected',
      reason: 'credit refused',
    });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'uncertain' });
    expect((await (await world().reader()).overview(campaign.n)).spentMicro).toBe(PRICE);
    expect(await world().ledger.retry(campaign.n, world().operator)).toBe(1);
  });

  it('accepted makes them sent, of unknown cost, by an operator [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    await world().record(worker, [unknown(campaign, messages[0] as ClaimedMessage)]);
    expect(await map(1, 'accepted')).toBe(1);
    expect(await world().message(campaign.n, 1)).toMatchObject({
      state: 'sent',
      costMicro: null,
      delivery: 'pending',
    });
    expect(await world().open.sql('SELECT basis FROM message')).toEqual([{ basis: 'operator' }]);
  });

  it('a later answer is decided in the commit that records it, until the mapping is taken back [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one)]);
    await map(1, 'contact');
    expect(await world().ledger.mappedAnswers()).toEqual([{ ...FUNDS, meaning: 'contact' }]);
    await world().record(worker, [unknown(campaign, two)]);
    expect(await world().message(campaign.n, 2)).toMatchObject({
      state: 'rejected',
      reason: 'invalid mobile',
    });
    expect(await world().ledger.unmapAnswer({ ...world().operator, answer: 1 })).toBe(true);
    expect(await world().ledger.unmapAnswer({ ...world().operator, answer: 1 })).toBe(false);
    await world().record(worker, [unknown(campaign, three)]);
    expect(await world().message(campaign.n, 3)).toMatchObject({ state: 'uncertain' });
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'rejected' });
  });

  it('an outcome of a meaning that was taken back, or changed, is uncertain and never queued again [P6b]', async () => {
    const { campaign, worker, lease, messages } = await world().sending(3);
    const [one, two, three] = messages as [ClaimedMessage, ClaimedMessage, ClaimedMessage];
    const evidence = { ...FUNDS, raw: '{}' };
    await world().record(worker, [unknown(campaign, one)]);
    await map(1, 'credit');
    await world().record(worker, [{ ...requeued(campaign, two), evidence }]);
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'queued' });
    await world().ledger.unmapAnswer({ ...world().operator, answer: 1 });
    await world().record(worker, [{ ...requeued(campaign, three), evidence }]);
    expect(await world().message(campaign.n, 3)).toMatchObject({ state: 'uncertain' });
    expect(await map(1, 'accepted')).toBe(1);
    expect(await world().message(campaign.n, 3)).toMatchObject({ state: 'sent' });
    const [second] = (await world().claim(lease, worker)).messages as [ClaimedMessage];
    await world().record(worker, [{ ...requeued(campaign, second), evidence }]);
    expect(await world().message(campaign.n, 2)).toMatchObject({ state: 'sent', costMicro: null });
  });

  it('uncertain leaves them, closes the question, and a written-off message is not asked about [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(2);
    const [one, two] = messages as [ClaimedMessage, ClaimedMessage];
    await world().record(worker, [unknown(campaign, one), unknown(campaign, two)]);
    await world().ledger.resolve(campaign.n, {
      ...world().operator,
      decision: 'write_off',
      before: world().now,
      line: 2,
    });
    expect(await (await world().reader()).openAnswers(null)).toMatchObject([{ messages: 1 }]);
    expect(await map(1, 'uncertain')).toBe(0);
    expect(await (await world().reader()).openAnswers(null)).toEqual([]);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'uncertain' });
  });

  it('the answer of an earlier attempt decides nothing of a later one, and no group is no group [P6b]', async () => {
    const { campaign, worker, messages } = await world().sending(1);
    const [message] = messages as [ClaimedMessage];
    await world().record(worker, [unknown(campaign, message)]);
    await world().record(worker, [sent(campaign, message)]);
    expect(await map(1, 'contact')).toBe(0);
    expect(await world().message(campaign.n, 1)).toMatchObject({ state: 'sent', costMicro: PRICE });
    expect(await map(7, 'contact')).toBeNull();
  });
}
