import { describe, expect, test } from 'vitest';
import { defaultProfile } from '../../../src/provider/profiles/default.ts';
import { answer, startRawServer, success } from '../raw-server.ts';
import { connect, MOBILE, REQUEST } from '../support.ts';

describe('what is written (API document 2.1, 4.1)', () => {
  test('all five fields, the content type, and the path with or without a trailing slash and a prefix', async () => {
    await using server = await startRawServer({
      onRequest: (socket, request) => socket.write(answer(200, success(request))),
    });
    const message = 'Ünïcode "quotes" \\ \n and 😀 and a lone \ud800';
    for (const [url, trailingSlash, path] of [
      [server.url, false, '/api/services/sendsms'],
      [`${server.url}/`, true, '/api/services/sendsms/'],
      [`${server.url}/gate/way/`, false, '/gate/way/api/services/sendsms'],
    ] as const) {
      await using provider = connect(url, { profile: { ...defaultProfile, trailing_slash: trailingSlash } });
      await provider.send({ ...REQUEST, message });
      const request = server.requests.at(-1);
      expect(request?.path).toBe(path);
      expect(request?.head).toMatch(/content-type: application\/json\r\n/i);
      expect(JSON.parse(request?.body ?? '')).toEqual({
        apikey: 'KEY_CANARY-4f1b',
        apisecret: 'SECRET_CANARY_9d2e',
        message,
        shortcode: 'DUKA',
        mobile: MOBILE,
      });
    }
  });

  test('an address that cannot be used is refused at once, and is not repeated in the error', () => {
    for (const url of [
      'sms.example.com',
      'ftp://sms.example.com',
      'https://me:hunter2@sms.example.com',
      'https://h/?a=b',
    ]) {
      expect(() => connect(url)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
      expect(() => connect(url)).not.toThrow(/hunter2/);
    }
  });
});
