import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ask } from '../../src/runtime/health/http-get.ts';
import { openCollector } from '../collector/open-collector.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';
import { failure } from './v2-command-line.ts';

/* What answers where the collector should be need not be one. */

const TOKEN = 'abcdefghijklmnopqrstuvwxyz';
async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function webhookCheck(url: string) {
  const env = { TUMA_HOME: makeTempDir(), TUMA_PUBLIC_URL: url };
  const { stdout } = await tuma(['doctor', '--json'], { env });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; detail: string }[] };
  return checks.find(({ name }) => name === 'webhook');
}

const trigger = (url: string, settings: Record<string, string> = {}) =>
  tuma(['trigger', 'report', 'm-1', '--json'], {
    env: { TUMA_HOME: makeTempDir(), TUMA_WEBHOOK_TOKEN: TOKEN, TUMA_PORT: new URL(url).port, ...settings },
  });

const STRANGERS: [string, RequestListener][] = [
  ['a login page', (_request, response) => response.end('<html><form>Log in</form></html>')],
  ['an answer of another program', (_request, response) => response.end('{"status":"fine","uptime":7}')],
  ['nothing', (_request, response) => response.end()],
  ['text that is no JSON', (_request, response) => response.end('ok')],
  ['JSON that is no object', (_request, response) => response.end('"ok"')],
  [
    'a body without an end',
    (_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('{"status":"ok"}'.repeat(1_000)));
      };
      response.on('drain', more);
      more();
    },
  ],
];

describe('doctor', () => {
  it.each(STRANGERS)('does not take %s for a collector', async (_what, answer) => {
    const url = await listening(answer);
    expect(await webhookCheck(url)).toMatchObject({
      state: 'warn',
      detail: `${url} answers 200, but not as a collector does`,
      hint: expect.stringContaining('does your proxy lead to it?') as string,
    });
  });

  it('knows a collector, and one that cannot take webhooks', async () => {
    const { collector, store } = await openCollector({ tokens: [TOKEN] });
    store.result = 'busy';
    expect(await webhookCheck(collector.url)).toMatchObject({
      state: 'warn',
      detail: `the collector at ${collector.url} cannot take webhooks now`,
    });
    const { collector: well } = await openCollector({ tokens: [TOKEN] });
    expect(await webhookCheck(well.url)).toMatchObject({
      state: 'ok',
      detail: `a collector answers at ${well.url}`,
    });
  });
});

describe('trigger', () => {
  it.each([
    ...STRANGERS,
    ['what is nearly right', (_, response) => response.end('OK\n')] as (typeof STRANGERS)[0],
  ])('does not say that a collector took it at %s', async (_what, answer) => {
    const url = await listening(answer);
    expect(failure(await trigger(url))).toMatchObject({
      exit: 1,
      code: 'collector_failed',
      message: `What listens at ${url} answered 200, but not as a collector does.`,
      hint: expect.stringMatching(/TUMA_PORT.*TUMA_PROFILE/) as string,
    });
  });

  it('knows a collector by the answer of the profile', async () => {
    const profile = join(makeTempDir(), 'profile.json');
    writeFileSync(profile, '{"webhook_answer":"ACK/Jasmin"}');
    const { collector, store } = await openCollector({ tokens: [TOKEN], answer: 'ACK/Jasmin' });
    expect((await trigger(collector.url, { TUMA_PROFILE: profile })).code).toBe(0);
    expect(store.bodies()).toHaveLength(1);
    expect(failure(await trigger(collector.url))).toMatchObject({ code: 'collector_failed' });
  });
});

describe('asking', () => {
  it('ends with its signal when nothing comes', async () => {
    const late = new Error('too late');
    const silent = new AbortController();
    const nobody = await listening(() => silent.abort(late));
    await expect(ask(nobody, { signal: silent.signal })).rejects.toBe(late);
  });

  it('has no body of an answer that breaks off', async () => {
    const url = await listening((_request, response) => {
      response.write('{"status":', () => response.destroy());
    });
    const { signal } = new AbortController();
    expect(await ask(url, { signal })).toMatchObject({ status: 200, body: null });
  });
});
