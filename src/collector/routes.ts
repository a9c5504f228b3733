import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../campaign/env.ts';
import type { ReceivedWebhook } from '../campaign/inbound/store-webhook.ts';
import type { AddressList } from '../domain/numbers/address-list.ts';
import { INERT_HEADERS } from '../system/listen.ts';
import { clientAddress } from '../system/client-address.ts';
import { Intake, type IntakeOptions, type Taken } from './intake.ts';
import { RefusalLog } from './refusal-log.ts';
import { MISPLACED, NOWHERE, queryOf } from './token-route.ts';

/**
 * The result of a request. With the right token: `misplaced` means another path or method, and `foreign` that
 * the sender's address is not allowed.
 */
export type CollectorEvent = Taken | 'not_found' | 'misplaced' | 'foreign' | 'compressed' | 'broken';
type Refusal = Exclude<CollectorEvent, 'stored' | 'broken'>;

const NO_BODY = new Uint8Array();
const PACKED = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd', 'compress', 'x-compress']);

/** The parts behind the routes: the intake, the allowed senders, and the listeners. */
export interface RouteOptions {
  log: Log;
  /** Told of every request, for metrics. */
  onEvent?: (event: CollectorEvent) => void;
  /** The body of the 200: some providers repeat a report until they read an exact text. */
  answer: string;
  /** The allowed senders; null or left out: every sender with a token. */
  from?: AddressList | null;
  /** The path of an address for the log, without the token. */
  shownPath: (url: string) => string;
  /** Proxies whose `X-Forwarded-For` is believed; null or left out: none. */
  proxies?: AddressList | null;
}

/** Adds the two routes. A sender who is not allowed is refused before a byte of the body is read. */
export function addRoutes(app: FastifyInstance, options: RouteOptions & IntakeOptions): void {
  const { answer, from = null, proxies = null, onEvent = () => undefined, shownPath } = options;
  const intake = new Intake(options);
  const refusals = new RefusalLog(options.log);

  readBytesOfAnyType(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(INERT_HEADERS);
    const client = clientAddress(request.raw, proxies);
    request.setDecorator('client', client);
    const refusal = refusalOf(request, { client, from });
    if (refusal === null) {
      takeOffType(request);
      done();
      return;
    }
    if (refusal === 'misplaced') {
      const path = shownPath(request.originalUrl);
      refusals.note(refusal, { client, method: request.method, path });
    } else if (refusal !== 'not_found') refusals.note(refusal, { client });
    else if (hasOtherToken(request) && isAllowed(client, from)) refusals.note('other_token', { client });
    onEvent(refusal);
    void refuse(reply, refusal);
  });
  app.route({
    method: ['POST', 'GET'],
    url: '/webhook',
    handler: async (request, reply) => {
      const taken = await intake.take(toWebhook(request));
      onEvent(taken);
      // The text and not the reply: a promise that ends as a reply waits for that to be sent.
      if (taken === 'stored') return answer;
      refusals.note('not_stored', { why: taken });
      return refuse(reply, taken);
    },
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/health',
    handler: async (_request, reply) =>
      (await intake.isWell()) ? reply.send({ status: 'ok' }) : reply.code(503).send({ status: 'ledger' }),
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    onEvent('broken');
    const status = error.statusCode ?? 500;
    if (status === 413 && request.raw.url !== '/health')
      refusals.note('too_large', { client: request.getDecorator('client') });
    return status < 500 ? reply.code(status).type('text/plain').send('refused') : refuse(reply, 'failed');
  });
}

function refusalOf(
  request: FastifyRequest,
  { client, from }: { client: string; from: AddressList | null },
): 'not_found' | 'misplaced' | 'foreign' | 'compressed' | null {
  if (request.raw.url === NOWHERE) return 'not_found';
  if (request.raw.url === MISPLACED) return 'misplaced';
  if (request.raw.url === '/health') return null;
  if (!isAllowed(client, from)) return 'foreign';
  // It would be stored and never read, and a STOP in it would be lost behind a 200.
  return isPacked(request.headers['content-encoding']) ? 'compressed' : null;
}

function isAllowed(client: string, from: AddressList | null): boolean {
  return from === null || from.has(client);
}

/** Asked of a request that the router does not know. */
function hasOtherToken({ originalUrl, method }: FastifyRequest): boolean {
  return originalUrl.startsWith('/webhooks/') && (method === 'POST' || method === 'GET');
}

function isPacked(codings = ''): boolean {
  return codings.split(',').some((coding) => PACKED.has(coding.trim().toLowerCase()));
}

/** A sender who is not allowed gets the same answer as one with a wrong token, and so learns nothing. */
function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal === 'not_found' || refusal === 'misplaced' || refusal === 'foreign')
    return reply.code(404).type('text/plain').send('not found');
  if (refusal === 'compressed') return reply.code(415).type('text/plain').send('compressed');
  return reply.code(503).header('retry-after', '1').type('text/plain').send('try again');
}

function readBytesOfAnyType(app: FastifyInstance): void {
  app.decorateRequest('claimedType', '');
  app.decorateRequest('client', '');
  // A report may come in the body of a GET, and would be lost if it were not read.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * Keeps the claimed type for the store, and hides it from Fastify, which refuses a malformed one. A sender's
 * mistake must not cost a report.
 */
function takeOffType(request: FastifyRequest): void {
  request.setDecorator('claimedType', request.headers['content-type'] ?? '');
  // Not deleted: that would turn the object into a slower kind.
  request.headers['content-type'] = undefined;
}

function toWebhook(request: FastifyRequest): ReceivedWebhook {
  return {
    method: request.method,
    contentType: request.getDecorator<string>('claimedType'),
    query: queryOf(request.originalUrl),
    body: request.body instanceof Uint8Array ? request.body : NO_BODY,
    ip: request.getDecorator<string>('client'),
  };
}
