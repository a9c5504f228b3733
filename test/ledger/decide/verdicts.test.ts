import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/ledger/contracts/sending.ts';
import { byAccount, emptyEntry, SeenPrices } from '../../../src/ledger/decide/money.ts';
import { roundsOf } from '../../../src/ledger/decide/rounds.ts';
import {
  type Before,
  decideVerdict,
  mayFollow,
  messageOf,
  noChanges,
  type VerdictFacts,
} from '../../../src/ledger/decide/verdicts.ts';

const PRICE = 800_000;
const REF = { campaign: 1, seq: 1, attempt: 1, sendMs: 12, evidence: null };
const SENDING: Before = {
  state: 'sending',
  reserved: PRICE,
  counted: 0,
  basis: null,
  messageId: null,
  segments: 1,
};
const UNCERTAIN: Before = { ...SENDING, state: 'uncertain', counted: PRICE };

const sent = (facts: { messageId?: string; costMicro?: number | null } = {}) =>
  ({
    ...REF,
    to: 'sent',
    messageId: 'id',
    network: 'A',
    costMicro: PRICE,
    segments: 1,
    flags: [],
    ...facts,
  }) satisfies Outcome;
const refused: Outcome = { ...REF, to: 'rejected', reason: 'invalid mobile', retryHelps: false };
const lost: Outcome = { ...REF, to: 'uncertain', reason: 'no answer in time' };
const again: Outcome = { ...REF, to: 'queued', reason: 'throttled', notBefore: 5, countsAsTry: true };

/** What is decided about one verdict, with the money of its campaign. */
function decide(outcome: Outcome, facts: Partial<VerdictFacts> = {}) {
  const [changes, prices] = [noChanges(), new SeenPrices()];
  const entry = emptyEntry({ account: 'C', state: 'running' });
  decideVerdict({ changes, prices }, outcome, {
    before: SENDING,
    meaning: null,
    entry,
    ...facts,
  });
  return { changes, entry, prices: [...prices.values()] };
}

describe('the rounds of a record', () => {
  it('hold each message once, in the order of its verdicts, whatever the attempt', () => {
    const other = { ...refused, seq: 2 };
    const later = { ...refused, attempt: 2 };
    expect(roundsOf([sent(), other, later, lost], messageOf)).toEqual([[sent(), other], [later], [lost]]);
  });
});

describe('a verdict may follow', () => {
  it.each([
    ['on a message that is sending, whoever says it', SENDING, refused, 'reaper', true],
    ['late, when it says that an uncertain message was sent', UNCERTAIN, sent(), 'worker', true],
    ['not late as a refusal', UNCERTAIN, refused, 'worker', false],
    ['not late by a note of a dead worker', UNCERTAIN, sent(), 'reaper', false],
    ['not twice', { ...SENDING, state: 'sent', basis: 'answer', messageId: 'id' }, sent(), 'worker', false],
    [
      'on what a report called sent, in another form of its id',
      { ...SENDING, state: 'sent', basis: 'report', messageId: '00ID' },
      sent(),
      'worker',
      true,
    ],
    [
      'not on what a report called sent by another id',
      { ...SENDING, state: 'sent', basis: 'report', messageId: 'other' },
      sent(),
      'worker',
      false,
    ],
    ['not on a message that waits', { ...SENDING, state: 'queued' }, sent(), 'worker', false],
  ] as const)('%s', (_what, before, outcome, by, follows) => {
    expect(mayFollow(before, outcome, by)).toBe(follows);
  });
});

describe('the money of a verdict', () => {
  it('of a sent message is its cost, and frees what was held back', () => {
    const { entry, prices, changes } = decide(sent({ costMicro: 700_000 }));
    expect(entry).toMatchObject({ campaignSpent: 700_000, campaignReserved: -PRICE, inFlight: -1 });
    expect(entry).toMatchObject({ spent: 700_000, reserved: -PRICE, assumed: 0 });
    expect(prices).toEqual([{ account: 'C', network: 'A', segments: 1, costMicro: 700_000 }]);
    expect(changes.sent).toEqual([
      { outcome: sent({ costMicro: 700_000 }), before: SENDING, counted: 700_000 },
    ]);
  });

  it('of a sent message of unknown cost is assumed until a reading, and teaches no price', () => {
    const { entry, prices } = decide(sent({ costMicro: null }));
    expect(entry).toMatchObject({ campaignSpent: PRICE, spent: 0, assumed: PRICE, reserved: -PRICE });
    expect(prices).toEqual([]);
  });

  it('of a late answer corrects what the uncertain message was counted at', () => {
    const { entry } = decide(sent({ costMicro: 500_000 }), { before: UNCERTAIN });
    expect(entry).toMatchObject({ campaignSpent: 500_000 - PRICE, campaignReserved: 0, inFlight: 0 });
  });

  it.each([
    ['refused', refused, { campaignSpent: 0, reserved: -PRICE }],
    ['queued again', again, { campaignSpent: 0, reserved: -PRICE }],
    ['uncertain', lost, { campaignSpent: PRICE, reserved: 0 }],
  ])('of a message that is %s', (_what, outcome, money) => {
    expect(decide(outcome).entry).toMatchObject({ ...money, campaignReserved: -PRICE, inFlight: -1 });
  });

  it('of two campaigns of one account is one sum', () => {
    const [one, two] = [decide(sent()).entry, decide(refused).entry];
    expect(byAccount([one, two])).toEqual([
      { account: 'C', spent: PRICE, assumed: 0, reserved: -2 * PRICE, inFlight: -2 },
    ]);
  });

  it('the last price above zero counts, and zero only alone', () => {
    const prices = new SeenPrices();
    const see = (costMicro: number) => prices.see({ account: 'C', network: null, segments: 1, costMicro });
    see(0);
    expect([...prices.values()]).toMatchObject([{ costMicro: 0 }]);
    for (const cost of [3, 5, 0]) see(cost);
    expect([...prices.values()]).toMatchObject([{ costMicro: 5 }]);
  });
});

describe('an answer that a person has mapped', () => {
  const evidence = {
    httpStatus: 400,
    code: null,
    raw: 'x',
    question: { content: 'c', words: 'x' },
  };
  const unknown: Outcome = { ...refused, evidence };

  it('is uncertain first, and then what the person said', () => {
    const { changes } = decide(unknown, { meaning: 'credit' });
    expect(changes.rejected).toEqual([]);
    expect(changes.uncertain).toMatchObject([{ to: 'uncertain', reason: 'unlisted code' }]);
    expect(changes.mapped).toMatchObject([
      { meaning: 'credit', message: { seq: 1, attempt: 1, reserved: PRICE, counted: PRICE } },
    ]);
  });

  it('stays uncertain when the person said so', () => {
    expect(decide(unknown, { meaning: 'uncertain' }).changes.mapped).toEqual([]);
  });
});

it('what is queued again in a canceled campaign will not be sent', () => {
  const entry = emptyEntry({ account: 'C', state: 'canceled' });
  expect(decide(again, { entry }).changes.queued).toEqual([{ outcome: again, isCanceled: true }]);
});
