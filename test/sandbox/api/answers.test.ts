import { gunzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ANSWERS } from '../../../src/sandbox/api/answers.ts';
import { readTruth, type Truth } from '../../../src/sandbox/truth/truth.ts';
import { waitFor } from '../../support/wait-for.ts';
import { script, start, type Started } from '../start.ts';
import { exchange, rawSend, send, type RawExchange } from '../wire.ts';

const MOBILE = '254712345678';

async function startWith(rule: string): Promise<Started> {
  return await start({ faults: { script: script(`- { ${rule} }`) } });
}

/** What a client sees of one answer, byte for byte, and what was true. */
async function seen(
  rule: string,
  options: Parameters<typeof exchange>[1] = {},
): Promise<RawExchange & { truth: Truth; sandbox: Started }> {
  const sandbox = await startWith(rule);
  const result = await exchange(sandbox.port, options);
  return { ...result, truth: await readTruth(sandbox.truthFile), sandbox };
}

const SUCCESS = /"responsecode":"200".*"messageid":"[^"]+".*\}$/s;

describe('answers that break the connection', () => {
  it('hang says nothing and keeps the connection', async () => {
    const { text, end } = await seen('answer: hang', { patienceMs: 150 });
    expect([text, end]).toEqual(['', 'open']);
  });

  it('rst_on_accept for a number resets and never accepts', async () => {
    const { text, end, truth } = await seen(`mobile: ${MOBILE}, answer: rst_on_accept`);
    expect([text, end, truth.acceptedCount, truth.ignoredCount]).toEqual(['', 'reset', 0, 1]);
  });

  it('rst_on_accept for anyone resets the next connections before anything is read', async () => {
    const sandbox = await startWith('answer: rst_on_accept, times: 2');
    const ends = [];
    for (let count = 0; count < 3; count += 1) {
      ends.push((await exchange(sandbox.port, { enough: SUCCESS })).end);
    }
    expect(ends).toEqual(['reset', 'reset', 'open']);
    expect(sandbox.stats()).toMatchObject({ received: 1, accepted: 1 });
  });

  it('rst_after_headers shows the head and then resets', async () => {
    const { text, end } = await seen('answer: rst_after_headers');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n$/s);
    expect(end).toBe('reset');
  });

  it('rst_after_body resets a message that was accepted', async () => {
    const { text, end, truth } = await seen('answer: rst_after_body');
    expect([text, end, truth.acceptedByMobile.get(MOBILE)]).toEqual(['', 'reset', 1]);
  });

  it('fin_after_body closes in order without a word', async () => {
    const { text, end } = await seen('answer: fin_after_body');
    expect([text, end]).toEqual(['', 'closed']);
  });

  it('half_body promises more than it sends, and accepts', async () => {
    const { text, end, truth } = await seen('answer: half_body');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBeGreaterThan(body.length);
    expect(body).toMatch(/^\{"responsecode":"200"/);
    expect([end, truth.acceptedCount]).toEqual(['closed', 1]);
  });

  it('drip sends the body one byte at a time', async () => {
    const sandbox = await startWith('answer: drip, ms: 2');
    const chunks = await chunksOf(sandbox.port);
    expect(chunks.length).toBeGreaterThan(20);
    expect(chunks.join('')).toMatch(SUCCESS);
    expect(chunks[0]).toContain('Content-Length');
  });

  it('drip_headers sends even the status line one byte at a time', async () => {
    const sandbox = await startWith('answer: drip_headers, ms: 1');
    const chunks = await chunksOf(sandbox.port);
    expect(chunks[0]?.length).toBeLessThan(10);
    expect(chunks.join('')).toMatch(SUCCESS);
  });

  it('chunked_forever does not end', async () => {
    const { text, end } = await seen('answer: chunked_forever, ms: 5', { enough: /(1\r\n \r\n){5}/ });
    expect(text).toContain('Transfer-Encoding: chunked');
    expect(end).toBe('open');
  });

  it('1xx_flood sends interim answers only', async () => {
    const { text } = await seen('answer: 1xx_flood', {
      enough: /^(?:HTTP\/1\.1 103 Early Hints\r\n[^\r]+\r\n\r\n){30}/,
    });
    expect(text).not.toMatch(/HTTP\/1\.1 2/);
  });

  it('unsolicited_second_response sends two answers to one request on one connection', async () => {
    const { text, truth } = await seen('answer: unsolicited_second_response', {
      enough: /unsolicited-\d+".*\}$/s,
    });
    const mobiles = [...text.matchAll(/"mobile":"(\d+)"/g)].map((match) => match[1]);
    expect(mobiles).toEqual([MOBILE, '254712345679']);
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(truth.acceptedByMobile).toEqual(new Map([[MOBILE, 1]]));
  });
});

describe('answers that are proper HTTP', () => {
  it.each([
    ['html_502', 502, /^<html>/],
    ['400_json', 400, /Missing required field/],
    ['401_json', 401, /^\{"status":"error","message":"Invalid API key or secret"\}$/],
    ['500', 500, /Internal/],
    ['503', 503, /unavailable/],
    ['200_garbage', 200, /<<</],
    ['200_empty', 200, /^$/],
  ])('%s answers with status %i', async (answer, status, body) => {
    const sandbox = await startWith(`answer: ${answer}`);
    const reply = await send(sandbox.url);
    expect(reply.status).toBe(status);
    expect(reply.text).toMatch(body);
    expect(reply.headers.get('retry-after')).toBeNull();
  });

  it.each([
    ['429', 429],
    ['503_retry_after', 503],
  ])('%s refuses and says when to come back', async (answer, status) => {
    const sandbox = await startWith(`answer: ${answer}, retry_after: 7`);
    const reply = await send(sandbox.url);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([status, '7']);
    expect(await readTruth(sandbox.truthFile)).toMatchObject({
      acceptedCount: 0,
      refused: new Map([[String(status), 1]]),
    });
  });

  it('redirect_307 points elsewhere, and a client that follows is recorded', async () => {
    const sandbox = await startWith('answer: redirect_307');
    const reply = await send(sandbox.url);
    expect([reply.status, reply.headers.get('location')]).toEqual([307, '/sandbox/redirected']);
    expect((await readTruth(sandbox.truthFile)).redirectsFollowed).toBe(0);
    await fetch(`${sandbox.url}/sandbox/redirected`, { method: 'POST', body: '{}' });
    await waitFor(async () => (await readTruth(sandbox.truthFile)).redirectsFollowed === 1, {
      what: 'the record',
    });
  });

  it('200_fail_code refuses with a listed code, and leaves an unlisted one open', async () => {
    const listed = await startWith('answer: 200_fail_code, code: 1001');
    expect((await send(listed.url)).body).toEqual({
      responsecode: '1001',
      responsedescription: 'Invalid sender id',
    });
    expect((await readTruth(listed.truthFile)).refused.get('1001')).toBe(1);
    const unlisted = await startWith('answer: 200_fail_code, code: 4090, accepted: true');
    expect((await send(unlisted.url)).body.responsecode).toBe('4090');
    expect((await readTruth(unlisted.truthFile)).acceptedCount).toBe(1);
  });

  it('delay answers well, later', async () => {
    const sandbox = await startWith('answer: delay, ms: 80');
    const from = performance.now();
    expect((await send(sandbox.url)).text).toMatch(SUCCESS);
    expect(performance.now() - from).toBeGreaterThanOrEqual(79);
  });

  it.each([
    ['200_no_id', /^(?!.*messageid).*"responsecode":"200"/],
    ['200_wrong_mobile', /"mobile":"254712345679"/],
    ['200_number_code', /"responsecode":200,/],
    ['200_number_id', /"messageid":9\d{19},/],
    ['200_bad_cost', /"messagecost":"0,80"/],
    ['ok', SUCCESS],
  ])('%s is an accepted message with a strange success', async (answer, body) => {
    const sandbox = await startWith(`answer: ${answer}`);
    const reply = await send(sandbox.url);
    expect(reply.status).toBe(200);
    expect(reply.text).toMatch(body);
    expect((await readTruth(sandbox.truthFile)).acceptedByMobile.get(MOBILE)).toBe(1);
    expect(sandbox.stats().charged).toBe('0.80');
  });

  it('200_dup_id gives the id of the message before, and the truth says so', async () => {
    const sandbox = await start({ faults: { script: script('- { last: "9", answer: 200_dup_id }') } });
    const first = await send(sandbox.url);
    const second = await send(sandbox.url, { mobile: '254712345679' });
    expect(second.body.messageid).toBe(first.body.messageid);
    const same = (await readTruth(sandbox.truthFile)).messages.get(String(first.body.messageid));
    expect(same?.map((message) => message.mobile)).toEqual([MOBILE, '254712345679']);
  });

  it('gzip_bomb is small on the wire and 32 MB when unpacked', async () => {
    const sandbox = await startWith('answer: gzip_bomb');
    const packed = await packedBody(sandbox.port);
    expect(packed.length).toBeLessThan(65_536);
    expect(gunzipSync(packed).length).toBe(32 * 1024 * 1024);
  });

  it('64k_header has a header of 64 kB', async () => {
    const { text } = await seen('answer: 64k_header', { enough: /\r\n\r\n\{/ });
    expect(/x-long: (x+)/.exec(text)?.[1]).toHaveLength(65_536);
  });
});

describe('what becomes of a message', () => {
  const coins = Object.entries(ANSWERS).filter(([, facts]) => facts.fate === 'coin');

  it.each(coins.map(([name]) => name))(
    'after %s is sometimes accepted and sometimes not, always the same',
    async (name) => {
      const outcomes = [];
      for (const round of [1, 2]) {
        const code = name === '200_fail_code' ? ', code: 1999' : '';
        const sandbox = await startWith(`answer: ${name}${code}`);
        const mobiles = Array.from(
          { length: 16 },
          (_, index) => `2547000001${String(index).padStart(2, '0')}`,
        );
        await Promise.all(mobiles.map((mobile) => touch(sandbox, mobile)));
        await waitFor(() => sandbox.stats().received === 16, { what: `round ${round}` });
        const truth = await waitFor(
          async () => {
            const truth = await readTruth(sandbox.truthFile);
            return truth.acceptedCount + truth.ignoredCount === 16 ? truth : null;
          },
          { what: 'sixteen outcomes' },
        );
        outcomes.push([...truth.acceptedByMobile.keys()].sort());
        expect(truth.chargedMicro).toBe(truth.acceptedCount * 800_000);
      }
      expect(outcomes[0]).toEqual(outcomes[1]);
      expect(outcomes[0]?.length).toBeGreaterThan(0);
      expect(outcomes[0]?.length).toBeLessThan(16);
    },
  );

  it('is what the script says where the answer leaves it open', async () => {
    const taken = await startWith('answer: hang, accepted: true');
    const dropped = await startWith('answer: hang, accepted: false');
    for (const [sandbox, count] of [
      [taken, 1],
      [dropped, 0],
    ] as const) {
      await touch(sandbox, MOBILE);
      await waitFor(() => sandbox.stats().accepted + sandbox.stats().ignored === 1, { what: 'the outcome' });
      expect((await readTruth(sandbox.truthFile)).acceptedCount).toBe(count);
    }
  });

  it('is a refusal when the credit does not cover an answer of success', async () => {
    const sandbox = await start({ startBalance: '0.10', faults: { script: script('- answer: 200_no_id') } });
    expect((await send(sandbox.url)).body.responsecode).toBe('1004');
    expect(sandbox.stats().credit).toBe('0.10');
  });
});

/** Sends without caring for the answer. */
async function touch(sandbox: Started, mobile: string): Promise<void> {
  await exchange(sandbox.port, { fields: { mobile }, enough: /./, patienceMs: 60 });
}

function chunksOf(port: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: string[] = [];
    socket.on('data', (chunk) => chunks.push(chunk.toString('latin1')));
    socket.on('end', () => {
      socket.destroy();
      resolve(chunks);
    });
    socket.on('error', reject);
    socket.write(rawSend());
  });
}

function packedBody(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      const length = Number(/content-length: (\d+)/i.exec(all.toString('latin1'))?.[1]);
      const body = all.subarray(all.indexOf('\r\n\r\n') + 4);
      if (body.length < length) return;
      socket.destroy();
      resolve(body);
    });
    socket.on('error', reject);
    socket.write(rawSend());
  });
}
