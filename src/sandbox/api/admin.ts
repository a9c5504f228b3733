import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Customers } from '../customers/customers.ts';
import type { TruthLog } from '../truth/truth-log.ts';
import type { V2Access } from './v2-endpoints.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, sendBody } from './http-answers.ts';
import { INBOUND_EVENTS, inboundRecord, type InboundFacts } from '../customers/inbound-event.ts';
import { readAmount } from '../money.ts';
import { MEDIA_NAMES } from './sample-media.ts';
import { jsonOf } from './server.ts';

/** The parts behind the paths below `/sandbox`. */
export interface AdminParts {
  state: () => object;
  /** Adds credit, such as "100.00". Resolves when it is recorded. */
  topUp: (amount: string) => Promise<void>;
  setWebhook: (url: string | null) => void;
  customers: Customers;
  access: V2Access;
  truth: TruthLog;
}

interface AdminCall {
  path: string;
  body: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Handles the sandbox's own paths: GET /sandbox/state, POST /sandbox/topup {"amount": "100.00"}, POST
 * /sandbox/webhook {"url": … or null}, POST /sandbox/inbound {"event", "mobile", "text", "media"}, POST
 * /sandbox/replies {"rate": 0.05}, POST /sandbox/token {"token": … or null}.
 */
export function handleAdmin(admin: AdminParts, call: AdminCall): void {
  const { response, request } = call;
  if (call.path === '/sandbox/redirected') {
    admin.truth.append({ event: 'redirect_followed', at: Date.now() });
    refuse(response, { status: 410, message: 'A redirect was followed with credentials in the body' });
    return;
  }
  const act = ACTIONS[`${request.method ?? ''} ${call.path}`];
  if (act === undefined) refuse(response, { status: 404, message: 'No such path' });
  else act(admin, call);
}

const ACTIONS: Record<string, (admin: AdminParts, call: AdminCall) => void> = {
  'GET /sandbox/state': (admin, { response }) => {
    answer(response, admin.state());
  },
  'POST /sandbox/topup': (admin, { body, response }) => {
    const amount = fieldOf(body, 'amount');
    if (typeof amount !== 'string' || readAmount(amount) === null) {
      refuse(response, { status: 400, message: 'amount must be a decimal text: "100.00"' });
      return;
    }
    void admin.topUp(amount).then(() => {
      answer(response, admin.state());
    });
  },
  'POST /sandbox/webhook': (admin, { body, response }) => {
    const url = fieldOf(body, 'url');
    if (url !== null && (typeof url !== 'string' || !URL.canParse(url))) {
      refuse(response, { status: 400, message: 'url must be an address or null' });
      return;
    }
    admin.setWebhook(url);
    answer(response, admin.state());
  },
  'POST /sandbox/inbound': (admin, { body, response }) => {
    const read = inboundOf(jsonOf(body));
    if ('problem' in read) {
      refuse(response, { status: 400, message: read.problem });
      return;
    }
    admin.customers.write(read.facts);
    answer(response, { id: read.facts.id, posted: inboundRecord(read.facts) });
  },
  'POST /sandbox/replies': (admin, { body, response }) => {
    const rate = fieldOf(body, 'rate');
    if (typeof rate !== 'number' || rate < 0 || rate > 1) {
      refuse(response, { status: 400, message: 'rate must be a number from 0 to 1' });
      return;
    }
    admin.customers.replyRate = rate;
    answer(response, admin.state());
  },
  'POST /sandbox/token': (admin, { body, response }) => {
    const token = fieldOf(body, 'token');
    if (token !== null && (typeof token !== 'string' || token === '')) {
      refuse(response, { status: 400, message: 'token must be a text or null' });
      return;
    }
    admin.access.token = token;
    answer(response, admin.state());
  },
};

function fieldOf(body: string, name: string): unknown {
  const parsed = jsonOf(body);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  return (parsed as Record<string, unknown>)[name];
}

function answer(response: ServerResponse, value: object): void {
  sendBody(response, { status: 200, body: JSON.stringify(value) });
}

function refuse(response: ServerResponse, refusal: { status: number; message: string }): void {
  sendBody(response, { status: refusal.status, body: errorBody(refusal.message) });
}

const MOST_TEXT_CHARS = 10_000;

const inboundSchema = z.strictObject({
  event: z.enum(INBOUND_EVENTS).default('sms.received'),
  mobile: z.string().regex(/^\d{7,15}$/, 'must be international digits'),
  text: z.string().max(MOST_TEXT_CHARS).default(''),
  shortcode: z.string().min(1).max(64).default('DUKA'),
  media: z.enum(MEDIA_NAMES).nullable().default(null),
  fields: z.record(z.string(), z.unknown()).default({}),
});

/** Reads the body of POST /sandbox/inbound, or says its problem. `fields` replaces fields of the outgoing record. */
function inboundOf(body: unknown): { facts: InboundFacts } | { problem: string } {
  const parsed = inboundSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is wrong'}` };
  }
  const { event, media, ...rest } = parsed.data;
  if (media !== null && event !== 'whatsapp.message.received')
    return { problem: 'media: only chat carries files' };
  return { facts: { ...rest, name: event, serial: null, media, at: Date.now(), id: randomUUID() } };
}
