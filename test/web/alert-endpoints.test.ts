import { beforeAll, expect, test } from 'vitest';
import { alertReceiver, signedBy } from '../support/alert-receiver.ts';
import { ApiHere } from '../support/api-here.ts';
import { LedgerStory } from '../support/ledger-story.ts';

let story: LedgerStory;
let api: ApiHere;
beforeAll(async () => {
  story = await LedgerStory.begin();
  api = await (await ApiHere.open(story.directory)).as('admin');
});

const PATH = '/alert-endpoints';
const HOOK = 'https://hooks.example.org/PATHSECRET';

test('an endpoint is added with a secret that is shown once, listed without it, and removed', async () => {
  const made = await api.post(PATH, { url: HOOK, events: ['paused', 'finished'], description: 'till' });
  expect(made.status).toBe(201);
  const { id, secret } = made.body as { id: string; secret: string };
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { body } = await api.get(PATH);
  expect(body.endpoints).toEqual([
    {
      id,
      address: 'https://hooks.example.org/…',
      description: 'till',
      events: ['paused', 'finished'],
      added_at: expect.stringMatching(/Z$/),
      added_by: expect.stringMatching(/^program till-/),
      last_success_at: null,
      last_failure_at: null,
      last_failure: null,
    },
  ]);
  const rotated = await api.post(`${PATH}/${id}/rotate`);
  expect(rotated.body.secret).toMatch(/^whsec_/);
  expect(rotated.body.secret).not.toBe(secret);
  expect((await api.call('DELETE', `${PATH}/${id}`)).body).toEqual({ removed: true });
  for (const [method, path] of [
    ['DELETE', `${PATH}/${id}`],
    ['POST', `${PATH}/${id}/rotate`],
    ['POST', `${PATH}/${id}/test`],
  ] as const)
    expect((await api.call(method, path)).body).toMatchObject({ code: 'not_found', status: 404 });
  const audit = await api.get('/audit');
  expect(audit.body.entries.slice(0, 3).map(({ verb }: { verb: string }) => verb)).toEqual([
    'remove_alert_endpoint',
    'renew_alert_secret',
    'add_alert_endpoint',
  ]);
  expect(JSON.stringify(audit.body)).not.toMatch(/whsec_|PATHSECRET/);
});

test('a test is posted at once, signed, and its end is noted', async () => {
  let status = 204;
  const { url, posts } = await alertReceiver((response) => {
    response.writeHead(status, { location: 'https://example.org/' }).end();
  });
  const { id, secret } = (await api.post(PATH, { url })).body as { id: string; secret: string };
  const path = `${PATH}/${id}/test`;
  expect((await api.post(path)).body).toEqual({ delivered: true, failure: null });
  expect(posts.map((post) => signedBy(secret, post))).toMatchObject([{ type: 'tuma.test' }]);
  // A redirect could lead the alert elsewhere.
  status = 302;
  expect((await api.post(path)).body).toEqual({ delivered: false, failure: 'it answered 302' });
  const { endpoints } = (await api.get(PATH)).body;
  expect(endpoints.find((each: { id: string }) => each.id === id)).toMatchObject({
    events: null,
    last_success_at: expect.any(String),
    last_failure_at: expect.any(String),
    last_failure: 'it answered 302',
  });
});

test('a repeat with the same key makes no second one, and the kept answer has no secret', async () => {
  const headers = { 'idempotency-key': 'hook-1' };
  const before = (await api.get(PATH)).body.endpoints.length;
  const first = await api.post(PATH, { url: HOOK }, headers);
  const second = await api.post(PATH, { url: HOOK }, headers);
  expect(second).toMatchObject({ status: 201, body: { id: first.body.id, secret: null } });
  expect((await api.get(PATH)).body.endpoints).toHaveLength(before + 1);
  const rotated = await api.post(`${PATH}/${first.body.id}/rotate`, undefined, headers);
  expect(rotated.body).toMatchObject({ code: 'key_used' });
});

test.each([
  [{ url: 'http://example.org/' }, 'url'],
  [{ url: 'https://user:word@example.org/' }, 'url'],
  [{ url: HOOK, events: [] }, 'events'],
  [{ url: HOOK, events: ['nonsense'] }, 'events'],
])('%j is refused with the place of what is wrong', async (body, place) => {
  const answer = await api.post(PATH, body);
  expect(answer).toMatchObject({ status: 422, body: { code: 'request_invalid' } });
  expect(answer.body.errors[0].path[0]).toBe(place);
  expect(JSON.stringify(answer.body)).not.toContain('user:word');
});

test('no more than 20 are kept', async () => {
  const made = async () => (await api.post(PATH, { url: HOOK })).status;
  for (let many = (await api.get(PATH)).body.endpoints.length; many < 20; many += 1)
    expect(await made()).toBe(201);
  expect(await made()).toBe(422);
});

test('whoever is no admin sees and changes none of them', async () => {
  const approver = await api.as('approver');
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', PATH],
    ['DELETE', `${PATH}/ae_1`],
    ['POST', `${PATH}/ae_1/test`],
    ['POST', `${PATH}/ae_1/rotate`],
  ] as const)
    expect((await approver.call(method, path)).status).toBe(403);
});
