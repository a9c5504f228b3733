import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { readTruth } from '../../src/sandbox/truth/truth.ts';
import { newTruthFile, start } from './start.ts';
import { checkBalance, creditOf, KEY, post, SECRET, send, sendBody } from './wire.ts';

describe('sendsms', () => {
  it('answers the success of the document, all strings, with or without the trailing slash', async () => {
    const sandbox = await start();
    for (const slash of ['', '/']) {
      const reply = await post(`${sandbox.url}/api/services/sendsms${slash}`, sendBody());
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({
        responsecode: '200',
        responsedescription: 'Success',
        mobile: '254712345678',
        messageid: expect.stringMatching(/.+/) as string,
        networkid: '1',
        messagecost: '0.80',
      });
    }
  });

  it.each(['254712345678', '0712345678', '712345678'])('answers %s in international form', async (mobile) => {
    const sandbox = await start();
    expect((await send(sandbox.url, { mobile })).body.mobile).toBe('254712345678');
  });

  it.each([
    ['254733000000', '2', '0.90'],
    ['0757000000', '1', '0.80'],
    ['0750000000', '2', '0.90'],
    ['0770000000', '3', '1.00'],
    ['0763000000', '4', '0.80'],
    ['0110000000', '1', '0.80'],
    ['0100000000', '2', '0.90'],
  ])('prices %s on network %s at %s', async (mobile, networkid, messagecost) => {
    const sandbox = await start();
    expect((await send(sandbox.url, { mobile })).body).toMatchObject({ networkid, messagecost });
  });

  it.each([
    ['apikey', '4092'],
    ['apisecret', '4092'],
    ['message', '1010'],
    ['shortcode', '1001'],
    ['mobile', '1003'],
  ])('names a missing %s and takes no money', async (field, code) => {
    const sandbox = await start();
    for (const value of [undefined, '', null]) {
      expect((await send(sandbox.url, { [field]: value })).body).toEqual({
        responsecode: code,
        responsedescription: `Missing required field: ${field}`,
      });
    }
    expect((await send(sandbox.url, { [field]: 7 })).body.responsedescription).toBe(
      `Must be a string: ${field}`,
    );
    expect(await creditOf(sandbox.url)).toBe('10000.00');
  });

  it.each([
    ['wrong key', { apikey: 'other' }, '1006'],
    ['wrong secret', { apisecret: 'other' }, '1006'],
    ['unknown sender', { shortcode: 'NOBODY' }, '1001'],
    ['landline', { mobile: '0202345678' }, '1003'],
    ['plus sign', { mobile: '+254712345678' }, '1003'],
    ['a digit too few', { mobile: '25471234567' }, '1003'],
    ['network of another country', { mobile: '256772123456' }, '1002'],
  ])('refuses a %s and takes no money', async (_, fields, code) => {
    const sandbox = await start({ senders: ['SHOP'] });
    const reply = await send(sandbox.url, fields);
    expect(reply.body.responsecode).toBe(code);
    expect(reply.body.messageid).toBeUndefined();
    expect((await readTruth(sandbox.truthFile)).refused).toEqual(new Map([[code, 1]]));
    expect(sandbox.stats()).toMatchObject({ accepted: 0, refused: 1, charged: '0.00' });
  });

  it('refuses a body that is not a JSON object, or is huge, and another content type, method or path', async () => {
    const { url } = await start();
    const path = `${url}/api/services/sendsms`;
    for (const body of ['', '{', '[]', '"x"', 'null']) expect((await post(path, body)).status).toBe(400);
    expect((await fetch(path, { method: 'POST', body: sendBody() })).status).toBe(415);
    expect((await fetch(path)).status).toBe(405);
    expect((await post(`${url}/api/services/other`, sendBody())).status).toBe(404);
    expect((await post(path, sendBody({ message: 'x'.repeat(70_000) }))).status).toBe(413);
  });

  it('gives every message another id, in spellings that no client may touch', async () => {
    const sandbox = await start();
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) ids.push(String((await send(sandbox.url)).body.messageid));
    expect(new Set(ids).size).toBe(40);
    expect(ids.some((id) => id.startsWith('000'))).toBe(true);
    expect(ids.some((id) => /^9\d{19}$/.test(id) && String(Number(id)) !== id)).toBe(true);
    expect(ids.some((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))).toBe(true);
    expect(ids.some((id) => /[A-Z]/.test(id))).toBe(true);
  });

  it('answers after the latency and not before', async () => {
    const sandbox = await start({ latencyMs: 60 });
    const from = performance.now();
    await send(sandbox.url);
    expect(performance.now() - from).toBeGreaterThanOrEqual(59);
  });
});

describe('the balance', () => {
  it('goes down by exactly the costs that were answered, and is told with two decimals', async () => {
    const sandbox = await start({ startBalance: '100.00', prices: { '1': '0.805', '2': '1.10' } });
    await send(sandbox.url);
    await send(sandbox.url, { mobile: '0733000000', message: 'x'.repeat(161) });
    expect(sandbox.stats()).toMatchObject({ credit: '96.995', charged: '3.005' });
    const reply = await checkBalance(sandbox.url);
    expect(reply.body).toEqual({ 'response-code': 200, credit: '96.99', clientId: 'sandbox' });
  });

  it('never goes below zero: what cannot be paid is refused with 1004 and not accepted', async () => {
    const sandbox = await start({ startBalance: '2.50' });
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(sandbox.url)));
    expect(replies.filter((reply) => reply.body.responsecode === '200')).toHaveLength(3);
    expect(replies.filter((reply) => reply.body.responsecode === '1004')).toHaveLength(5);
    expect(await creditOf(sandbox.url)).toBe('0.10');
    expect((await readTruth(sandbox.truthFile)).acceptedCount).toBe(3);
  });

  it('charges the opt-out text of the promotional sender, and of it only', async () => {
    const sandbox = await start();
    const message = 'x'.repeat(150);
    expect((await send(sandbox.url, { message, shortcode: 'DUKA' })).body.messagecost).toBe('1.60');
    expect((await send(sandbox.url, { message, shortcode: 'BANK' })).body.messagecost).toBe('0.80');
  });

  it('is not told to strangers', async () => {
    const { url } = await start();
    expect((await checkBalance(url, { apisecret: 'other' })).body).toEqual({
      responsecode: '1006',
      responsedescription: 'Invalid credentials',
    });
    expect((await checkBalance(url, { apikey: undefined })).body.responsecode).toBe('4092');
    expect(
      (await post(`${url}/api/services/checkbalance/`, `{"apikey":"${KEY}"}`)).body.responsedescription,
    ).toBe('Missing required field: apisecret');
  });
});

describe('the truth log', () => {
  it('holds an acceptance before its answer is out, with the hash of the text and not the text', async () => {
    const sandbox = await start();
    const message = 'Dear Wanjiku, your code is 1234';
    const { body } = await send(sandbox.url, { message });
    const text = readFileSync(sandbox.truthFile, 'utf8');
    expect(text).not.toContain('Wanjiku');
    expect(text).not.toContain(SECRET);
    expect(statSync(sandbox.truthFile).mode & 0o777).toBe(0o600);
    const truth = await readTruth(sandbox.truthFile);
    expect(truth.messages.get(String(body.messageid))).toMatchObject([
      {
        mobile: '254712345678',
        sha256: createHash('sha256').update(message).digest('hex'),
        segments: 1,
        cost: '0.80',
        network: '1',
      },
    ]);
  });

  it('adds up: start and top-ups less the charges are the balance', async () => {
    const sandbox = await start({ startBalance: '1.00' });
    await send(sandbox.url);
    await sandbox.topUp('5.50');
    await send(sandbox.url, { mobile: '0733000000' });
    const truth = await readTruth(sandbox.truthFile);
    expect(truth).toMatchObject({
      startBalanceMicro: 1_000_000,
      topUpsMicro: 5_500_000,
      chargedMicro: 1_700_000,
      balanceMicro: 4_800_000,
    });
    expect(truth.acceptedByMobile).toEqual(
      new Map([
        ['254712345678', 1],
        ['254733000000', 1],
      ]),
    );
    expect(await creditOf(sandbox.url)).toBe('4.80');
  });
});

describe('the paths for people', () => {
  it('top up and show the state', async () => {
    const { url } = await start({ startBalance: '1.00' });
    await send(url);
    const { body } = await post(`${url}/sandbox/topup`, '{"amount":"99.00"}');
    expect(body).toMatchObject({ credit: '99.20', charged: '0.80', received: 1, accepted: 1 });
    expect(await (await fetch(`${url}/sandbox/state`)).json()).toEqual(body);
    for (const amount of ['-5', '"1,00"', '5', 'null']) {
      expect((await post(`${url}/sandbox/topup`, `{"amount":${amount}}`)).status).toBe(400);
    }
    expect(await creditOf(url)).toBe('99.20');
  });
});

describe('the start', () => {
  it('lists everything that is wrong with the options', async () => {
    const options = {
      apiKey: '',
      apiSecret: 's',
      truthFile: newTruthFile(),
      startBalance: '1,000',
      fault: null,
    };
    const wrong = startSandbox(options);
    await expect(wrong).rejects.toMatchObject({ code: 'options_invalid' });
    await expect(wrong).rejects.toThrow(/apiKey.*startBalance.*fault/s);
  });

  it('says that a port is in use', async () => {
    const first = await start();
    await expect(start({ port: first.port })).rejects.toMatchObject({ code: 'port_in_use' });
  });

  it('refuses a damaged truth log and names the line', async () => {
    const sandbox = await start();
    await send(sandbox.url);
    await sandbox.stop();
    writeFileSync(
      sandbox.truthFile,
      readFileSync(sandbox.truthFile, 'utf8').replace('{"event":"start"', '{"eve'),
    );
    await expect(start({ truthFile: sandbox.truthFile })).rejects.toMatchObject({
      code: 'truth_invalid',
      where: `${sandbox.truthFile}:1`,
    });
  });
});
