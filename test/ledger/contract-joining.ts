import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Campaign } from '../../src/domain/campaign.ts';
import type { Delivery } from '../../src/domain/message.ts';
import type { NewReport } from '../../src/ledger/contracts/records.ts';
import type { ClaimedMessage } from '../../src/ledger/contracts/sending.ts';
import { START, sent, uncertain, type World } from './contract-world.ts';

const ONE = '254700000001';
const TWO = '254700000002';
const STRANGER = '254799999999';
const MINUTE_MS = 60_000;

/** Which message a delivery report belongs to, where an id was given twice or comes in another form. */
export function joiningContract(world: () => World): void {
  /** A message of a campaign of its own to 254700000001 (or its successors), on the wire. */
  async function onTheWire(name: string, firstMobile = 1) {
    const { campaign, worker, lease, messages } = await world().sending(1, { name, firstMobile });
    const message = messages[0] as ClaimedMessage;
    const release = () => world().ledger.releaseBatch({ ...lease, now: world().now });
    return {
      campaign,
      answer: async (messageId: string) => {
        const results = await world().record(worker, [sent(campaign, message, { messageId, costMicro: 7 })]);
        await release();
        // Ids wait a little for the index, in which a second one is noticed.
        await world().ledger.joinWaiting(world().now);
        return results;
      },
      lose: async () => {
        await world().record(worker, [uncertain(campaign, message)]);
        await release();
      },
      delivery: async () => (await world().message(campaign.n, 1)).delivery,
      state: async () => (await world().message(campaign.n, 1)).state,
    };
  }

  it('a delivered message stays delivered when a later message gets its id, also in a finished campaign [P13]', async () => {
    const early = await onTheWire('early');
    await early.answer('m1');
    await world().report({ messageId: 'm1' });
    world().now += MINUTE_MS;
    const late = await onTheWire('late', 2);
    await late.answer('m1');
    expect([await early.delivery(), await late.delivery()]).toEqual(['delivered', 'pending']);
    const reader = await world().reader();
    expect(await reader.repeatedIds(9)).toEqual({
      total: 1,
      ids: [{ messageId: 'm1', messages: 2, undecided: 0 }],
    });
    // Nobody knows any more which of the two this one is of.
    world().now += MINUTE_MS;
    await world().report({ messageId: 'm1', delivery: 'undelivered' });
    expect([await early.delivery(), await late.delivery()]).toEqual(['delivered', 'pending']);
    expect(await reader.repeatedIds(9)).toMatchObject({ ids: [{ messageId: 'm1', undecided: 1 }] });
    expect(await reader.mismatchedReports(9)).toMatchObject({ count: 0 });
  });

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'of two messages with one id each gets the report that names its mobile, which came %s the id is known [P13]',
    async (_when, isEarly) => {
      const one = await onTheWire('one');
      const two = await onTheWire('two', 2);
      const answer = async () => {
        await one.answer('m1');
        await two.answer('m1');
      };
      if (!isEarly) await answer();
      await world().report({ messageId: 'm1', mobile: TWO, delivery: 'undelivered' });
      await world().report({ messageId: 'm1', mobile: ONE });
      await world().report({ messageId: 'm1', mobile: STRANGER });
      if (isEarly) await answer();
      expect([await one.delivery(), await two.delivery()]).toEqual(['delivered', 'undelivered']);
      const flags = await world().open.sql('SELECT flags FROM message');
      expect(flags.map((row) => row['flags'])).toEqual(['id_conflict', 'id_conflict']);
    },
  );

  it.each([['before'], ['after']])(
    'a report without a mobile that came when two messages had begun is of neither, %s the second id is known [P13]',
    async (when) => {
      const one = await onTheWire('one');
      const two = await onTheWire('two', 2);
      await one.answer('m1');
      if (when === 'after') await two.answer('m1');
      await world().report({ messageId: 'm1' });
      if (when === 'before') await two.answer('m1');
      expect([await one.delivery(), await two.delivery()]).toEqual(['pending', 'pending']);
    },
  );

  it('a report without a mobile is undecided once two others of one claim get its id at once [P13]', async () => {
    const first = await onTheWire('first');
    await first.answer('m1');
    const { campaign, worker, messages } = await world().sending(2, { name: 'two', firstMobile: 2 });
    await world().report({ messageId: 'm1' });
    expect(await first.delivery()).toBe('delivered');
    await world().record(
      worker,
      messages.map((message) => sent(campaign, message, { messageId: 'm1' })),
    );
    await world().ledger.joinWaiting(world().now);
    expect(await first.delivery()).toBe('pending');
  });

  it.each([
    ['upper case for lower', '5F3A-9b', '5f3a-9B'],
    ['leading zeros cut', '000123', '123'],
    ['leading zeros added', 'a9', '00a9'],
    ['both', '00AF', 'af'],
  ])(
    'a report of the same mobile whose id has %s is joined, also when it is early',
    async (_form, id, other) => {
      const first = await onTheWire('first');
      await world().report({ messageId: other, mobile: ONE });
      expect(await first.delivery()).toBeNull();
      await first.answer(id);
      expect(await first.delivery()).toBe('delivered');
      const second = await onTheWire('second', 2);
      await second.answer(`1${id}`);
      await world().report({ messageId: `1${other}`, mobile: TWO });
      // A zero behind another digit is a part of the number.
      expect(await second.delivery()).toBe(
        other.startsWith('0') || id.startsWith('0') ? 'pending' : 'delivered',
      );
    },
  );

  it.each([
    ['names no mobile', '00AF', 'af', null],
    ['names a part of the mobile', '00AF', 'af', '700000001'],
    ['names another mobile', '00AF', 'af', STRANGER],
    ['has the id in decimal', 'ff', '255', ONE],
    ['has the id in hexadecimal', '255', 'FF', ONE],
    ['has the id without its dashes', '5f-3a', '5f3a', ONE],
  ])('a report of another form that %s waits', async (_what, id, other, mobile) => {
    const message = await onTheWire('one');
    await message.answer(id);
    await world().report({ messageId: other, mobile });
    expect(await message.delivery()).toBe('pending');
    expect(await world().column('report', 'joined', 'TRUE')).toBe('waiting');
  });

  it('a report that came before its message began is not joined loosely', async () => {
    await world().report({ messageId: 'af', mobile: ONE });
    world().now += 1;
    const message = await onTheWire('one');
    await message.answer('AF');
    expect(await message.delivery()).toBe('pending');
  });

  it('an exact match that comes later wins, and what was joined loosely leaves the wrong message', async () => {
    const loose = await onTheWire('loose');
    const exact = await onTheWire('exact');
    await loose.answer('00AF');
    await world().report({ messageId: 'af', mobile: ONE });
    expect(await loose.delivery()).toBe('delivered');
    await exact.answer('af');
    expect([await loose.delivery(), await exact.delivery()]).toEqual(['pending', 'delivered']);
  });

  it('an exact id of another mobile takes nothing away', async () => {
    const loose = await onTheWire('loose');
    const other = await onTheWire('other', 2);
    await loose.answer('00AF');
    await world().report({ messageId: 'af', mobile: ONE });
    await other.answer('af');
    expect([await loose.delivery(), await other.delivery()]).toEqual(['delivered', 'pending']);
  });

  it('a report that fits two messages loosely is of neither', async () => {
    const one = await onTheWire('one');
    const two = await onTheWire('two');
    await one.answer('00AF');
    await world().report({ messageId: 'af', mobile: ONE });
    await two.answer('0AF');
    expect([await one.delivery(), await two.delivery()]).toEqual(['pending', 'pending']);
    expect(await world().column('report', 'joined', 'TRUE')).toBe('waiting');
  });

  it.each([
    ['in lower case', 'AF', 'af', 'delivered'],
    ['in decimal', 'ff', '255', 'pending'],
    ['in hexadecimal', '0255', '0xFF', 'pending'],
  ])(
    'a report of a sent message whose id comes %s decides no uncertain message to the same number',
    async (_form, id, other, delivery) => {
      const message = await onTheWire('sent');
      await message.answer(id);
      const lost = await onTheWire('lost');
      await lost.lose();
      await world().report({ messageId: other, mobile: ONE });
      expect(await lost.state()).toBe('uncertain');
      expect(await message.delivery()).toBe(delivery);
    },
  );

  it.each([['the report'], ['the answer']])(
    'an uncertain message whose late answer has the id in another form is the same, whichever comes first: %s',
    async (first) => {
      const message = await onTheWire('one');
      await message.lose();
      if (first === 'the report') await world().report({ messageId: 'xyz9', mobile: ONE });
      expect(await message.answer('XYZ9')).toEqual(['recorded']);
      if (first === 'the answer') await world().report({ messageId: 'xyz9', mobile: ONE });
      expect(await world().message(message.campaign.n, 1)).toMatchObject({
        state: 'sent',
        delivery: 'delivered',
        messageId: 'XYZ9',
        costMicro: 7,
      });
    },
  );

  it.each([[[ONE, TWO]], [[TWO, ONE]]])(
    'two uncertain messages that got one id are each decided by their own report, in any order: %j',
    async (order) => {
      const one = await onTheWire('one');
      const two = await onTheWire('two', 2);
      await one.lose();
      await two.lose();
      for (const mobile of order) await world().report({ messageId: 'same', mobile });
      await world().ledger.joinWaiting(world().now);
      expect([await one.delivery(), await two.delivery()]).toEqual(['delivered', 'delivered']);
    },
  );

  it('a loose report that is read again, mapped or taken back leaves what its absence would have left', async () => {
    const message = await onTheWire('one');
    await message.answer('00AF');
    const report = { messageId: 'af', mobile: ONE, word: 'Huh', delivery: null, reason: null } as const;
    const webhook = await world().post({ ip: '203.0.113.9', reports: [report] });
    await world().ledger.mapWord({ ...world().operator, word: 'huh', delivery: 'delivered' });
    expect(await message.delivery()).toBe('delivered');
    const reports = [{ ...report, network: null, at: null }];
    await world().ledger.rereadWebhook({ webhook, kind: 'report', reports, now: world().now });
    expect(await message.delivery()).toBe('delivered');
    await world().ledger.voidWebhooks({ ...world().operator, ip: '203.0.113.9', since: null });
    expect(await message.delivery()).toBe('pending');
  });

  it('a delivery whose mobile was purged is not taken away by a later message with its id', async () => {
    const old = await onTheWire('old');
    await old.answer('m1');
    const beside = await onTheWire('beside', 2);
    await beside.answer('m1');
    await world().report({ messageId: 'm1', mobile: ONE });
    world().now += MINUTE_MS;
    await world().ledger.purgeTraces({ ...world().operator, before: world().now });
    await world().ledger.purgeCampaign(old.campaign.n, world().operator);
    const next = await onTheWire('next', 3);
    await next.answer('m1');
    expect([await old.delivery(), await beside.delivery(), await next.delivery()]).toEqual([
      'delivered',
      'pending',
      'pending',
    ]);
  });

  it('any order of ids and reports, early and repeated, gives each report its one place [I7 P13]', async () => {
    const cases = 60;
    const layers = await launchLayers(2 * cases);
    const shape = fc.record({
      /** The id of each layer's message to each of two people: one of the forms, or one of its own. */
      ids: fc.array(fc.constantFrom(null, 0, 0, 0, 1, 1, 2, 3), { minLength: 6, maxLength: 6 }),
      reports: fc.array(
        fc.record({
          form: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
          mobile: fc.constantFrom('none', 'none', 'none', 'one', 'two', 'stranger'),
          delivery: fc.constantFrom<Delivery>('pending', 'undelivered', 'delivered'),
          at: fc.constantFrom(-1, 500, 1_500, 2_500),
        }),
        { minLength: 1, maxLength: 7, size: 'max' },
      ),
      seed: fc.nat(),
    });
    const seed = Number(process.env['TUMA_TEST_SEED'] ?? 20_261_128);
    for (const [index, { ids, reports, seed: order }] of fc
      .sample(shape, { numRuns: cases, seed })
      .entries()) {
      const messages = ids.map((form, at) => {
        const { campaign, worker, claimed, begunAt } = layers[at >> 1] as Layer;
        const seq = 2 * index + (at % 2) + 1;
        const messageId = form === null ? `own-${index}-${at}` : `${FORMS[form]}x${index}`;
        const message = claimed[seq - 1] as ClaimedMessage;
        return { campaign, worker, seq, message, messageId, begunAt, mobile: mobileOf(seq) };
      });
      const people = {
        none: null,
        one: mobileOf(2 * index + 1),
        two: mobileOf(2 * index + 2),
        stranger: STRANGER,
      };
      const told = reports.map(({ form, mobile, delivery, at }) => {
        return { messageId: `${FORMS[form]}x${index}`, mobile: people[mobile], delivery, at: START + at };
      });
      const events = [
        ...messages.map(
          (each) => () => world().record(each.worker, [sent(each.campaign, each.message, each)]),
        ),
        ...[...told, ...told.slice(0, 2)].map(({ at, ...report }) => async () => {
          world().now = at;
          await world().report(report);
        }),
      ];
      for (const event of shuffled(events, order)) await event();
      await world().ledger.joinWaiting(world().now);
      for (const { campaign, seq, ...message } of messages) {
        const own = told.filter((report) => placeOf(report, messages) === `${campaign.n} ${seq}`);
        const rank = (['delivered', 'undelivered'] as const).find((each) =>
          own.some(({ delivery }) => delivery === each),
        );
        const found = await world().message(campaign.n, seq);
        expect({ index, told, messageId: message.messageId, seq, delivery: found.delivery }).toMatchObject({
          delivery: rank ?? 'pending',
        });
      }
    }
    world().now = START + 3_000;
  });

  it('reports that are recorded together, also of one message and one number, do what they do one by one [I7]', async () => {
    const cases = 32;
    const layers = await launchLayers(6 * cases);
    const shape = fc.record({
      /** What each layer's messages to two people get: an id of a form, one of their own, or no answer. */
      came: fc.array(fc.constantFrom('own', 'own', 'own', 'own', 'lost', 'lost', 0, 0, 1), {
        minLength: 6,
        maxLength: 6,
      }),
      reports: fc.array(
        fc.record({
          form: fc.constantFrom(0, 0, 1, 2, 3),
          mobile: fc.constantFrom('none', 'one', 'one', 'two', 'stranger'),
          said: fc.constantFrom<Partial<NewReport>>(
            { delivery: 'delivered' },
            { delivery: 'pending' },
            { delivery: 'undelivered', effect: 'opted_out' },
            { delivery: 'undelivered', effect: 'permanent' },
          ),
        }),
        { minLength: 2, maxLength: 8, size: 'max' },
      ),
    });
    const seed = Number(process.env['TUMA_TEST_SEED'] ?? 20_261_128);
    for (const [index, { came, reports }] of fc.sample(shape, { numRuns: cases, seed }).entries()) {
      const ends = [];
      for (const [twin, how] of (['one by one', 'in one webhook', 'in webhooks'] as const).entries()) {
        const first = 6 * index + 2 * twin + 1;
        const suffix = `x${index}x${twin}`;
        for (const [at, what] of came.entries()) {
          const { campaign, worker, claimed } = layers[at >> 1] as Layer;
          const message = claimed[first + (at % 2) - 1] as ClaimedMessage;
          const messageId = typeof what === 'number' ? `${FORMS[what]}${suffix}` : `own-${at}-${suffix}`;
          await world().record(worker, [
            what === 'lost' ? uncertain(campaign, message) : sent(campaign, message, { messageId }),
          ]);
        }
        const people = { none: null, one: mobileOf(first), two: mobileOf(first + 1), stranger: STRANGER };
        const told = reports.map(({ form, mobile, said }) => {
          return { ...said, messageId: `${FORMS[form]}${suffix}`, mobile: people[mobile] };
        });
        const alone = told.map((each) => ({ reports: [each] }));
        if (how === 'one by one') for (const each of alone) await world().post(each);
        else await world().postAll(how === 'in webhooks' ? alone : [{ reports: told }]);
        ends.push(await endOf({ layers, first, suffix }));
      }
      const [oneByOne, ...together] = ends;
      for (const end of together)
        expect({ index, came, reports, end }).toEqual({ index, came, reports, end: oneByOne });
    }
    await world().verify();
  });

  /** What became of two people's messages, reports and numbers, in words that are the same for any two people. */
  async function endOf({ layers, first, suffix }: { layers: Layer[]; first: number; suffix: string }) {
    const messages = [];
    for (const { campaign } of layers)
      for (const seq of [first, first + 1]) {
        const { state, delivery, reason, messageId } = await world().message(campaign.n, seq);
        messages.push({ state, delivery, reason, messageId: messageId?.replace(suffix, '') });
      }
    const reports = await world().open.sql(
      `SELECT joined, campaign, seq - ${first} AS person FROM report WHERE lower(messageid) LIKE '%${suffix}' ORDER BY id`,
    );
    const numbers = [mobileOf(first), mobileOf(first + 1)].map((mobile) => `'${mobile}'`).join(', ');
    const from = `FROM opt_out WHERE mobile IN (${numbers}) ORDER BY mobile`;
    const optOuts = await world().open.sql(`SELECT sender, source, evidence ${from}`);
    const dead = await world().open.sql(
      `SELECT evidence FROM dead_number WHERE mobile IN (${numbers}) ORDER BY mobile`,
    );
    return { messages, reports, optOuts, dead };
  }

  interface Layer {
    campaign: Campaign;
    worker: number;
    claimed: ClaimedMessage[];
    begunAt: number;
  }

  /** Three campaigns to the same people, each begun a second after the one before. */
  async function launchLayers(people: number): Promise<Layer[]> {
    const layers: Layer[] = [];
    for (const begunAt of [START, START + 1_000, START + 2_000]) {
      world().now = begunAt;
      const { campaign, worker, messages } = await world().sending(people, { name: `layer-${begunAt}` });
      layers.push({ campaign, worker, claimed: messages, begunAt });
    }
    return layers;
  }
}

/** Forms of one id. */
const FORMS = ['0Ab', 'ab', '00AB', 'AB'];

function mobileOf(seq: number): string {
  return `2547${String(seq).padStart(8, '0')}`;
}

interface Placed {
  campaign: Campaign;
  seq: number;
  messageId: string;
  mobile: string;
  begunAt: number;
}

/** The rule in the words of the design, over everything that is known in the end. Null: no message. */
function placeOf(
  report: { messageId: string; mobile: string | null; at: number },
  messages: Placed[],
): string | null {
  const exact = messages.filter(({ messageId }) => messageId === report.messageId);
  const to = (all: Placed[]) => all.filter(({ mobile }) => mobile === report.mobile);
  const candidates = report.mobile === null ? exact : to(exact);
  if (candidates.length > 0) {
    const begun = candidates.filter(({ begunAt }) => begunAt <= report.at);
    return only(candidates.length === 1 ? candidates : begun);
  }
  const family = messages.filter(({ messageId }) => plain(messageId) === plain(report.messageId));
  return only(to(family).filter(({ begunAt }) => begunAt <= report.at));
}

function only(found: Placed[]): string | null {
  const [one, other] = found;
  return one === undefined || other !== undefined ? null : `${one.campaign.n} ${one.seq}`;
}

function plain(messageId: string): string {
  return messageId.toLowerCase().replace(/^0+/, '');
}

function shuffled<Item>(items: Item[], seed: number): Item[] {
  const whole = { minLength: items.length, maxLength: items.length };
  const [order = []] = fc.sample(fc.shuffledSubarray([...items.keys()], whole), { numRuns: 1, seed });
  return order.map((index) => items[index] as Item);
}
