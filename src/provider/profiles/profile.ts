import { z } from 'zod';

/**
 * The provider's profile: the reading of its words, codes and field names. Everything that the provider's API
 * document does not show is a row of data here. So a user can change it (`TUMA_PROFILE`) without touching
 * code.
 * Rules of the rows:
 * - Field names and wrappers are compared after lower-casing and removing `-`, `_` and spaces, so one row
 *   covers `messageid`, `messageId`, `message-id` and `message_id`. Rows stand in order of preference. A dot
 *   goes one object deeper: `status.groupname`.
 * - Words of reports are compared on letters only, in lower case. Words of refusals are compared as whole
 *   words, in lower case and without accents.
 * - Codes are text; a number in an answer is compared by its exact digits.
 */
const names = z.array(z.string().min(1));
const codes = z.array(z.string().min(1));
const statuses = z.array(z.number().int().min(300).max(599));
const MOST_ANSWER = 200;

const refusalClass = z.enum([
  'contact',
  'network',
  'opted_out',
  'credentials',
  'credit',
  'sender',
  'request',
]);

const send = z.strictObject({
  /** Objects or one-element arrays that may hold the answer proper. */
  wrappers: names,
  fields: z.strictObject({
    code: names,
    words: names,
    /** Read together with the words, because either may hold the real reason. */
    error: names,
    message_id: names,
    mobile: names,
    network: names,
    cost: names,
  }),
  success_codes: codes,
  /** Whole words that make a refusing code uncertain (`1004 Message queued`), but not beside "not". */
  success_words: names,
  /** Code → class of the refusal; these messages were surely not accepted (row P6). */
  refusal_codes: z.record(z.string(), refusalClass),
  /** Codes without a sure meaning: the message stays uncertain (row P6b) with any words. */
  uncertain_codes: codes,
  /**
   * Words that choose the class of a refusal by code or status; the first matching class wins. Each row is a
   * whole word, or several in a row ("api key"). Words never refuse by themselves: such an answer leaves the
   * message uncertain (`tuma answers`).
   */
  refusal_words: z.array(z.strictObject({ refusal: refusalClass, words: names })),
});

const balance = z.strictObject({
  wrappers: names,
  fields: z.strictObject({ code: names, words: names, error: names, credit: names, client_id: names }),
});

const v2 = z.strictObject({
  /** The content of Basic authentication (API document 5.2: not shown), of {key}, {secret}, {token}. */
  basic: z
    .string()
    .regex(/^(?:[^{}]|\{(?:key|secret|token)\})+$/, 'may hold {key}, {secret}, {token} and plain characters'),
  /** Objects or one-element arrays that may hold the answer proper. */
  wrappers: names,
  fields: z.strictObject({ credits: names, words: names, status: names }),
  /** Values of `status` that make an answer a failure, whatever its HTTP status. */
  failure_words: names,
});

/** HTTP statuses by their proof. Statuses not listed and not 2xx or 3xx leave the message uncertain. */
const http = z.strictObject({
  /** Refused before any work was done (row P8). */
  refused: statuses,
  /** The credentials are refused (row P9). */
  credentials: statuses,
  /** Refused by rate (row P10). 503 counts only together with Retry-After. */
  throttled: statuses,
});

const replyFields = z.strictObject({ mobile: names, addressee: names, text: names, time: names });

const reports = z.strictObject({
  fields: z.strictObject({
    message_id: names,
    status: names,
    reason: names,
    mobile: names,
    time: names,
    network: names,
    event: names,
  }),
  /** Inbound SMS, API document 2.5. The first field with a number names the sender. */
  reply_fields: replyFields,
  /** Inbound chat messages, API document 2.6. */
  chat_fields: replyFields,
  /** Objects or arrays that may hold one or many reports. */
  wrappers: names,
  /**
   * Words → delivery. A trailing `*` matches any ending; a whole word wins over such a beginning. No number
   * is mapped by default: 32 means delivered at one provider and 1 at another.
   */
  words: z.strictObject({
    delivered: names,
    pending: names,
    undelivered: z.array(
      z.strictObject({
        /** Stable name of the reason, shown in reports. */
        reason: z.string().min(1),
        /** A later message to the same number will fail as well. */
        permanent: z.boolean(),
        /** The person does not want messages of this sender. */
        opted_out: z.boolean(),
        /** The phone was away; the number is affected only when that lasts. */
        absent: z.boolean().optional(),
        words: names,
      }),
    ),
  }),
  event_names: z.strictObject({
    /** Delivery reports. The document does not show the name, so these are plausible ones. */
    report: names,
    /** Inbound SMS, API document 2.5. */
    reply: names,
    /** Inbound chat messages, API document 2.6. */
    chat: names,
    /** The beginnings of event names that concern no message: a payment, a call. */
    other: names,
  }),
  /** IANA zone of times without their own. */
  zone: z.string().min(1),
});

/**
 * The words of stopping (domain/text/opt-out-words.ts). A reply stops when it consists of them alone; any
 * other word makes it no wish.
 */
const optOut = z.strictObject({
  /** Whole replies that end promotional messages. */
  words: names,
  /** What ends them together with one of `objects`: "stop" and "messages". */
  verbs: names,
  objects: names,
  /** Small words between a verb and its object, and after it. */
  links: names,
  /** Courtesy and haste, anywhere. */
  fillers: names,
  /** The beginnings of a signature, which is left out. */
  signatures: names,
  /** A verb together with one of these is for a person to read. */
  complaints: names,
  /** Ordinary words that look like a mistyped word of stopping. */
  look_alikes: names,
  /** Whole replies that allow promotional messages again. */
  return_words: names,
});

/** Printable and short, because it is sent for each webhook. */
const webhookAnswer = z
  .string()
  .max(MOST_ANSWER)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'must be one line without control characters');

/** The whole profile. Unknown keys are refused. */
export const profileSchema = z.strictObject({
  name: z.string().min(1),
  http,
  /**
   * Statuses that surely mean "not accepted" at this provider although others leave the fate open (row P11),
   * such as 503. Empty by default; a plan prints other values.
   */
  not_accepted: statuses,
  /** The unit of both rates: a message of three segments takes three slots with `segment`. */
  rate_per: z.enum(['message', 'segment']),
  /** The decimal mark of costs and credits (API document 2.2: not shown). `unknown`: 1.000 is not read. */
  decimal: z.enum(['unknown', 'comma', 'point']),
  /** The API document shows `/sendsms` and `/sendsms/`; true: the provider takes only the second. */
  trailing_slash: z.boolean(),
  send,
  balance,
  /** The requests and the reading of the v2 API (API document 4.3, 4.4). */
  v2,
  /** True: a retry of a rejected message can help, by class of the refusal. */
  retry_helps: z.record(refusalClass, z.boolean()),
  reports,
  /** Names of networks by their number in answers and reports, for people: `{ "1": "Safaricom" }`. */
  networks: z.record(z.string().min(1).max(40), z.string().min(1).max(40)),
  /** The body of the collector's 200: some providers repeat a webhook until they read an exact text. */
  webhook_answer: webhookAnswer,
  opt_out: optOut,
});

/** The names of a row, which the text holds with commas between them. */
export function list(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** A provider profile: the reading of a provider's words and codes. */
export type Profile = z.infer<typeof profileSchema>;
/** The reading of sendsms answers (API document 2.1, 2.2). */
export type SendProfile = Profile['send'];
/** The reading of delivery reports and other webhooks. */
export type ReportsProfile = Profile['reports'];
