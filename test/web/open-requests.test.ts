import { EventEmitter } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OpenRequests } from '../../src/web/session/open-requests.ts';
import type { WebEnv } from '../../src/web/web-env.ts';

let users: string[];
let looks: number;
let open: OpenRequests;

beforeEach(() => {
  vi.useFakeTimers();
  [users, looks] = [['vera'], 0];
  const reader = {
    user: async (name: string) => {
      looks += 1;
      return users.includes(name) ? { id: `user ${name}`, name, role: 'viewer' } : null;
    },
  };
  const config = { dashboardUserHeader: 'x-user', trustedProxies: new Set(['127.0.0.1']) };
  const env = { config, reader: async () => reader } as unknown as WebEnv;
  open = new OpenRequests({ addHook: () => undefined } as unknown as FastifyInstance, env);
});
afterEach(() => vi.useRealTimers());

/** An answer to a user whom the proxy names. `hasGone`: the browser has closed its connection already. */
function answerTo(name: string, hasGone = false): { isEnded: () => boolean } {
  const raw = {
    headers: {},
    headersDistinct: { 'x-user': [name] },
    socket: { remoteAddress: '127.0.0.1' },
  };
  const who = { kind: 'person', name };
  const request = { who, headers: {}, url: '/', raw, routeOptions: { config: { may: 'viewer' } } };
  let isEnded = false;
  const destroy = () => (isEnded = true);
  const reply = { raw: Object.assign(new EventEmitter(), { closed: hasGone, destroyed: hasGone, destroy }) };
  open.add(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { isEnded: () => isEnded };
}

test('an answer to a user whom the proxy names ends once the user is removed', async () => {
  const answer = answerTo('vera');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(answer.isEnded()).toBe(false);
  users = [];
  await vi.advanceTimersByTimeAsync(5_000);
  expect(answer.isEnded()).toBe(true);
});

test('one person has a hundred answers open at most, and others have theirs', () => {
  const ofVera = Array.from({ length: 100 }, () => answerTo('vera'));
  expect(ofVera).toHaveLength(100);
  expect(() => answerTo('vera')).toThrow(expect.objectContaining({ statusCode: 429 }));
  expect(() => answerTo('otto')).not.toThrow();
});

test('whoever has gone before the answer began is not asked about for ever', async () => {
  answerTo('vera', true);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(looks).toBe(0);
});
