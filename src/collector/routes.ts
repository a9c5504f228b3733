import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../campaign/env.ts';
import type { ReceivedWebhook } from '../campaign/inbound/store-webhook.ts';
import type { AddressList } from '../domain/numbers/address-list.ts';
import { INERT_HEADERS } from '../system/listen.ts';
import { queryOf } from './token-route.ts';
import { AccessCheck, type AccessRefusal } from './access-check.ts';
import { Health } from './health.ts';
import { Intake, type Store, type Taken, type TryStore } from './intake.ts';
import type { CollectorLimits } from './limits.ts';
import { RefusalLog } from './refusal-log.ts';

/** What became of a request to the collector. Only `stored` was acknowledged. */
export type CollectorEvent = Taken | AccessRefusal | 'broken';
type Refusal = Exclude<CollectorEvent, 'stored' | 'broken'>;

const NOWHERE_TO_BE_FOUND = { status: 404, text: 'not found' };
const LATER = { status: 503, text: 'try again' };
/** What a refusal is answered with: the same for everybody, so that nothing can be learned from it. */
const REFUSALS: Record<Refusal, { status: number; text: string }> = {
  not_found: NOWHERE_TO_BE_FOUND,
  foreign: NOWHERE_TO_BE_FOUND,
  encoded: { status: 415, text: 'content encodings are not accepted' },
  too_many: { status: 429, text: 'too many requests' },
  crowded: LATER,
  late: LATER,
  busy: LATER,
  full: LATER,
  failed: LATER,
};

const NO_BODY = new Uint8Array();

/** What the routes need: where webhooks go, and the limits. */
export interface RouteOptions {
  store: Store;
  tryStore: TryStore;
  log: Log;
  limits: CollectorLimits;
  onEvent?: (event: CollectorEvent) => void;
  answer: string;
  from?: AddressList | null;
  proxies?: AddressList | null;
}

/** Adds what the collector answers. Whom it does not let in is refused before a byte of the body is read. */
export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { limits, answer, onEvent = () => undefined } = options;
  const intake = new Intake(options.store, limits);
  const refusals = new RefusalLog(options.log);
  const gate = new AccessCheck({ ...options, refusals });
  const health = new Health(options.tryStore, limits.healthDeadlineMs);

  readBytesOfAnyType(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(INERT_HEADERS);
    const refusal = gate.refusalOf(request);
    if (refusal !== null) {
      onEvent(refusal);
      void refuse(reply, refusal);
      return;
    }
    takeOffType(request);
    done();
  });
  app.route({
    method: ['POST', 'GET'],
    url: '/webhook',
    handler: async (request, reply) => {
      const taken = await intake.take(toWebhook(request));
      onEvent(taken);
      health.note(taken);
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
      (await health.isWell()) ? reply.send({ status: 'ok' }) : reply.code(503).send({ status: 'ledger' }),
  });
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    onEvent('broken');
    const status = error.statusCode ?? 500;
    if (status === 413 && request.raw.url !== '/health')
      refusals.note('too_large', { client: request.getDecorator('client') });
    return status < 500 ? reply.code(status).type('text/plain').send('refused') : refuse(reply, 'failed');
  });
}

function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const { status, text } = REFUSALS[refusal];
  if (status === 429 || status === 503) reply.header('retry-after', '1');
  return reply.code(status).type('text/plain').send(text);
}

function readBytesOfAnyType(app: FastifyInstance): void {
  app.decorateRequest('claimedType', '');
  app.decorateRequest('client', '');
  // A report may come in the body of a GET: answered with 200 and not read, it would be lost.
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/**
 * The type that a webhook claims is stored and decides nothing: a sender's mistake must not cost a report, and Fastify
 * would refuse a malformed type before it asks any parser.
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
