import { describe, expect, it } from 'vitest';
import { type ReadReply, replyFrom, StopAlarm } from '../../../src/campaign/inbound/record-reply.ts';
import { wishReader } from '../../../src/domain/text/opt-out-words.ts';
import { MemoryLog } from '../../collector/fake-store.ts';

const wishOf = wishReader({ stop: ['stop'], start: ['start'] });
const SMS: ReadReply = {
  channel: 'sms',
  recordId: null,
  mobile: '254712345678',
  addressee: 'DUKA',
  text: 'Stop',
  time: '2025-11-24T15:00:00+03:00',
  at: 1,
  detail: {},
};

describe('what makes two replies the same [X4]', () => {
  const identity = (changes: Partial<ReadReply>) => replyFrom({ ...SMS, ...changes }, wishOf).identity;

  it('of a chat message its id in the chat network, whatever id its record has, and the person', () => {
    const chat = { channel: 'chat', recordId: 'r1', detail: { message_id: 'm1' } } as const;
    expect(identity({ ...chat, recordId: 'r2', text: 'b' })).toBe(identity(chat));
    expect(identity({ ...chat, detail: { message_id: 'm2' } })).not.toBe(identity(chat));
    expect(identity({ ...chat, mobile: '254711111111' })).not.toBe(identity(chat));
  });

  it('of a chat message without that id the one of its record alone', () => {
    const chat = { channel: 'chat', recordId: 'r1' } as const;
    expect(identity({ ...chat, text: 'a' })).toBe(identity({ ...chat, text: 'b' }));
    expect(identity({ ...chat, recordId: 'r2' })).not.toBe(identity(chat));
  });

  it('of an SMS everything that it says, and so never its place in a webhook', () => {
    expect(identity({})).toBe(identity({}));
    for (const change of [{ text: 'stop' }, { time: 'x' }, { mobile: '254711111111' }, { addressee: 'X' }])
      expect(identity(change)).not.toBe(identity({}));
  });
});

describe('wishes', () => {
  it('may name whom they are for: the one that got them, or one under whose name a campaign wrote', () => {
    const wishOfText = (text: string) => replyFrom({ ...SMS, text }, wishOf, ['My Shop', '22141']).wish;
    expect(['STOP DUKA', 'stop my shop', 'Stop 22141'].map(wishOfText)).toEqual(['stop', 'stop', 'stop']);
    expect(wishOfText('stop mama')).toBeNull();
  });

  it('are read of people, not of services with a name or a short code', () => {
    expect(replyFrom(SMS, wishOf).wish).toBe('stop');
    expect(replyFrom({ ...SMS, mobile: 'SAFARICOM' }, wishOf).wish).toBeNull();
    expect(replyFrom({ ...SMS, mobile: '22141' }, wishOf).wish).toBeNull();
    expect(replyFrom({ ...SMS, text: 'unstoppable' }, wishOf).wish).toBeNull();
  });
});

describe('the alarm [X3]', () => {
  const setUp = () => {
    const time = { ms: 0 };
    const log = new MemoryLog();
    const clock = { now: () => 0, monotonic: () => time.ms, sleep: async () => undefined };
    const alarm = new StopAlarm({ clock, log });
    return {
      time,
      log,
      saw: (count: number, text = SMS.text) =>
        alarm.saw(Array.from({ length: count }, () => replyFrom({ ...SMS, text }, wishOf))),
    };
  };

  it('is raised by sixty STOPs within a minute, once a minute', () => {
    const { time, log, saw } = setUp();
    saw(59);
    expect(log.lines).toHaveLength(0);
    saw(1);
    saw(200);
    expect(log.lines).toHaveLength(1);
    time.ms = 60_000;
    saw(60);
    expect(log.lines).toHaveLength(2);
  });

  it('is not raised by as many in two minutes, nor by other replies', () => {
    const { time, log, saw } = setUp();
    saw(40);
    time.ms = 60_000;
    saw(40);
    saw(100, 'Thank you');
    expect(log.lines).toHaveLength(0);
  });

  it('says nothing of who wrote what', () => {
    const { log, saw } = setUp();
    saw(60);
    expect(JSON.stringify(log.lines)).not.toMatch(/2547|Stop/);
  });
});
