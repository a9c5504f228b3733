import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { webhook } from '../sandbox/webhook.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { tuma } from './command-line.ts';
import { failure } from './v2-command-line.ts';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz';
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

const trigger = (settings: Record<string, string>) => {
  const env = { TUMA_HOME: makeTempDir(), TUMA_WEBHOOK_TOKEN: TOKEN, ...settings };
  return tuma(['trigger', 'report', 'm-1', '--json'], { env });
};

test.each([503, 429, 404, 302])('at an answer %i it fails, with what to look at', async (status) => {
  const { url } = await webhook(() => status);
  expect(failure(await trigger({ TUMA_PORT: new URL(url).port }))).toMatchObject({
    exit: 1,
    code: 'collector_failed',
    message: `What listens at ${new URL(url).origin} answered ${status}.`,
    hint: expect.stringMatching(/TUMA_HOME.*The log of `tuma serve`/) as string,
  });
});

test('where the collector may take any port it asks for that', async () => {
  expect(failure(await trigger({ TUMA_PORT: '0' }))).toMatchObject({
    exit: 2,
    code: 'config_invalid',
    where: 'TUMA_PORT',
    hint: expect.stringContaining('--port N') as string,
  });
});

test.skipIf(!hasIpv6)('it reaches a collector at an IPv6 address', async () => {
  const posted: string[] = [];
  const collector = createServer((request, response) => {
    posted.push(request.url ?? '');
    response.end('OK');
  });
  await once(collector.listen(0, '::1'), 'listening');
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  for (const host of ['::1', '::'])
    expect((await trigger({ TUMA_HOST: host, TUMA_PORT: String(port) })).code).toBe(0);
  expect(posted).toEqual([`/webhooks/${TOKEN}`, `/webhooks/${TOKEN}`]);
});
