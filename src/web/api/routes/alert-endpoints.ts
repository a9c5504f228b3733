import { z } from 'zod';
import {
  addAlertEndpoint,
  MOST_DESCRIPTION,
  removeAlertEndpoint,
  renewAlertSecret,
  testAlertEndpoint,
} from '../../../campaign/people/alert-endpoints.ts';
import { CHOSEN_CAUSES } from '../../../domain/alert.ts';
import { type AddressProblem, readEndpointUrl, shownAddress } from '../../../domain/alert-endpoint.ts';
import type { AlertEndpointRow } from '../../../ledger/contracts/alert-endpoints.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { endpointOrder } from '../../endpoint-order.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { done } from '../once.ts';
import { ApiError } from '../problem.ts';
import { ORDER_HEADERS, Time } from '../schemas/common.ts';

const tags = ['Alerts'];
const ADMIN = { may: 'admin' } as const;
const params = z.object({ id: z.string() });
const headers = z.looseObject(ORDER_HEADERS);

const Events = z.array(z.enum(CHOSEN_CAUSES)).min(1);
const Secret = z
  .string()
  .nullable()
  .describe('The key that signs, shown this once; null: a repeat of the request, so make a new one.');

const Endpoint = z
  .object({
    id: z.string(),
    address: z.string().describe('Without path and query, which may be a credential of the receiver.'),
    description: z.string(),
    events: Events.nullable().describe('Null: all, also those that come with a later Tuma.'),
    added_at: Time,
    added_by: z.string(),
    last_success_at: Time.nullable().describe('When it last took an alert or a test.'),
    last_failure_at: Time.nullable(),
    last_failure: z.string().nullable().describe('Why it did not take it.'),
  })
  .meta({ id: 'AlertEndpoint' });

/** The addresses that get alerts: listed, added, tested, removed. */
export function alertEndpointRoutes(api: Api, env: ApiEnv): void {
  listRoute(api, env);
  addRoute(api, env);
  removeRoute(api, env);
  rotateRoute(api, env);
  testRoute(api, env);
}

function listRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/alert-endpoints',
    {
      config: ADMIN,
      schema: {
        tags,
        summary: 'The addresses that get alerts, beside those of the settings',
        response: { 200: z.object({ endpoints: z.array(Endpoint) }) },
      },
    },
    async () => ({ endpoints: (await (await web.reader()).alertEndpoints()).map(endpointOf) }),
  );
}

function endpointOf(row: AlertEndpointRow): z.output<typeof Endpoint> {
  return {
    id: row.id,
    address: shownAddress(row.url),
    description: row.description,
    events: row.causes === null ? null : CHOSEN_CAUSES.filter((cause) => row.causes?.includes(cause)),
    added_at: isoTime(row.addedAt),
    added_by: row.addedBy,
    last_success_at: row.successAt === null ? null : isoTime(row.successAt),
    last_failure_at: row.failureAt === null ? null : isoTime(row.failureAt),
    last_failure: row.failure,
  };
}

function addRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/alert-endpoints',
    {
      config: ADMIN,
      schema: {
        tags,
        summary: 'Add an address that gets alerts, signed as Standard Webhooks',
        description: 'It gets what happens from now on, at least once, and is tried again for a day.',
        headers,
        body: z.strictObject({
          url: z.string().max(2_000).describe('https, or http to this machine; without user and password.'),
          events: Events.optional().describe('Left out: all.'),
          description: z.string().trim().max(MOST_DESCRIPTION).default('').describe('For people to see.'),
        }),
        response: { 201: z.object({ id: z.string(), secret: Secret }) },
      },
    },
    async (request, reply) => {
      const { events, description } = request.body;
      const url = urlOf(request.body.url);
      let secret: string | null = null;
      const { document } = await repeats.once(request, async () => {
        const asked = { url, description, causes: events ?? null };
        const made = await addAlertEndpoint(await endpointOrder(request, web), asked);
        // Answers are kept for repeats, and the secret is not.
        ({ secret } = made);
        return done({ id: made.id });
      });
      return reply.code(201).send({ ...document, secret });
    },
  );
}

const PROBLEMS: Readonly<Record<AddressProblem, string>> = {
  unreadable: 'is not an https address',
  not_https: 'must be https; http only leads to this machine (127.0.0.1, localhost)',
  credentials: 'must not hold a user and a password',
  too_long: 'is too long',
};

function urlOf(text: string): string {
  const read = readEndpointUrl(text);
  if ('url' in read) return read.url;
  throw new ApiError('request_invalid', 'The address is wrong.', {
    errors: [{ path: ['url'], message: PROBLEMS[read.problem] }],
  });
}

function removeRoute(api: Api, { web }: ApiEnv): void {
  api.delete(
    '/alert-endpoints/:id',
    {
      config: ADMIN,
      schema: {
        tags,
        summary: 'Remove an address: it gets nothing more',
        params,
        response: { 200: z.object({ removed: z.literal(true) }) },
      },
    },
    async (request) => {
      await removeAlertEndpoint(await endpointOrder(request, web), request.params.id);
      return { removed: true as const };
    },
  );
}

function rotateRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/alert-endpoints/:id/rotate',
    {
      config: ADMIN,
      schema: {
        tags,
        summary: 'Make a new secret; the one before signs nothing more',
        params,
        headers,
        body: z.strictObject({}).nullish(),
        response: { 200: z.object({ secret: Secret }) },
      },
    },
    async (request) => {
      let secret: string | null = null;
      await repeats.once(request, async () => {
        ({ secret } = await renewAlertSecret(await endpointOrder(request, web), request.params.id));
        return done({});
      });
      return { secret };
    },
  );
}

function testRoute(api: Api, { web }: ApiEnv): void {
  api.post(
    '/alert-endpoints/:id/test',
    {
      config: ADMIN,
      schema: {
        tags,
        summary: 'Post one test to an address at once',
        params,
        body: z.strictObject({}).nullish(),
        response: {
          200: z.object({
            delivered: z.boolean(),
            failure: z.string().nullable().describe('Why the receiver did not take it.'),
          }),
        },
      },
    },
    async ({ params: { id } }) => {
      const post = { ledger: await web.ledger(), clock: web.clock, post: web.postAlert };
      const failure = await testAlertEndpoint(post, id);
      return { delivered: failure === null, failure };
    },
  );
}
