import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Api } from './api-env.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The types of a body that is a file. */
    takes?: readonly string[];
  }
}

/** Where the API is. */
export const API_PREFIX = '/api/v1';

/** What the routes do, in the order of docs/api.md. */
const TAGS = [
  { name: 'Campaigns', description: 'What was launched, how it goes, and orders about it.' },
  { name: 'Launch', description: 'Contacts in, a plan out, and the launch.' },
  { name: 'People', description: 'Replies and opt-outs.' },
  { name: 'Account', description: 'Money, decisions about the provider, the audit.' },
  { name: 'Alerts', description: 'The addresses that get alerts.' },
  { name: 'Tasks', description: 'Long work in processes of its own.' },
  { name: 'API', description: 'The API itself.' },
];

const DESCRIPTION = `The use cases of the pages for programs. Times are ISO 8601 in UTC, money is a decimal string in the
currency of the account, and null is not known. Errors are \`application/problem+json\`. A token with the role viewer sees
masked numbers. See docs/api.md.`;

/** Collects the routes that are added from now on into the OpenAPI document. */
export async function describeApi(api: FastifyInstance): Promise<void> {
  await api.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Tuma', version: '1', description: DESCRIPTION.replaceAll('\n', ' ') },
      servers: [{ url: API_PREFIX }],
      tags: TAGS,
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token that an admin made, on the page of the users or at the machine.',
          },
        },
      },
      security: [{ token: [] }],
    },
    transform: (input) => describeRoute(input),
    transformObject: (input) => tidied(jsonSchemaTransformObject(input)),
  });
}

type Transform = typeof jsonSchemaTransform;

/** Adds to each route its name, who may ask it, and the answer of a problem. */
function describeRoute(input: Parameters<Transform>[0]): ReturnType<Transform> {
  const { schema, url } = jsonSchemaTransform(input);
  const { config, method } = input.route;
  const may = config?.may ?? 'admin';
  const role = may === 'open' ? 'Everybody may ask it.' : `Needs the role ${may}.`;
  const text = [schema.description, role].filter((part) => part !== undefined).join(' ');
  const answers = Object.entries((schema.response ?? {}) as Record<string, object>).map(
    ([status, answer]) => [status, 'content' in answer ? answer : jsonAnswer(Number(status), answer)],
  );
  const response = { ...Object.fromEntries(answers), default: PROBLEM_ANSWER };
  const takes = config?.takes;
  const body = takes === undefined ? {} : { body: { content: Object.fromEntries(takes.map(fileBody)) } };
  const security = may === 'open' ? { security: [] } : {};
  const operationId = nameOf(String(method).toLowerCase(), url.slice(API_PREFIX.length));
  return { schema: { ...schema, ...body, ...security, operationId, description: text, response }, url };
}

/** A body that is a file is not read as JSON, so it has no schema of zod. */
function fileBody(type: string): [string, object] {
  return [type, { schema: { type: 'string', format: 'binary' } }];
}

const PROBLEM_ANSWER = {
  description: 'A problem.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'It goes on: ask again.',
};

function jsonAnswer(status: number, schema: object) {
  return { description: STATUS_WORDS[status] ?? 'Done.', content: { 'application/json': { schema } } };
}

/** `post /campaigns/:id/cancel-person` as `postCampaignsIdCancelPerson`. */
function nameOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z]+/).filter((word) => word !== '');
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
interface Operation {
  tags: string[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
}

/** The document without what its makers add and no reader needs. */
function tidied<Document extends object>(document: Document): Document {
  // Each whole number would have this bound.
  const text = JSON.stringify(document, (key, value: unknown) =>
    key.endsWith('imum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value,
  );
  const plain = JSON.parse(text) as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Json> };
  };
  for (const operation of Object.values(plain.paths).flatMap((path) => Object.values(path)))
    if (operation.requestBody !== undefined) optionalBody(operation.requestBody);
  plain.paths = inOrder(plain.paths);
  removeUnused(plain);
  return plain as unknown as Document;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** By subject, then by address: wherever a route is added, the document is the same. */
function inOrder(paths: Record<string, Record<string, Operation>>): typeof paths {
  const names = TAGS.map(({ name }) => name);
  const subjectOf = (path: string) => {
    const [first] = Object.values(paths[path] ?? {});
    return names.indexOf(first?.tags[0] ?? '');
  };
  const ordered = Object.keys(paths).toSorted();
  ordered.sort((one, other) => subjectOf(one) - subjectOf(other));
  return Object.fromEntries(
    ordered.map((path) => {
      const methods = Object.entries(paths[path] ?? {});
      methods.sort(([one], [other]) => METHODS.indexOf(one) - METHODS.indexOf(other));
      return [path, Object.fromEntries(methods)];
    }),
  );
}

/** A body that may be null may be left out. */
function optionalBody(body: NonNullable<Operation['requestBody']>): void {
  for (const media of Object.values(body.content)) {
    const { anyOf } = media.schema as { anyOf?: { type?: string }[] };
    const [only, ...others] = anyOf?.filter(({ type }) => type !== 'null') ?? [];
    if (only === undefined || others.length > 0 || anyOf?.length !== 2) continue;
    media.schema = only as Json;
    body.required = false;
  }
}

/** Each component comes as input and as output; those that nothing names are left out. */
function removeUnused({
  paths,
  components,
}: {
  paths: object;
  components: { schemas: Record<string, Json> };
}) {
  const { schemas } = components;
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      if (!used.has(name)) {
        used.add(name);
        follow(schemas[name] ?? null);
      }
  };
  follow(paths);
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name];
}

/** The document of the API itself, for programs that read it. */
export function documentRoutes(api: Api): void {
  api.get(
    '/openapi.json',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['API'],
        summary: 'This document, as OpenAPI 3.1',
        response: { 200: z.record(z.string(), z.unknown()) },
      },
    },
    () => api.swagger() as unknown as Record<string, unknown>,
  );
  api.get(
    '/me',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['API'],
        summary: 'Whose token this is, and what it may do',
        response: {
          200: z.object({
            kind: z.enum(['home', 'person', 'program']),
            name: z.string(),
            role: z.enum(['viewer', 'operator', 'approver', 'admin']),
          }),
        },
      },
    },
    ({ who }) => {
      const { kind, name, role } = who as NonNullable<typeof who>;
      return { kind, name, role };
    },
  );
}
