import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { type CreditShortfall, compareCredit } from '../../src/campaign/compare-credit.ts';
import { DEARER, LATE_CHARGE_MS, LEAST_DIFFERENCE } from '../../src/domain/credit-floor.ts';
import { type Came, LedgerStory } from '../support/ledger-story.ts';

/*
 * Random lives of an account. Its messages are charged when they leave, when they are answered, up to ten minutes later, or
 * never; the answers name the cost or do not, or do not come; workers die; people decide; the account is topped up.
 */

const PRICE = 800_000;
let story: LedgerStory;
let accounts = 0;

beforeAll(async () => {
  story = await LedgerStory.begin();
});

const fate = fc.record({
  costMicro: fc.constantFrom(400_000, 600_000, PRICE),
  charged: fc.constantFrom('at once', 'answered', 'late', 'never' as const),
  lateMs: fc.integer({ min: 0, max: LATE_CHARGE_MS }),
  answer: fc.constantFrom('cost', 'no cost', 'none', 'refused' as const),
});
type Fate = typeof fate extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const step = fc.oneof(
  fc.record({ do: fc.constant('send' as const), fates: fc.array(fate, { minLength: 1, maxLength: 4 }) }),
  fc.record({ do: fc.constantFrom('answer', 'read', 'kill', 'read' as const) }),
  fc.record({
    do: fc.constant('pass' as const),
    ms: fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 2 * LATE_CHARGE_MS })),
  }),
  fc.record({ do: fc.constant('top up' as const), micro: fc.integer({ min: 1, max: 50 * PRICE }) }),
  fc.record({ do: fc.constant('decide' as const), decision: fc.constantFrom('sent', 'not_sent' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

interface OnWire extends Fate {
  campaign: number;
  seq: number;
}

/** An account at the service, and what a ledger holds of it. */
class Life {
  readonly account = `acc-${(accounts += 1)}`;
  readonly #priceMicro: number | null;
  credit = 1_000 * PRICE;
  #late: { at: number; micro: number }[] = [];
  #wire: OnWire[] = [];
  #uncertain = new Set<number>();
  #campaigns = 0;
  #verdicts: { at: number; micro: number | null }[] = [];
  #last = { at: 0, credit: 0 };

  constructor(priceMicro: number | null) {
    this.#priceMicro = priceMicro;
  }

  async begin(): Promise<void> {
    await story.ledger.pause(await this.#launch(1), this.#change());
    await this.#read();
  }

  async end(): Promise<void> {
    await this.#kill();
  }

  async take(taken: Step): Promise<void> {
    switch (taken.do) {
      case 'send':
        return this.#send(taken.fates);
      case 'answer':
        return this.#answer();
      case 'read':
        return this.#read();
      case 'kill':
        return this.#kill();
      case 'pass':
        return this.#pass(taken.ms);
      case 'top up':
        this.credit += taken.micro;
        return;
      case 'decide':
        return this.#decide(taken.decision);
    }
  }

  /** What the comparison says of this credit; null: nothing. */
  async compare(creditMicro = this.credit): Promise<CreditShortfall | 'unknown' | null> {
    const clock = { now: () => story.now, monotonic: () => story.now, sleep: async () => {} };
    const balance = async () => ({ outcome: 'balance', clientId: this.account, creditMicro }) as const;
    const reader = await story.reader();
    const prices = this.#priceMicro === null ? null : [this.#priceMicro];
    const found = await compareCredit({ reader, clock, prices, provider: async () => ({ balance }) });
    if (found !== null && found !== 'unknown' && 'unread' in found) throw new Error('it was read');
    return found;
  }

  #change() {
    return { now: story.now, by: 'test', reason: 'operator' as const };
  }

  async #launch(messages: number): Promise<number> {
    const id = `${this.account}-${(this.#campaigns += 1)}`;
    return story.launch({ id, name: id, account: this.account, messages });
  }

  async #read(): Promise<void> {
    await story.readBalance(this.credit, this.account);
    this.#last = { at: story.now, credit: this.credit };
  }

  /** What the last reading leaves when everything is taken off that may have been charged since: no credit may be lower. */
  lowest(): number {
    const since = this.#verdicts.filter(({ at }) => at >= this.#last.at - LATE_CHARGE_MS);
    const known = since.reduce((sum, { micro }) => sum + (micro ?? 0), 0);
    const unknown = this.#wire.length + since.filter(({ micro }) => micro === null).length;
    return this.#last.credit - known - unknown * DEARER * PRICE;
  }

  async #send(fates: Fate[]): Promise<void> {
    const campaign = await this.#launch(fates.length);
    const claimed = await story.claim({ priceMicro: this.#priceMicro });
    // While the price is learned not all may leave.
    const left = claimed.map((seq) => ({ ...(fates[seq - 1] as Fate), campaign, seq }));
    for (const { charged, answer, costMicro } of left)
      if (charged === 'at once' && answer !== 'refused') this.credit -= costMicro;
    this.#wire.push(...left);
    await story.ledger.pause(campaign, this.#change());
  }

  async #answer(): Promise<void> {
    for (const each of this.#wire.splice(0)) {
      this.#charge(each);
      if (each.answer === 'none') this.#uncertain.add(each.campaign);
      if (each.answer !== 'refused')
        this.#verdicts.push({ at: story.now, micro: each.answer === 'cost' ? each.costMicro : null });
      await story.record(each.campaign, { [each.seq]: cameOf(each) });
    }
  }

  /** What it had on the wire stays charged or not, and nobody knows. */
  async #kill(): Promise<void> {
    for (const each of this.#wire.splice(0)) {
      this.#charge({ ...each, answer: 'none' });
      this.#uncertain.add(each.campaign);
      this.#verdicts.push({ at: story.now, micro: null });
    }
    await story.ledger.reap(story.worker, story.now);
    const process = { bootId: 'b', pidNamespace: 'p', pid: 1, startTicks: '1', roles: 'worker' };
    story.worker = await story.ledger.registerWorker(process, story.now);
  }

  async #decide(decision: 'sent' | 'not_sent'): Promise<void> {
    for (const campaign of this.#uncertain) {
      // At most four a campaign.
      this.#verdicts.push(...Array.from({ length: 4 }, () => ({ at: story.now, micro: null })));
      await story.ledger.resolve(campaign, { now: story.now, by: 'test', before: story.now + 1, decision });
      // What is put back runs again, and is not what the next step wants to send.
      await story.ledger.pause(campaign, this.#change());
    }
    this.#uncertain.clear();
  }

  #charge({ charged, answer, costMicro, lateMs }: Fate): void {
    if (answer === 'refused' || charged === 'at once') return;
    // A cost that is named is charged.
    if (charged === 'never' && answer !== 'cost') return;
    if (charged === 'late') this.#late.push({ at: story.now + lateMs, micro: costMicro });
    else this.credit -= costMicro;
  }

  #pass(ms: number): void {
    story.now += ms;
    const due = this.#late.filter(({ at }) => at <= story.now);
    this.#late = this.#late.filter(({ at }) => at > story.now);
    for (const { micro } of due) this.credit -= micro;
  }
}

function cameOf({ answer, costMicro }: Fate): Came {
  if (answer === 'none') return { to: 'uncertain' };
  if (answer === 'refused') return { to: 'rejected' };
  return { to: 'sent', costMicro: answer === 'cost' ? costMicro : null, network: String(costMicro) };
}

const lives = fc.record({
  priceMicro: fc.constantFrom(PRICE, null),
  steps: fc.array(step, { minLength: 4, maxLength: 20 }),
});

/** The two promises of the comparison, over so many lives each. */
export function describeLives(numRuns: number): void {
  it('D9 in whatever order messages are charged, answered and read, the ledger that saw it all raises no alarm', async () => {
    await fc.assert(fc.asyncProperty(lives, noFalseAlarm), { numRuns });
  });

  it('D9 what was spent beyond all that may have been charged raises the alarm', async () => {
    await fc.assert(fc.asyncProperty(lives, alarmBeyond), { numRuns });
  });
}

type Lived = typeof lives extends fc.Arbitrary<infer Drawn> ? Drawn : never;

async function noFalseAlarm({ priceMicro, steps }: Lived): Promise<void> {
  const life = new Life(priceMicro);
  await life.begin();
  for (const each of steps) {
    await life.take(each);
    expect([null, 'unknown']).toContain(await life.compare());
  }
  await life.end();
}

async function alarmBeyond({ priceMicro, steps }: Lived): Promise<void> {
  const life = new Life(priceMicro);
  await life.begin();
  for (const each of steps) await life.take(each);
  const credit = life.lowest() - LEAST_DIFFERENCE;
  const found = await life.compare(credit);
  if (found === 'unknown') expect(priceMicro).toBeNull();
  else expect(found?.nowMicro).toBe(credit);
  await life.end();
}
