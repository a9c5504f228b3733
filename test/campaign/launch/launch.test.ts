import { hintOf } from '../../../src/cli/text/advice-text.ts';
import { expect, test } from 'vitest';
import {
  changed,
  checkLimits,
  differences,
  type DraftInput,
  findEarlier,
  openAccount,
  settingsOf,
} from '../../../src/campaign/launch/launch.ts';
import type { Campaign } from '../../../src/domain/campaign.ts';
import { TumaError } from '../../../src/domain/errors.ts';
import { formatMoney } from '../../../src/domain/money.ts';
import type { Provider } from '../../../src/provider/provider.ts';
import { LedgerStory } from '../../support/ledger-story.ts';

const KES = 1_000_000;
const money = (amount: number) => `KES ${formatMoney(amount)}`;
const NO_LIMITS = { maxCostMicro: null, budgetMicro: null, partial: false };

function plan(upper: number | null, credit = 100) {
  const upperMicro = upper === null ? null : upper * KES;
  const basis = upper === null ? ('unknown' as const) : ('learned' as const);
  const cost = {
    basis,
    lowerMicro: upperMicro,
    upperMicro,
    heldMicro: null,
    unpriced: [],
    othersMicro: null,
  };
  return { cost, creditMicro: credit * KES, money };
}

function codeOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TumaError) return error.code;
    throw error;
  }
  return 'none';
}

test('the budget of a launch is the lower of --max-cost and the job’s own', () => {
  const limits = (max: number | null, budget: number | null) =>
    checkLimits(plan(10), {
      maxCostMicro: max === null ? null : max * KES,
      budgetMicro: budget === null ? null : budget * KES,
      partial: false,
    });
  expect([limits(null, null), limits(20, null), limits(null, 5), limits(20, 5), limits(10, 30)]).toEqual([
    null,
    20 * KES,
    5 * KES,
    5 * KES,
    10 * KES,
  ]);
});

test('an estimate is refused one unit above --max-cost or the balance, and not at it', () => {
  const max = { ...NO_LIMITS, maxCostMicro: 10 * KES };
  expect(codeOf(() => checkLimits(plan(10), max))).toBe('none');
  expect(codeOf(() => checkLimits(plan(10.000_001), max))).toBe('over_max_cost');
  expect(codeOf(() => checkLimits(plan(10, 10), NO_LIMITS))).toBe('none');
  expect(codeOf(() => checkLimits(plan(10.000_001, 10), NO_LIMITS))).toBe('insufficient_credit');
  expect(codeOf(() => checkLimits(plan(11, 10), { ...NO_LIMITS, partial: true }))).toBe('none');
});

test('a credit below zero is below every estimate, also of free messages and without a price', () => {
  for (const upper of [10, 0, null]) {
    expect(codeOf(() => checkLimits(plan(upper, -12.4), NO_LIMITS))).toBe('insufficient_credit');
    expect(codeOf(() => checkLimits(plan(upper, -12.4), { ...NO_LIMITS, partial: true }))).toBe('none');
  }
});

test('without a price a limit is refused, whichever it is, and its absence is not', () => {
  expect(codeOf(() => checkLimits(plan(null), NO_LIMITS))).toBe('none');
  expect(codeOf(() => checkLimits(plan(null), { ...NO_LIMITS, maxCostMicro: KES }))).toBe('cost_unknown');
  expect(codeOf(() => checkLimits(plan(null), { ...NO_LIMITS, budgetMicro: KES }))).toBe('cost_unknown');
  const abroad = plan(null, 10);
  const others = { lowerMicro: 11 * KES, upperMicro: 11 * KES };
  const cost = { ...abroad.cost, othersMicro: others, unpriced: [{ country: 'TZ', messages: 1 }] };
  expect(codeOf(() => checkLimits({ ...abroad, cost }, NO_LIMITS))).toBe('insufficient_credit');
});

test('what differs between two launches is named, all of it', () => {
  const before = { job: 'a', template: 'b', contacts: 'c' };
  expect(differences(before, before)).toEqual([]);
  expect(differences(before, { job: 'x', template: 'b', contacts: 'z' })).toEqual(['job', 'contacts']);
});

test.each([
  [
    'scheduled',
    { every: { cron: '0 9 * * mon', contacts: null } },
    /^First stop it for good: `tuma cancel k7`\. A launch after that is a new campaign\.$/,
  ],
  ['running', { remind: {} }, /^Let it finish, or stop it for good: `tuma cancel k7`\. .* new campaign\.$/],
  ['scheduled', {}, /^Let it finish, or stop it for good: `tuma cancel k7`\. .* new campaign\.$/],
  [
    'paused',
    {},
    /^Let it finish \(`tuma resume k7`\), or stop .*\. For only the contacts that it did not reach: tuma export k7 .* --out rest-k7\.csv, and /,
  ],
])('beside an open campaign, %s (%j), others are told how to come after it', (...given) => {
  const [state, settings, hint] = given;
  const open = { id: 'k7', name: 'rent', state, settings } as unknown as Campaign;
  expect(hintOf(changed(open, ['contacts']))).toMatch(hint);
});

test.each([
  ['running', false, {}, 'continue'],
  ['running', true, {}, 'settled'],
  ['running', false, { contacts: 'x' }, 'refused'],
  ['running', true, { contacts: 'x' }, 'new'],
  ['canceled', false, {}, 'canceled'],
  ['canceled', true, {}, 'canceled'],
  ['canceled', false, { contacts: 'x' }, 'new'],
  ['reminding', false, { contacts: 'x' }, 'upload'],
  ['reminding', true, { contacts: 'x' }, 'new'],
  ['reminding', false, { contacts: 'x', template: 'x' }, 'refused'],
])('beside one that is %s (settled: %s), a launch with %j is: %s', async (...given) => {
  const [how, settled, changes, expected] = given;
  const hashes = { job: 'a', template: 'b', contacts: 'c' };
  const reminding = how === 'reminding';
  const settings = reminding ? { remind: {} } : {};
  const campaign = { id: 'k7', state: reminding ? 'running' : how, hashes, settings } as unknown as Campaign;
  const env = { ledger: { latestNamed: async () => ({ campaign, settled }) } };
  const earlier = findEarlier(env, { name: 'rent', hashes: { ...hashes, ...changes } });
  if (expected === 'refused') await expect(earlier).rejects.toMatchObject({ code: 'campaign_changed' });
  else expect((await earlier).launch).toBe(expected);
  const none = { ledger: { latestNamed: async () => null } };
  expect(await findEarlier(none, { name: 'rent', hashes })).toEqual({ launch: 'new' });
});

test('a campaign keeps what its job says, and an opt-out text only where the provider adds one', () => {
  const bare = { remind: null, every: null, canary: null };
  const settings = (job: object) =>
    settingsOf({
      loaded: { job: { ...bare, ...job } },
      key: [],
      optOutText: 'STOP',
    } as unknown as DraftInput);
  const off = { guard: { sameTextMs: null, most: null } };
  const plain = settings({ kind: 'transactional', ...off });
  expect(plain.optOutText).toBe('');
  for (const key of ['remind', 'every', 'canary', 'guard']) expect(plain).not.toHaveProperty(key);
  expect(settings({ kind: 'promotional', ...off }).optOutText).toBe('STOP');
  for (const guard of [
    { sameTextMs: 1, most: null },
    { sameTextMs: null, most: 1 },
  ])
    expect(settings({ guard })).toMatchObject({ guard });
  const full = { remind: {}, every: {}, canary: {} };
  expect(settings({ ...off, ...full })).toMatchObject(full);
});

test('the reading of a launch begins before the question: it is quiet only when nothing was on the wire then', async () => {
  const story = await LedgerStory.begin();
  const n = await story.launch({ messages: 2 });
  const clock = { now: () => (story.now += 1), monotonic: () => story.now, sleep: async () => {} };
  const open = async (meanwhile: () => Promise<unknown>) => {
    const balance = async () => {
      await meanwhile();
      return { outcome: 'balance', clientId: 'acc', creditMicro: 100 * KES } as const;
    };
    const provider = { balance } as unknown as Provider;
    await openAccount({ ledger: story.ledger, provider, clock, random: Math.random });
    return (await (await story.reader()).readings('acc', { from: 0, to: story.now })).at(-1);
  };
  expect(await open(async () => {})).toMatchObject({ quiet: true, spentMicro: 0 });
  await story.claim();
  const settled = () => story.record(n, { 1: { to: 'sent' }, 2: { to: 'sent' } });
  expect(await open(settled)).toMatchObject({ quiet: false, spentMicro: 0 });
  expect(await open(async () => {})).toMatchObject({ quiet: true });
});
