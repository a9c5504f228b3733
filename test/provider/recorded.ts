import { classifySend } from '../../src/provider/send/classify-send.ts';
import type { Reply } from '../../src/provider/send/exchange.ts';
import type { Profile } from '../../src/provider/profiles/profile.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import type { SendResult } from '../../src/provider/provider.ts';
import { MOBILE, recorded, REQUEST, rulesOf } from './support.ts';

export const NOW = Date.parse('2026-11-27T06:00:00Z');

/** The documented success (API document 2.2). */
export const OK = {
  responsecode: '200',
  responsedescription: 'Success',
  mobile: MOBILE,
  messageid: '8290842',
  networkid: '1',
  messagecost: '0.80',
};

/** One row of a table: what the provider did, and what it must be taken for. */
export interface Row {
  row: string;
  status?: number;
  body?: string | object;
  reply?: Partial<Reply>;
  profile?: Partial<Profile>;
  /** What of the result is asserted. */
  is: object;
}

export function classify({ status = 200, body = '', reply = {}, profile = {} }: Row): SendResult {
  return classifySend({
    request: REQUEST,
    reply: recorded({ status, body: typeof body === 'string' ? body : JSON.stringify(body), ...reply }),
    now: NOW,
    rules: rulesOf({ ...defaultProfile, ...profile }),
  });
}

export function failure(code: string, facts: Partial<Reply> = {}): Partial<Reply> {
  return { status: null, error: Object.assign(new Error('it failed'), { code }), ...facts };
}

export const refusal = (code: number, words: string) => ({
  'response-code': code,
  'response-description': words,
});

export const unreadable = { outcome: 'unknown', kind: 'unreadable' };
export const unlisted = { outcome: 'unknown', kind: 'unlisted_code' };
export const serverError = { outcome: 'unknown', kind: 'server_error' };
export const refused = (reason: string) => ({ outcome: 'refused', refusal: reason });
