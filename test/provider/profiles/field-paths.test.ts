import { describe, expect, test } from 'vitest';
import { classifyBalance } from '../../../src/provider/balance/classify-balance.ts';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import type { Profile } from '../../../src/provider/profiles/profile.ts';
import { classifySend } from '../../../src/provider/send/classify-send.ts';
import { createAnswerReader } from '../../../src/provider/send/read-answer.ts';
import { webhookParser } from '../../../src/provider/webhooks/read-webhook.ts';
import { connectV2, give, startV2Server } from '../account/v2-support.ts';
import { MOBILE, recorded, REQUEST, rulesOf } from '../support.ts';

/* A dot in the profile's name of a field goes one object deeper, in every part of the profile. */

const { send, balance, reports, v2 } = defaultProfile;

function withSend(fields: Partial<Profile['send']['fields']>): Profile {
  return { ...defaultProfile, send: { ...send, wrappers: [], fields: { ...send.fields, ...fields } } };
}

function classify(profile: Profile, body: object, status = 200) {
  const reply = recorded({ status, body: JSON.stringify(body) });
  return classifySend({ request: REQUEST, reply, now: 0, rules: rulesOf(profile) });
}

describe('a dot goes one object deeper', () => {
  test('in a sendsms answer, in any spelling, also two objects deep', () => {
    const profile = withSend({
      code: ['status.code'],
      message_id: ['receipt.sms.messageid'],
      mobile: ['receipt.to'],
      cost: ['receipt.price'],
    });
    const body = {
      Status: { Code: 200 },
      receipt: { SMS: { 'message-id': 'a-1' }, to: MOBILE, price: 0.8 },
    };
    expect(classify(profile, body)).toMatchObject({
      outcome: 'accepted',
      messageId: 'a-1',
      costMicro: 800_000,
    });
  });

  test('in the words of a refusal', () => {
    const profile = withSend({ words: ['error.text'] });
    expect(classify(profile, { error: { text: 'Insufficient balance' } }, 400)).toMatchObject({
      outcome: 'refused',
      refusal: 'credit',
      words: 'Insufficient balance',
    });
  });

  test('the row that stands first wins over a flat one, and a part of the path alone is no match', () => {
    const profile = withSend({ code: ['status.code', 'code'], message_id: ['messageid'] });
    expect(classify(profile, { code: 17, status: { code: 200 }, messageid: 'a-1' }).outcome).toBe('accepted');
    expect(classify(profile, { status: 200, messageid: 'a-1' }).outcome).toBe('unknown');
  });

  test('in a balance answer', () => {
    const fields = { ...balance.fields, credit: ['wallet.sms'], client_id: ['owner.id'] };
    const readAnswer = createAnswerReader({ wrappers: [], fields });
    const body = JSON.stringify({ 'response-code': 200, wallet: { sms: '12.50' }, owner: { id: 'C-9' } });
    expect(classifyBalance(recorded({ body }), { ...rulesOf(), readAnswer })).toEqual({
      outcome: 'balance',
      creditMicro: 12_500_000,
      clientId: 'C-9',
    });
  });

  test('in the answer of the v2 credits', async () => {
    const server = await startV2Server(give({ wallet: { sms: '7.25' } }));
    const profile = { ...defaultProfile, v2: { ...v2, fields: { ...v2.fields, credits: ['wallet.sms'] } } };
    expect(await connectV2(server.url, { profile }).credits()).toMatchObject({
      outcome: 'credits',
      amountMicro: 7_250_000,
    });
  });

  test('in a delivery report', () => {
    const parse = webhookParser({
      ...reports,
      fields: { ...reports.fields, status: ['state.final'], message_id: ['sms.ref'] },
    });
    const body = new TextEncoder().encode('{"sms":{"ref":"a-1"},"state":{"final":"Delivered"}}');
    expect(parse({ query: '', body }).reports).toMatchObject([{ messageId: 'a-1', delivery: 'delivered' }]);
  });
});
