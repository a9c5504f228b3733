import { z } from 'zod';
import { readAmount } from './money.ts';
import { SandboxError } from './sandbox-error.ts';
import { ODD_KINDS } from './reports/report-plan.ts';

const amount = z
  .string()
  .refine((text) => readAmount(text) !== null, 'must be a decimal amount such as "0.80"');
const share = z.number().min(0).max(1);

const reportMix = z
  .strictObject({
    delivered: share,
    undelivered: share,
    absent: share,
    optedOut: share.default(0),
    never: share,
  })
  .refine((mix) => Math.abs(Object.values(mix).reduce((sum, part) => sum + part, 0) - 1) < 1e-9, {
    message: 'must add up to 1',
  });

const delay = z
  .strictObject({ min: z.number().min(0), max: z.number().min(0) })
  .refine(({ min, max }) => min <= max, 'min must not be above max');

const schema = z.strictObject({
  /** Address to listen on. */
  host: z.string().default('127.0.0.1'),
  /** 0: a free one. */
  port: z.int().min(0).max(65_535).default(0),
  /** The account's credentials (API document 5.1) and its `clientId` (2.4). */
  apiKey: z.string().min(1),
  apiSecret: z.string().min(1),
  clientId: z.string().min(1).default('sandbox'),
  /** The token of the v2 API (API document 5.2); null: none is valid, only key and secret. */
  apiToken: z.string().min(1).nullable().default(null),
  /** Append-only record of what really happened; made when missing, continued when there. */
  truthFile: z.string().min(1),
  /** Credit of a new truth log, in shillings. A log that is continued keeps its own. */
  startBalance: amount.default('10000.00'),
  /** Where delivery reports go; null: they wait until `setWebhook`. */
  webhookUrl: z.url().nullable().default(null),
  /** Seed of everything that is drawn. */
  seed: z.int().min(0).max(4_294_967_295).default(1),
  /** Time from a request to its answer. */
  latencyMs: z.number().min(0).max(600_000).default(0),
  /** `rate`: share of the numbers that meet a fault; `script`: path of a YAML file; null: none. */
  faults: z
    .union([z.strictObject({ rate: share }), z.strictObject({ script: z.string().min(1) })])
    .nullable()
    .default(null),
  /** Registered senders; null: every sender is taken. Others are refused with 1001. */
  senders: z.array(z.string()).nullable().default(null),
  /** Senders whose messages get the opt-out text appended and charged; `all`: every one. */
  promotionalSenders: z.union([z.array(z.string()), z.literal('all')]).default(['DUKA']),
  optOutText: z.string().default(' STOP*456*9*5#'),
  /** Price a segment by network id, in place of the network's own. */
  prices: z.record(z.string(), amount).default({}),
  /** A report comes this long after its message was accepted, early ones more often than late ones. */
  reportDelayMs: delay.default({ min: 1_000, max: 3_000 }),
  /**
   * What becomes of the messages, by number. `optedOut`: undelivered, with the words for a number that wants nothing of
   * this sender; `never`: no report at all. Must add up to 1.
   */
  reportMix: reportMix.default({ delivered: 0.93, undelivered: 0.04, absent: 0.03, optedOut: 0, never: 0 }),
  /** Share of the messages whose reports come in another shape, twice, early or out of order. */
  oddReportRate: share.default(0),
  /** The oddities that are drawn from. */
  oddReportKinds: z
    .array(z.enum(ODD_KINDS))
    .min(1)
    .default([...ODD_KINDS]),
  /** Tries of one report until the webhook answers 2xx; the wait doubles from `reportRetryMs` up to 30 s. */
  reportTries: z.int().min(1).max(100).default(10),
  reportRetryMs: z.number().min(1).default(500),
  /** Share of the delivered messages that somebody answers, by the three events of API document 6. */
  replyRate: share.default(0),
  /** Share of the answers that say STOP. From then on, promotional messages to that number are reported as opted out. */
  stopRate: share.default(0.2),
  /** From the delivery to the answer. */
  replyDelayMs: delay.default({ min: 1_000, max: 5_000 }),
  /** Most reports that wait (48 bytes each); what comes beyond is lost and recorded as lost. */
  maxPendingReports: z.int().min(1).default(1_000_000),
});

/** What a caller of `startSandbox` gives: `apiKey`, `apiSecret`, `truthFile`, and whatever differs from the defaults. */
export type SandboxOptions = z.input<typeof schema>;

/** The options with every default filled in. */
export type Settings = z.output<typeof schema>;

/** Checks the options and fills in the defaults. Throws a SandboxError that lists everything that is wrong. */
export function settingsOf(options: unknown): Settings {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`,
  );
  throw new SandboxError('options_invalid', {
    message: `The sandbox's options are wrong: ${problems.join('; ')}`,
  });
}
