import { expect, test } from 'vitest';
import { legalOrders, legalOrder, type OrderFacts } from '../../../src/campaign/operator/legal-orders.ts';

const NONE = {
  queued: 0,
  sending: 0,
  sent: 0,
  rejected: 0,
  uncertain: 0,
  skipped: 0,
  canceled: 0,
  written_off: 0,
};

function facts(
  overview: object,
  { settings = {}, ...rest }: Partial<Omit<OrderFacts, 'overview'>> & { settings?: object } = {},
): OrderFacts {
  return {
    overview: {
      campaign: { settings: { ratePerSecond: null, ...settings }, estimatedMicro: 8_000_000 },
      state: 'running',
      reason: null,
      messages: { ...NONE, queued: 10 },
      budgetMicro: null,
      leftMicro: 8_000_000,
      ...overview,
    } as unknown as OrderFacts['overview'],
    reasons: [],
    leftOut: { named: 0, tooYoung: 0 },
    uncertain: { again: 0, allFrom: null },
    nextAt: null,
    ...rest,
  };
}

const verbs = (given: OrderFacts) => legalOrders(given).map(({ verb }) => verb);

test('a running campaign can be paused, slowed, and canceled for one or for all', () => {
  expect(verbs(facts({}))).toEqual(['pause', 'rate', 'cancel_person', 'cancel']);
  expect(verbs(facts({ budgetMicro: 1 }))).toContain('budget');
});

test('a settled campaign can only be retried and decided, a canceled one only decided', () => {
  const reasons = [{ state: 'rejected' as const, reason: 'busy', count: 5, retryHelps: true }];
  const messages = { ...NONE, sent: 3, rejected: 5, uncertain: 2 };
  expect(verbs(facts({ state: 'finished', messages }, { reasons }))).toEqual(['retry', 'resolve']);
  expect(verbs(facts({ state: 'canceled', messages }, { reasons }))).toEqual(['resolve']);
});

test('a pause that waits for a person stays as it is, and one that ends by itself can be kept', () => {
  expect(verbs(facts({ state: 'paused', reason: 'errors' }))).toEqual([
    'resume',
    'rate',
    'cancel_person',
    'cancel',
  ]);
  expect(verbs(facts({ state: 'paused', reason: 'window' }))).toEqual([
    'pause',
    'rate',
    'cancel_person',
    'cancel',
  ]);
  expect(verbs(facts({ state: 'paused', reason: 'balance' }))).toEqual([
    'resume',
    'pause',
    'rate',
    'cancel_person',
    'cancel',
  ]);
});

test('what a campaign needs to go on is told', () => {
  const needs = (reason: string) =>
    legalOrder(legalOrders(facts({ state: 'paused', reason, budgetMicro: 1 })), 'resume')?.needs;
  expect(['budget', 'sender', 'operator'].map(needs)).toEqual(['budget', 'sender', null]);
});

test('a retry counts what it helps, less what is left out, at the price of the launch', () => {
  const reasons = [
    { state: 'rejected' as const, reason: 'busy', count: 6, retryHelps: true },
    { state: 'rejected' as const, reason: 'invalid', count: 2, retryHelps: false },
    { state: 'sent' as const, reason: 'absent', count: 2, retryHelps: false },
  ];
  const messages = { ...NONE, sent: 2, rejected: 8 };
  const given = facts({ messages }, { reasons, leftOut: { named: 1, tooYoung: 1 } });
  expect(legalOrder(legalOrders(given), 'retry')).toEqual({
    verb: 'retry',
    messages: 4,
    costMicro: 3_200_000,
  });
  expect(legalOrder(legalOrders({ ...given, leftOut: { named: 6, tooYoung: 0 } }), 'retry')).toBeNull();
});

test('nothing of a canceled campaign may be called not sent', () => {
  const messages = { ...NONE, uncertain: 3, written_off: 1 };
  const uncertain = { again: 2, allFrom: 5 };
  const order = (state: string) =>
    legalOrder(legalOrders(facts({ state, messages }, { uncertain })), 'resolve');
  expect(order('running')).toEqual({ verb: 'resolve', messages: 2, again: 2, from: 5 });
  expect(order('canceled')).toEqual({ verb: 'resolve', messages: 2, again: 0, from: null });
});

test('a recurring job can leave out its next firing; one that is read anew takes speed and people from its files', () => {
  const every = { cron: '0 9 * * 1' };
  expect(verbs(facts({ state: 'scheduled' }, { settings: { every }, nextAt: 9 }))).toContain('skip');
  const reread = { ...every, reread: { job: '', contacts: null, countries: [] } };
  expect(verbs(facts({ state: 'scheduled' }, { settings: { every: reread }, nextAt: 9 }))).toEqual([
    'pause',
    'skip',
    'cancel',
  ]);
});
