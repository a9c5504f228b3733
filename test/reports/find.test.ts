import { beforeAll, describe, expect, it } from 'vitest';
import type { LedgerReader } from '../../src/ledger/contracts/reader.ts';
import { conversationWith } from '../../src/reports/conversation.ts';
import { find } from '../../src/reports/find.ts';
import { messageStory } from '../../src/reports/message-life.ts';
import { LedgerStory, T0 } from '../support/ledger-story.ts';

const ANN = '254711000001';
const BEN = '254711000002';

describe('a number that got a message and answered', () => {
  let story: LedgerStory;
  let reader: LedgerReader;
  let n: number;
  const search = (text: string) => find(reader, { text, country: 'KE' });

  beforeAll(async () => {
    story = await LedgerStory.begin();
    reader = await story.reader();
    n = await story.launch({
      id: 'bf-7',
      name: 'black-friday',
      settings: { key: ['Bill'], optOutText: ' STOP*456#', header: ['Phone', 'First name', 'Bill'] },
      rows: [
        { mobile: ANN, fields: [ANN, 'Ann', 'INV-1'], key: 'INV-1' },
        { mobile: BEN, fields: [BEN, 'Ben', 'INV-2'], key: 'INV-2' },
      ],
    });
    story.now += 1_000;
    await story.claim();
    story.now += 300;
    await story.record(n, { 1: { to: 'sent', messageId: 'ABC-1' }, 2: { to: 'rejected' } });
    story.now += 4_000;
    await story.report('ABC-1', 'delivered');
    story.now += 60_000;
    await story.reply(ANN, 'acha', 'stop');
  });

  it('is found in every form, with its messages, its reply and its opt-out', async () => {
    for (const text of ['0711 000 001', '+254711000001', ' 254-711-000-001 ']) {
      const { number, ofId, campaigns } = await search(text);
      expect(number).toMatchObject({ mobile: ANN, more: false, reply: 1 });
      expect(number?.messages.map(({ message, campaign }) => [campaign.id, message.seq])).toEqual([
        ['bf-7', 1],
      ]);
      expect(number?.standing.optOuts).toMatchObject([{ kind: 'opted out', source: 'reply' }]);
      expect([ofId, campaigns]).toEqual([[], []]);
    }
  });

  it('an id of a message, a key, and the name or id of a campaign are found, and nothing else', async () => {
    expect((await search('abc-1')).ofId).toMatchObject([{ message: { seq: 1 }, campaign: { id: 'bf-7' } }]);
    expect((await search('INV-2')).ofKey).toMatchObject([{ message: { seq: 2 } }]);
    expect((await search('Black')).campaigns).toMatchObject([{ id: 'bf-7' }]);
    expect((await search('BF-7')).campaigns).toMatchObject([{ id: 'bf-7' }]);
    const nothing = { number: null, ofId: [], ofKey: [], campaigns: [] };
    for (const text of ['', '  ', 'Ann', '%']) expect(await search(text)).toEqual(nothing);
    expect((await search('0799 999 999')).number).toMatchObject({ messages: [], reply: null });
  });

  it('its conversation has our text as it was sent, and the answer after it', async () => {
    const { said, older, standing } = await conversationWith(reader, ANN);
    expect(said).toMatchObject([
      { by: 'us', text: { text: 'Hi Ann', appended: ' STOP*456#' }, campaign: { id: 'bf-7' } },
      { by: 'them', reply: { text: 'acha', wish: 'stop', campaign: { id: 'bf-7' } } },
    ]);
    expect(said[0]?.at).toBeLessThan(said[1]?.at ?? 0);
    expect(older).toBeNull();
    expect(standing.optOuts).toHaveLength(1);
    expect((await conversationWith(reader, BEN)).said).toEqual([]);
  });

  it('the life of its message goes from its line to its last report', async () => {
    const [campaign] = await reader.find('bf-7');
    if (campaign === undefined) throw new Error('no campaign');
    const story = await messageStory(reader, { campaign, seq: 1 });
    expect(story?.events).toMatchObject([
      { what: 'planned', at: T0, line: 2 },
      { what: 'tried', at: T0 + 1_000, attempt: 1 },
      { what: 'answered', at: T0 + 1_300, outcome: 'sent', sendMs: 100, seen: null },
      { what: 'reported', at: T0 + 5_300, report: { word: 'delivered', delivery: 'delivered' } },
    ]);
    expect(story?.text).toEqual({ text: 'Hi Ann', appended: ' STOP*456#' });
    const refused = await messageStory(reader, { campaign, seq: 2 });
    expect(refused?.events.at(-1)).toMatchObject({
      what: 'answered',
      outcome: 'rejected',
      reason: 'invalid mobile',
    });
    expect(await messageStory(reader, { campaign, seq: 9 })).toBeNull();
  });

  it('a failure that a report tells later is not the reason of the acceptance', async () => {
    const own = await LedgerStory.begin();
    const campaign = await own.launch({ messages: 1 });
    await own.claim();
    await own.record(campaign, { 1: { to: 'sent', messageId: 'ABC-2' } });
    own.now += 4_000;
    await own.report('ABC-2', 'undelivered', 'AbsentSubscriber');
    const [found] = await (await own.reader()).find('bf-1');
    if (found === undefined) throw new Error('no campaign');
    const story = await messageStory(await own.reader(), { campaign: found, seq: 1 });
    expect(story?.events.slice(-2)).toMatchObject([
      { what: 'answered', outcome: 'sent', reason: null },
      { what: 'reported', report: { delivery: 'undelivered', reason: 'AbsentSubscriber' } },
    ]);
  });

  it('a message that a person canceled says so, and one that was put back names both tries', async () => {
    const own = await LedgerStory.begin();
    const campaign = await own.launch({ messages: 2 });
    await own.claim();
    await own.record(campaign, { 1: { to: 'queued' }, 2: { to: 'uncertain' } });
    own.now += 60_000;
    await own.ledger.cancelPerson(campaign, { mobile: '254700000001', now: own.now, by: 'ann' });
    const resolution = { now: own.now, by: 'ann', decision: 'not_sent', before: own.now } as const;
    await own.ledger.resolve(campaign, resolution);
    own.now += 1_000;
    await own.claim();
    const [found] = await (await own.reader()).find('bf-1');
    if (found === undefined) throw new Error('no campaign');
    const events = async (seq: number) => {
      const story = await messageStory(await own.reader(), { campaign: found, seq });
      return story?.events.map(({ what }) => what);
    };
    expect(await events(1)).toEqual(['planned', 'tried', 'answered', 'decided']);
    expect(await events(2)).toEqual(['planned', 'tried', 'answered', 'tried']);
  });
});
