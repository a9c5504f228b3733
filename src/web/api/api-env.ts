import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { WebEnv } from '../web-env.ts';
import type { RepeatedRequests } from './once.ts';

/** The server below /api/v1: routes with zod schemas. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What the routes of the API run with. */
export interface ApiEnv {
  web: WebEnv;
  /** Does what a request with a key asks for once. */
  repeats: RepeatedRequests;
}
