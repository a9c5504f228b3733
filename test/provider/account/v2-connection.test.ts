import { expect, test } from 'vitest';
import { CERTIFICATE, recordingOffers } from '../certificate.ts';
import { startRawServer } from '../raw-server.ts';
import { makeTempDir } from '../../support/temp-home.ts';
import { connectV2, give, ID, into, startV2Server } from './v2-support.ts';

/** Answers to a download whose body is of no use. */
const UNREAD: [status: number, headers: Record<string, string>][] = [
  [200, {}],
  [200, { 'content-encoding': 'gzip' }],
  [206, {}],
  [302, { location: '/elsewhere' }],
  [404, { 'content-encoding': 'gzip' }],
];

test('a certificate is held against the authority that the settings name, and only HTTP/1.1 is offered', async () => {
  const offered: string[][] = [];
  await using server = await startRawServer({ tls: recordingOffers(offered) });
  const told = async (ca?: string) => connectV2(server.url, ca === undefined ? {} : { ca }).credits();
  expect(await told()).toMatchObject({ words: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') });
  // Vouched for now, but of another name.
  expect(await told(CERTIFICATE)).toMatchObject({ words: expect.stringContaining('ALTNAME_INVALID') });
  expect(offered).toEqual([['http/1.1'], ['http/1.1']]);
  expect(server.readBytes()).toBe(0);
});

test('a download ends at its deadline, also where its caller may end it earlier', async () => {
  const server = await startV2Server(() => {});
  const request = { id: ID, ...into(makeTempDir()), deadlineMs: 100, signal: new AbortController().signal };
  expect(await connectV2(server.url).downloadMedia(request)).toMatchObject({
    outcome: 'unknown',
    words: 'no whole answer within the deadline',
  });
});

test('an answer that is not read to its end holds up none that come after it', async () => {
  const long = Buffer.alloc(1_000_000, ' ');
  const server = await startV2Server((response, { url = '' }) => {
    if (url.includes('credits')) return give({ credits: '5.00' })(response);
    const [status, headers] = UNREAD[server.requests.length % UNREAD.length] ?? [200, {}];
    give(long, { status, headers })(response);
  });
  const api = connectV2(server.url);
  const out = makeTempDir();
  for (let asked = 0; asked < 3 * UNREAD.length; asked++)
    expect(await api.downloadMedia({ id: ID, ...into(out), maxBytes: 1_000 })).not.toMatchObject({
      outcome: 'saved',
    });
  expect(await api.credits()).toMatchObject({ outcome: 'credits' });
});
