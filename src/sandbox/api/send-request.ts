import type { Account, Quote } from './account.ts';
import type { Settings } from '../options.ts';
import { internationalMobile } from '../numbers.ts';
import { type Failure, wordsOf } from './http-answers.ts';

/** A send (API document 2.1) that passed every check, with its price. */
export interface CheckedSend {
  mobile: string;
  text: string;
  shortcode: string;
  quote: Quote;
}

/** A valid send, or its failure. */
export type CheckResult =
  | ({ ok: true } & CheckedSend)
  | { ok: false; failure: Failure; mobile: string | null; httpStatus?: number };

/** The required fields (API document 2.1), each with the code for its absence. */
const REQUIRED = {
  apikey: '4092',
  apisecret: '4092',
  message: '1010',
  shortcode: '1001',
  mobile: '1003',
} as const;
type Field = keyof typeof REQUIRED;

const MOST_LOGGED = 64;

/** Checks fields, credentials, sender, number and network. The debit checks the credit later. */
export function checkSend(body: unknown, against: { account: Account; settings: Settings }): CheckResult {
  const fields = fieldsOf(body, Object.keys(REQUIRED) as Field[]);
  if ('failure' in fields) return { ok: false, mobile: null, ...fields };
  const { apikey, apisecret, message, shortcode, mobile: given } = fields.values;
  const { account, settings } = against;
  const refuse = (code: string): CheckResult => ({
    ok: false,
    failure: { code, description: wordsOf(code) },
    mobile: given.slice(0, MOST_LOGGED),
  });
  if (!account.opens(apikey, apisecret)) return refuse('1006');
  if (settings.senders !== null && !settings.senders.includes(shortcode)) return refuse('1001');
  const mobile = internationalMobile(given);
  if (mobile === null) return refuse('1003');
  const quote = account.quote({ mobile, text: message, shortcode });
  if (quote === null) return refuse('1002');
  return { ok: true, mobile, text: message, shortcode: shortcode.slice(0, MOST_LOGGED), quote };
}

/** Checks a balance request (API document 2.3). Null: valid. */
export function checkBalanceRequest(
  body: unknown,
  account: Account,
): { failure: Failure; httpStatus?: number } | null {
  const fields = fieldsOf(body, ['apikey', 'apisecret']);
  if ('failure' in fields) return fields;
  if (account.opens(fields.values.apikey, fields.values.apisecret)) return null;
  return { failure: { code: '1006', description: wordsOf('1006') } };
}

function fieldsOf<F extends Field>(
  body: unknown,
  names: F[],
): { values: Record<F, string> } | { failure: Failure; httpStatus?: number } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { failure: { code: '1010', description: 'The body must be a JSON object' }, httpStatus: 400 };
  }
  const given = body as Record<string, unknown>;
  for (const name of names) {
    const value = given[name];
    if (value === undefined || value === null || value === '') return missing(name, 'Missing required field');
    if (typeof value !== 'string') return missing(name, 'Must be a string');
  }
  return { values: given as Record<F, string> };
}

function missing(name: Field, words: string): { failure: Failure } {
  return { failure: { code: REQUIRED[name], description: `${words}: ${name}` } };
}
