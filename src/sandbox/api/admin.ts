import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AcceptedEntry } from '../truth/truth-entry.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorBody, sendBody } from './http-answers.ts';
import { INBOUND_EVENTS, inboundRecord, type InboundFacts } from '../customers/inbound-event.ts';
import { readAmount } from '../money.ts';
import { isMediaName, MEDIA_NAMES, type MediaName } from './sample-media.ts';
import { jsonOf } from './server.ts';

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const MOST_LISTED = 1_000;
const LISTED = 100;

/** The actions of the paths below `/sandbox`. */
export interface Admin {
  state: () => object;
  recent: RecentMessages;
  /** Adds credit, then calls back after the record. */
  topUp: (amountMicro: number, recorded: () => void) => void;
  setWebhook: (url: string | null) => void;
  /** Posts a message of a customer. */
  write: (facts: InboundFacts) => void;
  /** Sets the share of delivered messages with a reply, 0 to 1. */
  setReplyRate: (rate: number) => void;
  /** Sets the token of the v2 API; null: no token is valid. */
  setToken: (token: string | null) => void;
  redirectFollowed: () => void;
}

interface AdminCall {
  path: string;
  body: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Handles the sandbox's own paths, for this machine only: GET /sandbox/state, GET /sandbox/messages?limit=100, POST
 * /sandbox/topup {"amount": "100.00"}, POST /sandbox/webhook {"url": … or null}, POST /sandbox/inbound {"event", "mobile",
 * "text", "media"}, POST /sandbox/replies {"rate": 0.05}, POST /sandbox/token {"token": … or null}.
 */
export function handleAdmin(admin: Admin, call: AdminCall): void {
  const { response, request } = call;
  if (call.path === '/sandbox/redirected') {
    admin.redirectFollowed();
    refuse(response, { status: 410, message: 'A redirect was followed with credentials in the body' });
    return;
  }
  if (!LOOPBACK.has(request.socket.remoteAddress ?? '')) {
    refuse(response, { status: 403, message: 'For this machine only' });
    return;
  }
  const act = ACTIONS[`${request.method ?? ''} ${call.path}`];
  if (act === undefined) refuse(response, { status: 404, message: 'No such path' });
  else act(admin, call);
}

const ACTIONS: Record<string, (admin: Admin, call: AdminCall) => void> = {
  'GET /sandbox/state': (admin, { response }) => {
    answer(response, admin.state());
  },
  'GET /sandbox/messages': (admin, { request, response }) => {
    const limit = Number(new URL(request.url ?? '/', 'http://sandbox').searchParams.get('limit') ?? LISTED);
    const bounded = Number.isInteger(limit) && limit > 0 ? Math.min(limit, MOST_LISTED) : LISTED;
    answer(response, { messages: admin.recent.list(bounded) });
  },
  'POST /sandbox/topup': (admin, { body, response }) => {
    const amount = fieldOf(body, 'amount');
    const amountMicro = typeof amount === 'string' ? readAmount(amount) : null;
    if (amountMicro === null)
      refuse(response, { status: 400, message: 'amount must be a decimal text: "100.00"' });
    else
      admin.topUp(amountMicro, () => {
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
    admin.write(read.facts);
    answer(response, { id: read.facts.id, posted: inboundRecord(read.facts) });
  },
  'POST /sandbox/replies': (admin, { body, response }) => {
    const rate = fieldOf(body, 'rate');
    if (typeof rate !== 'number' || rate < 0 || rate > 1) {
      refuse(response, { status: 400, message: 'rate must be a number from 0 to 1' });
      return;
    }
    admin.setReplyRate(rate);
    answer(response, admin.state());
  },
  'POST /sandbox/token': (admin, { body, response }) => {
    const token = fieldOf(body, 'token');
    if (token !== null && (typeof token !== 'string' || token === '')) {
      refuse(response, { status: 400, message: 'token must be a text or null' });
      return;
    }
    admin.setToken(token);
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

const MOST = 1_000;

/** The last thousand accepted messages, for GET /sandbox/messages. */
export class RecentMessages {
  readonly #ring: AcceptedEntry[] = [];
  #next = 0;

  add(entry: AcceptedEntry): void {
    this.#ring[this.#next] = entry;
    this.#next = (this.#next + 1) % MOST;
  }

  /** At most `limit`, newest first. */
  list(limit: number): AcceptedEntry[] {
    const older = this.#ring.slice(this.#next);
    const newer = this.#ring.slice(0, this.#next);
    return [...older, ...newer].toReversed().slice(0, limit);
  }
}

const MOST_TEXT_CHARS = 10_000;

const inboundSchema = z.strictObject({
  event: z.enum(INBOUND_EVENTS).default('sms.received'),
  mobile: z.string().regex(/^\d{7,15}$/, 'must be international digits'),
  text: z.string().max(MOST_TEXT_CHARS).default(''),
  shortcode: z.string().min(1).max(64).default('DUKA'),
  media: z
    .custom<MediaName>(isMediaName, `must be one of ${MEDIA_NAMES.join(', ')}`)
    .nullable()
    .default(null),
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
  return { facts: { ...rest, name: event, media, at: Date.now(), id: randomUUID() } };
}
