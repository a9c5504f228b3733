import { hash, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { TumaError } from '../../domain/errors.ts';
import type { RequestKey } from '../../ledger/requests.ts';
import { statusOf } from '../answer-errors.ts';
import type { WebEnv } from '../web-env.ts';
import { ApiError } from './problem.ts';
import { actorOf } from './actor.ts';

const DAY_MS = 86_400_000;

/** What an order answers: a status and a document without texts and full numbers, because it is kept. */
export interface Done<Document> {
  status: number;
  document: Document;
}

/** What an order that was done answers. */
export function done<Document>(document: Document): Done<Document> {
  return { status: 200, document };
}

/**
 * Requests with the header `Idempotency-Key`: each is done once, and a repeat gets the same answer. The key is kept a
 * day, and bound to principal, method, address and body.
 */
export class RepeatedRequests {
  readonly #env: WebEnv;
  /** A key of another run of the server, without an answer, was left by a kill. */
  readonly #process = randomUUID();

  constructor(env: WebEnv) {
    this.#env = env;
  }

  /** Does `work`, or answers as before. Throws ApiError `in_progress`, `key_used` and `end_unknown`. */
  async once<Document>(
    request: FastifyRequest,
    work: () => Promise<Done<Document>>,
  ): Promise<Done<Document>> {
    const key = keyOf(request);
    if (key === null) return work();
    const ledger = await this.#env.ledger();
    const known = await this.begin(request, key);
    if (known.begun === 'answered')
      return { status: known.status, document: JSON.parse(known.answer) as Document };
    // Only a launch can go on where it was; of any other order nobody knows whether it was done.
    if (known.begun === 'left') throw await this.#unknownEnd(key);
    try {
      const done = await work();
      const answer = { status: done.status, answer: JSON.stringify(done.document), campaign: null };
      await ledger.answerRequest({ ...key, ...answer });
      return done;
    } catch (error) {
      await this.failed(key, error);
      throw error;
    }
  }

  /** Begins a request with a key. Throws ApiError `in_progress` and `key_used`. */
  async begin(request: FastifyRequest, key: RequestKey) {
    const now = this.#env.clock.now();
    const known = await (await this.#env.ledger()).beginRequest({
      ...key,
      digest: digestOf(request),
      process: this.#process,
      now,
      forgetBefore: now - DAY_MS,
    });
    if (known.begun === 'running')
      throw new ApiError('in_progress', 'A request with this Idempotency-Key is under way.');
    if (known.begun === 'other')
      throw new ApiError('key_used', 'This Idempotency-Key was used for another request.');
    return known;
  }

  /** After an error: what a person must mend was not done, and of a failure nobody knows. */
  async failed(key: RequestKey, error: unknown): Promise<void> {
    const ledger = await this.#env.ledger();
    const isUndone = error instanceof ApiError || (error instanceof TumaError && statusOf(error) < 500);
    await (isUndone ? ledger.forgetRequest(key) : ledger.leaveRequest(key));
  }

  async #unknownEnd(key: RequestKey): Promise<ApiError> {
    await (await this.#env.ledger()).leaveRequest(key);
    return new ApiError('end_unknown', 'Tuma was stopped during this request, so its end is not known.', {
      hint: 'Look what came of it; then ask again with another key.',
    });
  }
}

const LONGEST_KEY = 200;

/** The key of a request; null: it has none. Throws ApiError `request_invalid`. */
export function keyOf(request: FastifyRequest): RequestKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key) || key.length > LONGEST_KEY)
    throw new ApiError('request_invalid', 'The Idempotency-Key is wrong.', {
      errors: [
        { path: ['idempotency-key'], message: `must be 1 to ${LONGEST_KEY} characters without spaces` },
      ],
    });
  return { principal: actorOf(request).account, key };
}

function digestOf({ method, url, body }: FastifyRequest): string {
  return hash('sha256', JSON.stringify([method, url, body ?? null]), 'hex');
}
