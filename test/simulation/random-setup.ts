import type { SendRequest } from '../../src/provider/provider.ts';
import { isUnknown, type Answer, type Said } from './answers.ts';
import type { Chance } from './chance.ts';
import type { CampaignPlan, LifeOptions } from './life.ts';
import { PRICE } from './sim-provider.ts';

/** What a seed decides before its world begins. */
export interface RandomSetup extends LifeOptions {
  processes: number;
  claimLimit: number;
  rate: number | null;
  creditMicro: number;
  /** The share of requests that are simply taken. */
  well: number;
  deathIsProven: boolean;
  /** What is on the wire can be noted. */
  keepsNotes: boolean;
  /** How many things go wrong from outside. */
  faults: number;
  /** Guards, canaries, long texts and several networks, and a person who changes rates and senders. */
  wide: boolean;
  /** Refusals for credit may happen: no price is known, or others spend too. */
  mayBeRefusedCredit: boolean;
}

const PEOPLE = 18;
const DAY_MS = 86_400_000;
const SAID: Said[] = [
  'not_sent',
  'not_sent',
  'throttled',
  'throttled',
  'deadline',
  'lost',
  'lost',
  'server_error',
  'unreadable',
  'unlisted_code',
  'contact',
  'network',
  'opted_out',
  'credentials',
  'credit',
  'sender',
  'request',
];
const WORDS = ['delivered', 'undelivered', 'pending'] as const;

/** The numbers that campaigns write to; two campaigns share some. */
export const MOBILES = Array.from({ length: PEOPLE }, (_, index) => String(254_700_000_001 + index));

/** Draws campaigns, limits and the mood of the provider. */
export function drawSetup(chance: Chance): RandomSetup {
  const claimLimit = chance.whole(3, 10);
  const rate = chance.of(0.5) ? chance.whole(4, 20) : null;
  const plans = Array.from({ length: chance.whole(1, 2) }, (_, index) => drawPlan(chance, index));
  const messages = plans.reduce((sum, { mobiles }) => sum + mobiles.length, 0);
  const priceIsKnown = chance.of(0.8);
  const poor = chance.of(0.3);
  const sending = { concurrency: chance.whole(1, 6), claimLimit, accountRate: rate };
  return {
    plans,
    sending: { ...sending, prices: priceIsKnown ? [PRICE] : null },
    processes: chance.whole(1, 2),
    claimLimit,
    rate,
    creditMicro: PRICE * (poor ? chance.whole(0, messages - 1) : messages * 20),
    well: chance.pick([1, 0.9, 0.7, 0.4]),
    deathIsProven: chance.of(0.7),
    keepsNotes: true,
    faults: chance.whole(0, 8),
    mayBeRefusedCredit: !priceIsKnown || chance.of(0.15),
    wide: false,
  };
}

/** Adds what not every campaign has. Drawn apart, so that all else of a seed stays as it is. */
export function widen(setup: RandomSetup, chance: Chance): RandomSetup {
  const guard = { sameTextMs: DAY_MS, most: chance.of(0.3) ? 1 : null, perMs: DAY_MS };
  const guarded = chance.of(0.4);
  const plans = setup.plans.map((plan): CampaignPlan => {
    const canary = { first: chance.whole(1, 4), waitMs: chance.whole(2_000, 30_000), delivered: 0.6 };
    const settings = {
      ...plan.settings,
      ...(guarded ? { guard } : {}),
      ...(chance.of(0.3) ? { canary } : {}),
      ...(chance.of(0.3) ? { ratePerSecond: chance.whole(4, 12) } : {}),
    };
    return { ...plan, settings, segments: chance.whole(1, 3), ...(guarded ? { textHash: 1 } : {}) };
  });
  const sending = { ...setup.sending, rateBySegment: chance.of(0.3) };
  return { ...setup, plans, sending, wide: true };
}

function drawPlan(chance: Chance, index: number): CampaignPlan {
  const first = chance.whole(0, PEOPLE - 4);
  const mobiles = MOBILES.slice(first, first + chance.whole(3, PEOPLE - first));
  const retry = { attempts: chance.whole(2, 5), firstMs: chance.whole(100, 2_000), mostMs: 4_000 };
  return {
    name: `random${index}`,
    kind: chance.of(0.7) ? 'promotional' : 'transactional',
    mobiles,
    settings: {
      batchSize: chance.whole(2, 8),
      ratePerSecond: chance.of(0.2) ? chance.whole(1, 8) : null,
      retry,
    },
    budgetMicro: chance.of(0.1) ? PRICE * chance.whole(1, mobiles.length) : null,
  };
}

/** One request's fate. `well`: the share that is simply taken. */
export function drawAnswer(chance: Chance, _request: SendRequest, well: number): Answer {
  const says = chance.of(well) ? 'accepted' : chance.pick(SAID);
  const ms = chance.of(0.05) ? chance.between(1_000, 8_000) : chance.between(5, 400);
  return {
    says,
    accepts: says === 'accepted' || (isUnknown(says) && chance.of(0.6)),
    ms,
    repeatsId: chance.of(0.02),
    hidesCost: chance.of(0.03),
    reports: drawReports(chance, ms),
  };
}

/** None, one or several, in any order, and now and then before the answer. */
function drawReports(chance: Chance, answerMs: number): Answer['reports'] & object {
  const count = chance.pick([0, 1, 1, 1, 2, 3]);
  const one = () => ({
    word: chance.pick(WORDS),
    afterMs: chance.of(0.3) ? chance.between(0, answerMs) : chance.between(answerMs, 6_000),
  });
  return Array.from({ length: count }, one);
}
