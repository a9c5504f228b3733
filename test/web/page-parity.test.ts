import { beforeAll, expect, test } from 'vitest';
import { readPage } from '../support/markdown.ts';
import { makeTempDir } from '../support/temp-home.ts';
import { WebHere } from '../support/web-here.ts';

/* Everything that pages do can be done by the API, or there is a reason why not. */

/** No program needs it, or none may have it. */
const REASONS = {
  account: 'A lost token must not make another one, or a user, or turn the rule of approval off.',
  session: 'A program has a token, and no session, no password and no language.',
  secret: 'The address of webhooks is a secret.',
  around: 'It is no page of the program: a sign, a way to a page, or the state of the process.',
  paper: 'It is for printing; its numbers are GET /campaigns/{id}/report.',
} as const;

/** Of each route of the pages what does the same in the API, or the reason why nothing does. */
const SAME: readonly (readonly [route: RegExp, same: string])[] = [
  [/ \/users/, 'account'],
  [/ \/(?:language|me|password|sign-in|sign-out|sign-out-everywhere)$/, 'session'],
  [/ \/(?:favicon\.svg|health|metrics|open|openapi\.json)?$/, 'around'],
  [/ \/checks\/webhook$/, 'secret'],
  [/ \/campaigns\/:id\/report\.html$/, 'paper'],
  [/GET \/alerts\/add$|POST \/alerts\/add$/, 'POST /alert-endpoints'],
  [/GET \/alerts(?:\/of\/:id)?$/, 'GET /alert-endpoints'],
  [/ \/alerts\/of\/:id\/remove$/, 'DELETE /alert-endpoints/{id}'],
  [/ \/alerts\/of\/:id\/secret$/, 'POST /alert-endpoints/{id}/rotate'],
  [/ \/alerts\/of\/:id\/test$/, 'POST /alert-endpoints/{id}/test'],
  [/ \/audit$/, 'GET /audit'],
  [/GET \/campaigns$/, 'GET /campaigns'],
  [/ \/campaigns\/:id$/, 'GET /campaigns/{id}'],
  [/ \/campaigns\/:id\/live$/, 'GET /campaigns/{id}/events'],
  [/ \/campaigns\/:id\/(?:contacts|messages)\.(?:csv|xlsx)$/, 'POST /campaigns/{id}/exports'],
  [/ \/campaigns\/:id\/people$/, 'GET /campaigns/{id}/messages'],
  [/ \/campaigns\/:id\/uncertain$/, 'GET /campaigns/{id}/uncertain'],
  [/ \/campaigns\/:id\/uncertain\/:seq$/, 'GET /campaigns/{id}/messages/{seq}'],
  [/ \/campaigns\/:id\/budget$/, 'POST /campaigns/{id}/budget'],
  [/ \/campaigns\/:id\/cancel$/, 'POST /campaigns/{id}/cancel'],
  [/ \/campaigns\/:id\/pause$/, 'POST /campaigns/{id}/pause'],
  [/ \/campaigns\/:id\/rate$/, 'POST /campaigns/{id}/rate'],
  [/ \/campaigns\/:id\/resolve$/, 'POST /campaigns/{id}/resolve'],
  [/ \/campaigns\/:id\/resume$/, 'POST /campaigns/{id}/resume'],
  [/ \/campaigns\/:id\/retry$/, 'POST /campaigns/{id}/retry'],
  [/ \/campaigns\/:id\/skip$/, 'POST /campaigns/{id}/skip'],
  [/ \/campaigns\/new$/, 'POST /preparations'],
  [/GET \/campaigns\/new\/:id(?:\/(?:check|launch|message|when|forecast))?$/, 'GET /preparations/{id}'],
  [/GET \/campaigns\/new\/:id\/contacts$/, 'GET /preparations/{id}/rows'],
  [/GET \/campaigns\/new\/:id\/rejects$/, 'GET /preparations/{id}/rejects'],
  [/POST \/campaigns\/new\/:id\/contacts$/, 'PUT /preparations/{id}/contacts'],
  [/POST \/campaigns\/new\/:id\/(?:message|when)$/, 'PATCH /preparations/{id}'],
  [/POST \/campaigns\/new\/:id\/preview$/, 'GET /preparations/{id}/preview'],
  [/POST \/campaigns\/new\/:id\/discard$/, 'DELETE /preparations/{id}'],
  [/POST \/campaigns\/new\/:id\/ask$/, 'POST /preparations/{id}/ask'],
  [/POST \/campaigns\/new\/:id\/launch$/, 'POST /preparations/{id}/launch'],
  [/POST \/campaigns\/new\/:id\/plan$/, 'POST /preparations/{id}/plan'],
  [/POST \/campaigns\/new\/:id\/refuse$/, 'POST /preparations/{id}/refuse'],
  [/POST \/campaigns\/new\/:id\/test$/, 'POST /preparations/{id}/test'],
  [/ \/checks$/, 'GET /checks'],
  [/GET \/decisions/, 'GET /decisions'],
  [/POST \/decisions\/answers\/:number$/, 'POST /decisions/answers/{answer}/map'],
  [/POST \/decisions\/answers\/:number\/unmap$/, 'POST /decisions/answers/{answer}/unmap'],
  [/POST \/decisions\/words\/:sealed$/, 'POST /decisions/words'],
  [/GET \/erase\/:sealed$/, 'POST /erasures/look'],
  [/POST \/erase\/:sealed$/, 'POST /erasures'],
  [/ \/find/, 'POST /find'],
  [/ \/inbox\.csv$/, 'GET /inbox'],
  [/ \/inbox$/, 'GET /conversations'],
  [/ \/inbox\/:id$/, 'GET /conversations/{id}'],
  [/ \/inbox\/:id\/decision$/, 'POST /inbox/{id}/decide'],
  [/ \/inbox\/:id\/file$/, 'GET /inbox/{id}/file'],
  [/ \/messages\/:campaign\/:seq$/, 'GET /campaigns/{id}/messages/{seq}'],
  [/ \/messages\/:campaign\/:seq\/cancel$/, 'POST /campaigns/{id}/cancel-person'],
  [/ \/money/, 'GET /statement'],
  [/GET \/optouts(?:\.csv)?$/, 'GET /optouts'],
  [/POST \/optouts$|GET \/optouts\/:sealed$/, 'POST /optouts/find'],
  [/ \/optouts\/:sealed\/add$/, 'POST /optouts'],
  [/ \/optouts\/:sealed\/remove$/, 'POST /optouts/remove'],
  [/ \/optouts\/import$/, 'POST /optouts/import'],
  [/GET \/purge$/, 'GET /purges/look'],
  [/POST \/purge$/, 'POST /purges'],
  [/ \/reminders$/, 'GET /calendar'],
  [/ \/tasks\/:id$/, 'GET /tasks/{id}'],
  [/ \/tasks\/:id\/again$/, 'POST /tasks/{id}/again'],
  [/ \/tasks\/:id\/file$/, 'GET /tasks/{id}/file'],
  [/ \/webhooks\/:id$/, 'GET /webhooks/{id}'],
];

let operations: Set<string>;
let routes: string[];
beforeAll(async () => {
  const { paths } = JSON.parse(readPage('docs/openapi.json')) as { paths: Record<string, object> };
  const each = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  operations = new Set(each);
  const web = await WebHere.open(makeTempDir());
  routes = web.routes
    .filter(({ method, url }) => method !== 'HEAD' && !/^\/(?:api|assets)\//.test(url))
    .map(({ method, url }) => `${method} ${url}`);
});

test('each route of the pages has its operation of the API, or the reason why it has none', () => {
  const without = routes.filter((route) => !SAME.some(([pattern]) => pattern.test(route)));
  expect(without).toEqual([]);
});

test('each operation that is named is there, and each line is about a route', () => {
  const named = SAME.map(([, same]) => same).filter((same) => !(same in REASONS));
  expect(named.filter((same) => !operations.has(same))).toEqual([]);
  const idle = SAME.filter(([pattern]) => !routes.some((route) => pattern.test(route)));
  expect(idle.map(([pattern]) => pattern.source)).toEqual([]);
});
