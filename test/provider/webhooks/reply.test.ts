import { describe, expect, it } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { replyHint, webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
const encode = (payload: object | string) =>
  new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
const read = (payload: object | string) => parse({ query: '', body: encode(payload) });
const sms = {
  event: 'sms.received',
  mobile: '254712345678',
  shortcode: '22141',
  message: 'STOP',
  received_at: '2025-11-24T15:00:00+03:00',
};
const chat = {
  event: 'whatsapp.message.received',
  id: '3f0e6a0e-1111-4222-8333-444455556666',
  message_id: 'wamid.HBgM',
  from: '254712345678',
  to: '254700000000@c.us',
  sender_jid: '254712345678@c.us',
  chat_jid: '254712345678@c.us',
  text: 'my receipt',
  media_type: 'image',
  media_url: '/api/v2/messages/whatsapp/3f0e6a0e-1111-4222-8333-444455556666/media',
  file_name: 'receipt.jpg',
  file_size: 120_344,
  mime_type: 'image/jpeg',
  timestamp: '2025-11-24T12:00:00Z',
};

describe('inbound messages', () => {
  it('a chat message keeps every field of document 2.6 under its name', () => {
    const { kind, replies } = read(chat);
    expect(kind).toBe('reply');
    expect(replies).toEqual([
      {
        channel: 'chat',
        recordId: chat.id,
        mobile: '254712345678',
        addressee: chat.to,
        text: 'my receipt',
        time: chat.timestamp,
        at: Date.UTC(2025, 10, 24, 12),
        detail: {
          message_id: 'wamid.HBgM',
          sender_jid: chat.sender_jid,
          chat_jid: chat.chat_jid,
          media_type: 'image',
          media_url: chat.media_url,
          file_name: 'receipt.jpg',
          file_size: '120344',
          mime_type: 'image/jpeg',
        },
      },
    ]);
  });

  it('a text-only chat message has no media (document 6, rule 2)', () => {
    const plain = { media_type: 'text', media_url: '', file_name: '', file_size: 0, mime_type: '' };
    const [reply] = read({ ...chat, ...plain }).replies ?? [];
    expect(reply?.detail).toEqual({
      message_id: 'wamid.HBgM',
      sender_jid: chat.sender_jid,
      chat_jid: chat.chat_jid,
      media_type: 'text',
      file_size: '0',
    });
  });

  it('keeps a text to the last character, however long, with the blanks around it', () => {
    const long = `  ${'habari 😀\n'.repeat(400)} `;
    expect(read({ ...sms, message: long }).replies?.[0]?.text).toBe(long);
    expect(read({ ...chat, text: long }).replies?.[0]?.text).toBe(long);
  });

  it('an unreadable time is no reason to lose a reply', () => {
    expect(read({ ...sms, received_at: 'yesterday' }).replies).toMatchObject([
      { text: 'STOP', at: null, time: 'yesterday' },
    ]);
  });

  const { message: _said, ...silent } = sms;
  const { mobile: _from, shortcode: _to, ...faceless } = silent;
  const person = { mobile: '254712345678', shortcode: '22141' };

  it.each<[string, object]>([
    ['text', { ...silent, text: 'STOP' }],
    ['TEXT', { ...silent, TEXT: 'STOP' }],
    ['content', { ...silent, Content: 'STOP' }],
    ['body', { ...silent, body: 'STOP' }],
    ['msg', { ...silent, msg: 'STOP' }],
    ['message_text', { ...silent, message_text: 'STOP' }],
    ['text in an object message', { ...silent, message: { text: 'STOP' } }],
    ['body in an object text', { ...silent, text: { body: 'STOP' } }],
    ['text two objects deep', { ...silent, data: { message: { content: 'STOP', id: 7 } } }],
    ['text beside an empty message', { ...silent, message: '  ', text: 'STOP' }],
    ['text beside a message that is null', { ...silent, message: null, text: 'STOP', id: 1 }],
    ['from and to', { ...faceless, from: '0712345678', to: '22141', text: 'STOP' }],
    ['all of it in an object sms', { ...faceless, sms: { from: '254712345678', to: '22141', text: 'STOP' } }],
    ['the person around the text', { ...faceless, ...person, data: [{ text: 'STOP' }] }],
  ])('a STOP in %s is a STOP', (_where, payload) => {
    const { kind, replies } = read(payload);
    expect(kind).toBe('reply');
    expect(replies).toMatchObject([{ mobile: '254712345678', addressee: '22141', text: 'STOP' }]);
  });

  it('a chat message may have its text elsewhere, too', () => {
    for (const own of [{ body: 'STOP' }, { text: { body: 'STOP' } }, { message: 'STOP' }])
      expect(read({ ...chat, text: '', ...own }).replies).toMatchObject([{ text: 'STOP' }]);
  });

  it.each<[string, object]>([
    ['no text', silent],
    ['an empty text', { ...silent, message: '' }],
    ['blanks', { ...silent, message: ' \n' }],
    ['an object without a text', { ...silent, message: { id: '7' } }],
    ['a list', { ...silent, message: ['STOP'] }],
    ['a text of something else', { ...silent, status: { text: 'received' } }],
    ['a chat message without text and file', { ...chat, text: '', media_type: 'text', media_url: '' }],
  ])('%s is not understood', (_what, payload) => {
    expect(read(payload)).toEqual({ kind: 'not_understood', reports: [] });
  });

  it('a file needs no words, and one reply without text does not hide among others', () => {
    expect(read({ ...chat, text: '' }).replies).toMatchObject([{ text: '', recordId: chat.id }]);
    expect(read([sms, silent])).toMatchObject({ kind: 'not_understood', replies: [{ text: 'STOP' }] });
  });

  it('nobody is given the words of another person', () => {
    const other = { ...silent, mobile: '254711111111' };
    for (const payload of [
      { messages: [sms, other] },
      { event: sms.event, data: { ...person, text: 'STOP' }, payload: { mobile: '254711111111' } },
    ])
      expect(read(payload).replies).toMatchObject([{ mobile: '254712345678', text: 'STOP' }]);
  });

  it('a path of the profile goes before the usual names', () => {
    const { reports } = defaultProfile;
    const reply_fields = { ...reports.reply_fields, text: ['Words.Said_By', 'message'] };
    const own = webhookParser({ ...reports, reply_fields }, { country: 'KE' });
    const payload = { ...sms, message: 'an advert', words: { saidBy: 'STOP' } };
    expect(own({ query: '', body: encode(payload) }).replies).toMatchObject([{ text: 'STOP' }]);
  });

  it('a number comes in one form, and what is no number as it came', () => {
    const mobileOf = (mobile: string) => read({ ...sms, mobile }).replies?.[0]?.mobile;
    expect(['+254712345678', '0712345678', '254 712 345 678'].map(mobileOf)).toEqual([
      '254712345678',
      '254712345678',
      '254712345678',
    ]);
    expect(mobileOf('SAFARICOM')).toBe('SAFARICOM');
    expect(mobileOf('S'.repeat(99))).toHaveLength(60);
  });

  it('of a chat message its number is that of its address, or of sender_jid where it has none', () => {
    const mobileOf = (changes: object) => read({ ...chat, ...changes }).replies?.[0]?.mobile;
    for (const from of [
      '254712345678@s.whatsapp.net',
      '254712345678:12@S.WhatsApp.net',
      '+254712345678@c.us',
    ])
      expect(mobileOf({ from, sender_jid: '' })).toBe('254712345678');
    for (const from of ['', '123456789012345@lid', '2547000000-254711111@c.us', 'Amina'])
      expect(mobileOf({ from })).toBe('254712345678');
    expect(mobileOf({ from: '123456789012345@lid', sender_jid: '' })).toBe('123456789012345@lid');
  });

  it('an SMS has neither the id nor the detail of a chat message, whatever else its record holds', () => {
    const [reply] = read({ ...sms, id: '7', messageid: '77', mediatype: 'text' }).replies ?? [];
    expect([reply?.recordId, reply?.detail]).toEqual([null, {}]);
    expect(read({ ...chat, id: '' }).replies).toMatchObject([{ recordId: null }]);
  });

  it('without anybody who sent it, it is not understood and stays in the list of raws', () => {
    expect(read({ ...sms, mobile: '' })).toEqual({ kind: 'not_understood', reports: [] });
  });

  it('comes as a form, in a list and in a wrapper too', () => {
    const form = new URLSearchParams(sms).toString();
    expect(read(form).replies).toMatchObject([{ text: 'STOP', addressee: '22141' }]);
    const { kind, replies } = read({ data: [sms, { ...sms, message: 'ACHA' }] });
    expect(kind).toBe('reply');
    expect(replies?.map(({ text }) => text)).toEqual(['STOP', 'ACHA']);
  });

  it('holds a text that is never read as anything but a text', () => {
    const forged = JSON.stringify({ ...sms, mobile: '254700000000' });
    expect(read(`{"message":"\n${forged}\n"}`)).toMatchObject({ kind: 'not_understood', reports: [] });
    const said = new URLSearchParams({ ...sms, message: forged }).toString();
    expect(read(said).replies).toMatchObject([{ mobile: sms.mobile, text: forged }]);
  });

  it.each(['messages', 'reports', 'notification'])('comes wrapped in %s', (wrapper) => {
    const report = { messageid: '77', description: 'DeliveredToTerminal' };
    const body = JSON.stringify({ [wrapper]: [sms, report] });
    expect(read(body)).toMatchObject({ replies: [{ text: 'STOP' }], reports: [{ messageId: '77' }] });
  });

  it.each([
    ['a type', 'event', { type: 'text' }],
    ['a name', 'event', { name: 'Amina' }],
    ['an event', 'type', { event: 'message' }],
  ])('what is wrapped may have %s of its own', (_what, around, own) => {
    const { event, ...said } = sms;
    const data = { ...said, ...own };
    for (const payload of [
      { [around]: event, data },
      { [around]: event, data: [data] },
      { [around]: event, ...data },
    ])
      expect(read(payload)).toMatchObject({ kind: 'reply', replies: [{ text: 'STOP' }] });
  });

  it('words that a person writes never become a report of a message', () => {
    const { reports } = read({ ...sms, message: 'Delivered', status: 'delivered', messageid: '77' });
    expect(reports).toEqual([]);
  });

  it('the quick look finds inbound events, and takes no report for one', () => {
    const hint = replyHint(defaultProfile.reports);
    expect(hint({ query: '', body: encode(sms) })).toBe(true);
    expect(hint({ query: '', body: encode(chat) })).toBe(true);
    expect(hint({ query: 'event=sms.inbound&mobile=1', body: new Uint8Array() })).toBe(true);
    // A STOP that it misses would count once, however often it comes.
    expect(hint({ query: 'event=SMS%2EInbound&mobile=1', body: new Uint8Array() })).toBe(true);
    for (const event of ['SMS.RECEIVED', 'sms_received', 'smsReceived', 'Sms - Inbound'])
      expect(hint({ query: '', body: encode({ ...sms, event }) })).toBe(true);
    expect(hint({ query: '', body: encode({ ...sms, event: 'sms.delivered' }) })).toBe(false);
    expect(hint({ query: '', body: encode({ messageid: '1', description: 'DeliveredToTerminal' }) })).toBe(
      false,
    );
  });
});
