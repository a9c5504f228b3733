import { z } from 'zod';
import { readAmount } from './money.ts';
import { LOOPBACK } from './api/server.ts';
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

/** A timer of Node takes at most 24 days. */
const A_WEEK_MS = 604_800_000;

const delay = z
  .strictObject({ min: z.number().min(0), max: z.number().min(0).max(A_WEEK_MS) })
  .refine(({ min, max }) => min <= max, 'min must not be above max');

const schema = z.strictObject({
  /** 0: any free port. */
  port: z.int().min(0).max(65_535).default(0),
  /** The address to listen on; only this machine reaches the default. */
  host: z.string().min(1).default(LOOPBACK),
  /** The account's credentials (API document 5.1) and its `clientId` (2.4). */
  apiKey: z.string().min(1),
  apiSecret: z.string().min(1),
  clientId: z.string().min(1).default('sandbox'),
  /** The token of the v2 API (API document 5.2); null: only key and secret are valid. */
  apiToken: z.string().min(1).nullable().default(null),
  /** The truth log: an append-only record of real events. An existing log is continued. */
  truthFile: z.string().min(1),
  /** Credit of a new truth log, in shillings. A continued log keeps its own credit. */
  startBalance: amount.default('10000.00'),
  /** Address of delivery reports; null: they wait until `setWebhook`. */
  webhookUrl: z.url().nullable().default(null),
  /** Seed of every random choice. */
  seed: z.int().min(0).max(4_294_967_295).default(1),
  /** Wait before each answer. */
  latencyMs: z.number().min(0).max(600_000).default(0),
  /** `rate`: share of numbers with a fault; `script`: path of a YAML file; null: no faults. */
  faults: z
    .union([z.strictObject({ rate: share }), z.strictObject({ script: z.string().min(1) })])
    .nullable()
    .default(null),
  /** Registered senders; null: any sender. An unregistered sender is refused with 1001. */
  senders: z.array(z.string()).nullable().default(null),
  /** Price a segment by network id; it replaces the network's own price. */
  prices: z.record(z.string(), amount).default({}),
  /** Wait from acceptance to report. Short waits are more frequent than long ones. */
  reportDelayMs: delay.default({ min: 1_000, max: 3_000 }),
  /** Shares of the delivery outcomes; they add up to 1. `optedOut`: undelivered after a STOP; `never`: no report. */
  reportMix: reportMix.default({ delivered: 0.93, undelivered: 0.04, absent: 0.03, optedOut: 0, never: 0 }),
  /** Share of messages with odd reports: another shape, twice, early or out of order. */
  oddReportRate: share.default(0),
  /** The kinds of odd reports. */
  oddReportKinds: z
    .array(z.enum(ODD_KINDS))
    .min(1)
    .default([...ODD_KINDS]),
  /** Tries of one report until the webhook answers 2xx; the wait doubles from `reportRetryMs` up to 30 s. */
  reportTries: z.int().min(1).max(100).default(10),
  reportRetryMs: z.number().min(1).default(500),
  /** Share of delivered messages with a reply, by the three events of API document 6. */
  replyRate: share.default(0),
  /** Share of replies that say STOP. Later promotional messages to that number are reported as opted out. */
  stopRate: share.default(0.2),
  /** Wait from delivery to reply. */
  replyDelayMs: delay.default({ min: 1_000, max: 5_000 }),
});

/** The options of `startSandbox`. Only `apiKey`, `apiSecret` and `truthFile` have no default. */
export type SandboxOptions = z.input<typeof schema>;

/** The options with every default filled in. */
export type Settings = z.output<typeof schema>;

/** Checks the options and fills in the defaults. Throws a SandboxError that lists every problem. */
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
