import { gzipSync } from 'node:zlib';
import type { ServerResponse } from 'node:http';
import { type AnswerName, REFUSAL_CODES } from './answers.ts';
import type { Answer } from '../faults/faults.ts';
import type { AcceptedEntry } from '../truth/truth-entry.ts';

/** The parts of an answer. */
export interface AnswerFor {
  response: ServerResponse;
  answer: Answer;
  /** The accepted message; null: not accepted. */
  accepted: AcceptedEntry | null;
}

const JSON_TYPE = 'application/json';
const BOMB_BYTES = 32 * 1024 * 1024;
const LONG_HEADER_BYTES = 65_536;

/** A whole answer; without a `type` it is JSON. */
interface Reply {
  status: number;
  body: string | Buffer;
  type?: string;
  headers?: Record<string, string>;
}

/** Sends a whole answer at once. */
export function sendBody(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, {
    'content-type': reply.type ?? JSON_TYPE,
    'content-length': Buffer.byteLength(reply.body),
    ...reply.headers,
  });
  response.end(reply.body);
}

/** A failure: a response code and words for a person. */
export interface Failure {
  code: string;
  description: string;
}

/** Writes the body of a failure. The API document shows none, so the keys are those of a success. */
export function failureBody({ code, description }: Failure): string {
  return JSON.stringify({ responsecode: code, responsedescription: description });
}

/** The success of a send (API document 2.2): all strings. `changes` replaces or, with undefined, drops fields. */
export function successBody(
  message: Pick<AcceptedEntry, 'mobile' | 'messageid' | 'network' | 'cost'>,
  changes: Record<string, unknown> = {},
): string {
  return JSON.stringify({
    responsecode: '200',
    responsedescription: 'Success',
    mobile: message.mobile,
    messageid: message.messageid,
    networkid: message.network,
    messagecost: message.cost,
    ...changes,
  });
}

/** The success of a balance check (API document 2.4). */
export function balanceBody(account: { credit: string; clientId: string }): string {
  return JSON.stringify({ 'response-code': 200, credit: account.credit, clientId: account.clientId });
}

/** The answers that are proper HTTP. `dlr_before_response` and `200_dup_id` differ only in earlier steps. */
export const httpAnswers = {
  ok: success(),
  delay: success(),
  dlr_before_response: success(),
  '200_dup_id': success(),
  '200_no_id': success(() => ({ messageid: undefined })),
  '200_wrong_mobile': success(({ mobile }) => ({ mobile: otherMobile(mobile) })),
  '200_number_code': success(() => ({ responsecode: 200 })),
  '200_bad_cost': success(({ cost }) => ({ messagecost: cost.replace('.', ',') })),
  '200_number_id': ({ response, accepted }: AnswerFor) => {
    const body = successBody(messageOf(accepted)).replace(/"messageid":"(\d+)"/, '"messageid":$1');
    sendBody(response, { status: 200, body });
  },
  '200_fail_code': ({ response, answer }: AnswerFor) => {
    const body = failureBody({ code: answer.code, description: wordsOf(answer.code) });
    sendBody(response, { status: 200, body });
  },
  '200_garbage': fixed({ status: 200, body: '{"responsecode":"200","messageid"\u0000<<<\u001b]0;x\u0007' }),
  '200_empty': fixed({ status: 200, body: '' }),
  '400_json': fixed({
    status: 400,
    body: failureBody({ code: '1010', description: 'Missing required field: message' }),
  }),
  '401_json': fixed({ status: 401, body: errorBody('Invalid API key or secret') }),
  '429': tryLater({ status: 429, body: errorBody('Too many requests') }),
  '500': fixed({ status: 500, body: errorBody('Internal server error') }),
  '503': fixed({ status: 503, body: errorBody('Service unavailable') }),
  '503_retry_after': tryLater({ status: 503, body: errorBody('Try again later') }),
  html_502: fixed({
    status: 502,
    body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
    type: 'text/html',
  }),
  redirect_307: fixed({ status: 307, body: '', headers: { location: '/sandbox/redirected' } }),
  gzip_bomb: ({ response }: AnswerFor) => {
    sendBody(response, { status: 200, body: bomb(), headers: { 'content-encoding': 'gzip' } });
  },
  '64k_header': fixed({
    status: 200,
    body: '{"responsecode":"200"}',
    headers: { 'x-long': 'x'.repeat(LONG_HEADER_BYTES) },
  }),
} satisfies Partial<Record<AnswerName, (reply: AnswerFor) => void>>;

function fixed(reply: Reply) {
  return ({ response }: AnswerFor): void => {
    sendBody(response, reply);
  };
}

function tryLater(reply: Reply) {
  return ({ response, answer }: AnswerFor): void => {
    sendBody(response, { ...reply, headers: { 'retry-after': String(answer.retryAfterSeconds) } });
  };
}

/** The body of a failure that names no response code (API document section 7). */
export function errorBody(message: string): string {
  return JSON.stringify({ status: 'error', message });
}

function success(change: (message: AcceptedEntry) => Record<string, unknown> = () => ({})) {
  return ({ response, accepted }: AnswerFor): void => {
    const message = messageOf(accepted);
    sendBody(response, { status: 200, body: successBody(message, change(message)) });
  };
}

/** The accepted message of an answer that reports success. */
export function messageOf(accepted: AcceptedEntry | null): AcceptedEntry {
  if (accepted === null) throw new Error('An answer of success for a message that was not accepted.');
  return accepted;
}

/** Another number: only the last digit differs. */
export function otherMobile(mobile: string): string {
  return mobile.slice(0, -1) + String((Number(mobile.at(-1)) + 1) % 10);
}

const WORDS: Record<string, string> = {
  '1001': 'Invalid sender id',
  '1002': 'Network not allowed',
  '1003': 'Invalid mobile number',
  '1004': 'Low bulk credits',
  '1005': 'Failed. System error',
  '1006': 'Invalid credentials',
  '1007': 'Failed. System error',
  '1008': 'No delivery report',
  '1009': 'Unsupported data type',
  '1010': 'Unsupported request type',
  '4090': 'Internal error. Try again after 5 minutes',
};

/** The description of a response code (provider's family, 5.2). */
export function wordsOf(code: string): string {
  return WORDS[code] ?? (REFUSAL_CODES.has(code) ? 'Request refused' : 'Unknown state');
}

let bombBytes: Buffer | null = null;

/** Made once, at the first use. */
function bomb(): Buffer {
  bombBytes ??= gzipSync(Buffer.alloc(BOMB_BYTES));
  return bombBytes;
}
