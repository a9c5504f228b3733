import { expect, test } from 'vitest';
import { alertReceiver, signedBy } from '../support/alert-receiver.ts';
import { waitFor } from '../support/wait-for.ts';
import { contacts, openPlace } from './harness.ts';

/* A program that wants alerts, against the whole of Tuma. No setting names a way for alerts. */

const PAGES = /pages +(http:\/\/[\d.]+:\d+)/;
const at = openPlace();

test('a program adds its address while Tuma runs, hears of the end of a campaign, and no log names its secret', async () => {
  const place = at();
  const { url: hook, posts } = await alertReceiver();
  const served = place.start(['serve']);
  await served.printed(PAGES);
  const [, url = ''] = PAGES.exec(served.stdout() + served.stderr()) ?? [];
  const added = await place.json(['tokens', 'add', 'till', '--role', 'admin']);
  const { token } = added as unknown as { token: string };
  const call = async (method: string, path: string, body?: object | string) => {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, string>;
  };
  const launch = async (name: string, file: string) => {
    const { id } = await call('POST', '/contacts', file);
    const text = { kind: 'transactional', sender: 'DUKA', message: 'Hi <<name>>', contacts: id };
    const plan = { name, ...text, accept: ['new_ledger'] };
    await waitFor(async () => (await call('POST', '/campaigns', plan))['id'] ?? null, { what: name });
  };
  const { id = '', secret = '' } = await call('POST', '/alert-endpoints', {
    url: hook,
    events: ['finished'],
  });
  await launch('first', contacts(3));
  await waitFor(() => posts.length > 0, { what: 'the alert' });
  expect(posts.map((post) => signedBy(secret, post))).toMatchObject([
    { type: 'tuma.finished', data: { campaign: { name: 'first' }, sent: 3 } },
  ]);
  await waitFor(
    async () => JSON.stringify(await call('GET', '/alert-endpoints')).includes('"last_success_at":"'),
    { what: 'the list' },
  );
  expect(await call('DELETE', `/alert-endpoints/${id}`)).toEqual({ removed: true });
  await served.stop();
  expect(posts).toHaveLength(1);
  for (const hidden of [secret, secret.slice(6), 'PATHSECRET', 'QUERYSECRET'])
    expect(served.stdout() + served.stderr()).not.toContain(hidden);
});
