import { createAnswerReader } from '../../src/provider/send/read-answer.ts';
import { createProvider, type ProviderOptions } from '../../src/provider/http-provider.ts';
import type { Reply } from '../../src/provider/send/exchange.ts';
import type { SendRules } from '../../src/provider/send/send-evidence.ts';
import type { Profile } from '../../src/provider/profiles/profile.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import type { Provider, SendRequest } from '../../src/provider/provider.ts';
import { createRedactor } from '../../src/provider/http/redact.ts';
import { createRefusalReader } from '../../src/provider/send/refusal.ts';

/** No eight characters of it are the secret's as well: what takes out the one must not take out the other. */
export const API_KEY = 'KEY_CANARY-4f1b';
export const API_SECRET = 'SECRET_CANARY_9d2e';
export const MOBILE = '254712345678';
export const TEXT = 'TEXT_CANARY Habari Asha, your order is ready.';

export const REQUEST: SendRequest = { mobile: MOBILE, message: TEXT, shortcode: 'DUKA' };

/** A provider client that closes itself at the end of the block. */
export function connect(
  messagingUrl: string,
  options: Partial<ProviderOptions> = {},
): Provider & AsyncDisposable {
  const provider = createProvider({
    messagingUrl,
    apiKey: API_KEY,
    apiSecret: API_SECRET,
    connections: 4,
    deadlineMs: 2_000,
    currency: 'KES',
    profile: defaultProfile,
    ...options,
  });
  return Object.assign(provider, { [Symbol.asyncDispose]: () => provider.close() });
}

export function rulesOf(profile: Profile = defaultProfile): SendRules {
  return {
    profile,
    successCodes: new Set(profile.send.success_codes),
    uncertainCodes: new Set(profile.send.uncertain_codes),
    readAnswer: createAnswerReader(profile.send),
    readRefusal: createRefusalReader(profile.send),
    redactor: createRedactor([API_KEY, API_SECRET]),
    money: { currency: 'KES', decimal: profile.decimal },
  };
}

/** An exchange as it was recorded: by default a whole answer that was started. */
export function recorded(reply: Partial<Reply>): Reply {
  return {
    started: true,
    error: null,
    overdue: false,
    status: 200,
    retryAfter: null,
    encoded: false,
    endIsSaid: true,
    body: '',
    cut() {},
    ...reply,
  };
}
