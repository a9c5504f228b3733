import { hash, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { KeyUsed } from '../../campaign/prepare/preparations.ts';
import { TumaError } from '../../domain/errors.ts';
import type { RequestKey } from '../../ledger/contracts/requests.ts';
import { statusOf } from '../answer-errors.ts';
import type { WebEnv } from '../web-env.ts';
import { ApiError } from './problem.ts';
import { askerOf } from './actor.ts';

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
  /** The launches of this process that are under way. */
  readonly #launches = new Set<string>();

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
    const known = await this.#begin(request, key);
    if (known !== null) return { status: known.status, document: JSON.parse(known.answer) as Document };
    try {
      const done = await work();
      const answer = { status: done.status, answer: JSON.stringify(done.document) };
      await (await this.#env.ledger()).answerRequest({ ...key, ...answer });
      return done;
    } catch (error) {
      await this.#failed(key, error);
      throw error;
    }
  }

  /** Lets only one launch of a key work at a time. What it makes is found by the key, so it keeps no answer. */
  async alone<Result>({ principal, key }: RequestKey, work: () => Promise<Result>): Promise<Result> {
    const name = JSON.stringify([principal, key]);
    if (this.#launches.has(name)) throw underWay();
    this.#launches.add(name);
    try {
      return await work();
    } finally {
      this.#launches.delete(name);
    }
  }

  /** Null: the caller may do it now. */
  async #begin(request: FastifyRequest, key: RequestKey): Promise<{ status: number; answer: string } | null> {
    const now = this.#env.clock.now();
    const given = {
      ...key,
      digest: digestOf(request),
      process: this.#process,
      now,
      forgetBefore: now - DAY_MS,
    };
    const known = await (await this.#env.ledger()).beginRequest(given);
    if (known.begun === 'answered') return known;
    if (known.begun === 'running') throw underWay();
    if (known.begun === 'other') throw keyUsed();
    if (known.begun === 'left')
      throw new ApiError('end_unknown', 'Tuma was stopped during this request, so its end is not known.', {
        hint: 'Look what came of it; then ask again with another key.',
      });
    return null;
  }

  /** After an error: what a person must mend was not done, and of a failure nobody knows. */
  async #failed(key: RequestKey, error: unknown): Promise<void> {
    const ledger = await this.#env.ledger();
    const isUndone = error instanceof ApiError || (error instanceof TumaError && statusOf(error) < 500);
    await (isUndone ? ledger.forgetRequest(key) : ledger.leaveRequest(key));
  }
}

function underWay(): ApiError {
  return new ApiError('in_progress', 'A request with this Idempotency-Key is under way.');
}

function keyUsed(): ApiError {
  return new ApiError('key_used', 'This Idempotency-Key was used for another request.');
}

/** The key of a preparation. All share one table, so the principal is a part of it. */
export function preparationKey(request: FastifyRequest, { principal, key }: RequestKey) {
  return { key: JSON.stringify([principal, key]), digest: digestOf(request) };
}

/** A key that came before with another request is the program's mistake. */
export function orKeyUsed(error: unknown): unknown {
  return error instanceof KeyUsed ? keyUsed() : error;
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
  return { principal: askerOf(request).account, key };
}

/** What a key is bound to. */
function digestOf({ method, url, body }: FastifyRequest): string {
  return hash('sha256', JSON.stringify([method, url, body ?? null]), 'hex');
}
