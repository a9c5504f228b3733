import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import { AdvicePart, advicePart } from './schemas/advice.ts';
import { statusOf } from '../answer-errors.ts';
import { NotAllowed } from '../session/not-allowed.ts';
import type { WebEnv } from '../web-env.ts';

/** The codes that only the API has, beside those of docs/errors.md; docs/api.md has the same table. */
export const API_CODES = {
  not_signed_in: { status: 401, means: 'No token, or one that is unknown, removed or ended.' },
  not_allowed: { status: 403, means: 'The role of the token does not allow this.' },
  request_invalid: {
    status: 422,
    means: 'The body, the query or a header is wrong; `errors` names each place.',
  },
  request_unreadable: { status: 400, means: 'The request cannot be read, such as a body that is no JSON.' },
  not_here: { status: 404, means: 'There is no such address or method.' },
  in_progress: { status: 409, means: 'A request with this `Idempotency-Key` is under way: ask again later.' },
  end_unknown: {
    status: 409,
    means: 'Tuma was stopped during the request with this key. Look what came of it; then use another key.',
  },
  answers_needed: {
    status: 409,
    means: 'The plan has questions that `accept` does not answer; `questions` names them.',
  },
  count_changed: { status: 409, means: 'The order would mean another number than was shown; `now` has it.' },
  changed: { status: 412, means: 'It changed since the `ETag` that `If-Match` names: look again.' },
  too_many_rows: {
    status: 422,
    means: 'The file has too many rows to be answered at once; `hint` says how it is made.',
  },
  too_large: { status: 413, means: 'The body is larger than allowed.' },
  wrong_type: { status: 415, means: 'The content type is none that this address takes.' },
  key_used: { status: 422, means: 'The `Idempotency-Key` was used for another request.' },
  match_needed: { status: 428, means: 'Send `If-Match` with the `ETag` of what was seen.' },
  too_many: { status: 429, means: 'Too many requests in a minute, or more than a hundred at once.' },
} as const;
/** One of API_CODES. */
export type ApiCode = keyof typeof API_CODES;

/** The answer to a request that cannot be done (RFC 9457), as `application/problem+json`. */
export const Problem = z
  .object({
    type: z.string().describe('`urn:tuma:error:` and the code.'),
    title: z.string().describe('One sentence without numbers, texts and credentials.'),
    status: z.int(),
    code: z.string().describe('Stable: one of docs/errors.md, or of the table in docs/api.md.'),
    hint: z.string().nullable().describe('What to do.'),
    advice: AdvicePart.nullable().describe('The way on, as data.'),
    where: z.string().nullable().describe('The place: a field, or file:line:column.'),
    errors: z
      .array(z.object({ path: z.array(z.string()), message: z.string() }))
      .optional()
      .describe('All that is wrong with the request.'),
    questions: z.array(z.string()).optional().describe('Of `answers_needed`.'),
    preparation: z.string().optional().describe('The preparation that stays, to be mended or launched.'),
    now: z.int().optional().describe('Of `count_changed`.'),
  })
  .meta({ id: 'Problem' });

/** More facts of a problem. */
export type ProblemFacts = Partial<
  Pick<z.output<typeof Problem>, 'hint' | 'advice' | 'where' | 'errors' | 'questions' | 'preparation' | 'now'>
>;

/** A problem with a code of API_CODES. `message` holds no number, text or credential. */
export class ApiError extends Error {
  readonly code: ApiCode;
  readonly facts: ProblemFacts;

  constructor(code: ApiCode, message: string, facts: ProblemFacts = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}

/** Answers each error below /api as problem+json. */
export function answerProblems(api: FastifyInstance, env: WebEnv): void {
  api.setNotFoundHandler((request, reply) =>
    send(
      reply,
      request.who === null
        ? problemOf(new NotAllowed(401))
        : problemOf(new ApiError('not_here', 'There is no such address.')),
    ),
  );
  api.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem.status >= 500) logFailure(env, request, error);
    return send(reply, problem);
  });
}

function logFailure({ log }: WebEnv, request: FastifyRequest, error: unknown): void {
  log.error({ error: maskText(String(error)), route: request.routeOptions.url ?? '' }, 'an API call failed');
}

function send(reply: FastifyReply, problem: z.output<typeof Problem>): FastifyReply {
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply
    .code(problem.status)
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem));
}

/** The problem of an error. */
export function problemOf(error: unknown): z.output<typeof Problem> {
  if (error instanceof ApiError) return made(error.code, error.message, error.facts);
  if (error instanceof TumaError) {
    const { code, message, hint, where } = error;
    const advice = advicePart(error.advice);
    const title = message === '' ? 'There is no such thing.' : message;
    return { type: typeOf(code), title, status: statusOf(error), code, hint, advice, where };
  }
  if (error instanceof NotAllowed)
    return error.status === 401
      ? made('not_signed_in', 'A token is needed.', { hint: 'Send Authorization: Bearer TOKEN.' })
      : made('not_allowed', 'This token may not do that.');
  return problemOfFramework(error as Partial<FastifyError>);
}

function problemOfFramework(error: Partial<FastifyError>): z.output<typeof Problem> {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.map(({ instancePath, message = '' }) => ({
      path: instancePath.split('/').slice(1),
      message,
    }));
    return made('request_invalid', `The ${error.validationContext ?? 'request'} is wrong.`, { errors });
  }
  if (String(error.code).startsWith('FST_CSRF'))
    return made('not_allowed', 'The token of the form is missing.');
  const { statusCode = 500 } = error;
  if (statusCode === 413) return made('too_large', 'The body is too large.');
  if (statusCode === 415) return made('wrong_type', 'This address takes another content type.');
  if (statusCode === 429) return made('too_many', 'Too many requests: wait a minute.');
  if (statusCode < 500) return made('request_unreadable', 'The request cannot be read.');
  const title = 'Tuma could not do this. What was done is kept.';
  return {
    type: typeOf('internal'),
    title,
    status: 500,
    code: 'internal',
    hint: null,
    advice: null,
    where: null,
  };
}

function made(code: ApiCode, title: string, facts: ProblemFacts = {}): z.output<typeof Problem> {
  return {
    type: typeOf(code),
    title,
    status: API_CODES[code].status,
    code,
    hint: null,
    advice: null,
    where: null,
    ...facts,
  };
}

function typeOf(code: string): string {
  return `urn:tuma:error:${code}`;
}
