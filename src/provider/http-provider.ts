import { TumaError } from '../domain/errors.ts';
import { AnswerMappings } from './send/answer-mappings.ts';
import { createAnswerReader } from './send/read-answer.ts';
import { classifyBalance, type BalanceRules } from './balance/classify-balance.ts';
import { classifySend } from './send/classify-send.ts';
import type { ConnectionOptions } from './http/connection.ts';
import type { Reply } from './send/exchange.ts';
import type { SendRules } from './send/send-evidence.ts';
import { openConnections } from './http/http-connections.ts';
import type { Profile } from './profiles/profile.ts';
import type { Provider, SendRequest, SendResult } from './provider.ts';
import { createRedactor } from './http/redact.ts';
import { createRefusalReader } from './send/refusal.ts';
import { parseAddress } from './http/service-address.ts';

/** The address and the reading rules of the provider. */
export interface ProviderOptions {
  /** `{messaging_url}` of the API document; may carry a path in front of `/api/services`. */
  messagingUrl: string;
  apiKey: string;
  apiSecret: string;
  /** Most `send` calls open at once; one more is a mistake of the caller and rejects. */
  connections: number;
  /** Milliseconds from the call to its result, at the most (0.5 s of grace). */
  deadlineMs: number;
  profile: Profile;
  /** The currency of costs and of the credit (API document 2.2, 2.4: not shown). */
  currency: string;
  /** PEM of a private certificate authority, if the provider has one. */
  ca?: string;
  /** Receives warnings about untrusted answers. The fields hold no text, number or credential. */
  log?: ProviderLog;
  /** The wall clock, for a Retry-After with a date. */
  now?: () => number;
}

/** The part of the log that the provider client needs. */
interface ProviderLog {
  warn(fields: object, message: string): void;
}

/** Balance calls have connections of their own, so that hanging messages cannot delay them. */
const BALANCE_CONNECTIONS = 4;

/**
 * Makes the client of the provider (API document 4.1 and 4.2). No answer makes it throw: each message ends in
 * one of the results of `SendResult`, within the deadline.
 */
export function createProvider(options: ProviderOptions): Provider {
  const { origin, path } = parseAddress(options.messagingUrl, {
    name: 'messaging address',
    setting: 'TUMA_MESSAGING_URL',
  });
  const slash = options.profile.trailing_slash ? '/' : '';
  const calls = {
    sendsms: `${path}/api/services/sendsms${slash}`,
    checkbalance: `${path}/api/services/checkbalance${slash}`,
  };
  const connectionOptions = connectionOptionsOf(options, origin);
  const sendConnections = openConnections(connectionOptions);
  const balanceConnections = openConnections({ ...connectionOptions, connections: BALANCE_CONNECTIONS });
  const rules = createRules(options);
  const credentials = `{"apikey":${JSON.stringify(options.apiKey)},"apisecret":${JSON.stringify(options.apiSecret)}`;
  const now = options.now ?? Date.now;
  const mappings = new AnswerMappings(options.profile);
  const warnOfCost = costWarning(options.log);
  let open = 0;
  let closing: Promise<unknown> | null = null;

  function judged(request: SendRequest, reply: Reply): SendResult {
    const result = classifySend({ request, reply, now: now(), rules: rules.send });
    if (result.outcome === 'unknown' && result.kind === 'unreadable') {
      // Any more bytes on this connection belong to no request.
      reply.cut();
      options.log?.warn(
        { httpStatus: result.httpStatus, words: result.words },
        'unreadable answer to sendsms',
      );
    }
    warnOfCost(result);
    return mappings.apply(result);
  }

  return {
    mapAnswers: (mapped) => mappings.replace(mapped),
    send: (request) =>
      new Promise((resolve, reject) => {
        if (open >= options.connections) throw tooMany(options.connections);
        const body = sendBody(credentials, request);
        open += 1;
        const settle = (reply: Reply) => {
          open -= 1;
          try {
            resolve(judged(request, reply));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        sendConnections.exchange(calls.sendsms, body, { settle, beforeWrite: request.beforeWrite });
      }),
    async balance() {
      const reply = await balanceConnections.post(calls.checkbalance, `${credentials}}`);
      return classifyBalance(reply, rules.balance);
    },
    async close() {
      closing ??= Promise.all([sendConnections.close(), balanceConnections.close()]);
      await closing;
    },
  };
}

/** Says once which row of the profile settles costs with two readings. */
function costWarning(log: ProviderLog | undefined): (result: SendResult) => void {
  let said = false;
  return (result) => {
    if (said || result.outcome !== 'accepted' || !result.flags.includes('cost_two_ways')) return;
    said = true;
    log?.warn(
      {},
      'costs can be read in two ways: set the row "decimal" of the profile to "point" or "comma"',
    );
  };
}

/** API document 2.1. The credentials are the same for every message, so they are written once. */
function sendBody(credentials: string, { message, shortcode, mobile }: SendRequest): string {
  return `${credentials},"message":${JSON.stringify(message)},"shortcode":${JSON.stringify(shortcode)},"mobile":${JSON.stringify(mobile)}}`;
}

function tooMany(connections: number): TumaError {
  return new TumaError('internal', { message: `More than ${connections} messages in flight.` });
}

function connectionOptionsOf(options: ProviderOptions, origin: string): ConnectionOptions {
  const { connections, deadlineMs, ca } = options;
  return { origin, connections, deadlineMs, ...(ca === undefined ? {} : { ca }) };
}

function createRules({ profile, currency, apiKey, apiSecret }: ProviderOptions): {
  send: SendRules;
  balance: BalanceRules;
} {
  const shared = {
    profile,
    successCodes: new Set(profile.send.success_codes),
    uncertainCodes: new Set(profile.send.uncertain_codes),
    readRefusal: createRefusalReader(profile.send),
    redactor: createRedactor([apiKey, apiSecret]),
    money: { currency, decimal: profile.decimal },
  };
  return {
    send: { ...shared, readAnswer: createAnswerReader(profile.send) },
    balance: { ...shared, readAnswer: createAnswerReader(profile.balance) },
  };
}
