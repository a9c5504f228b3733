import { TumaError } from '../../domain/errors.ts';
import type { NewReport, StoredWebhook, WebhookKind } from '../../ledger/contracts/records.ts';
import type { WishReader } from '../../domain/text/opt-out-words.ts';
import type { NewReply } from '../../ledger/contracts/replies.ts';
import type { Env } from '../env.ts';
import { type ReadReply, replyFrom } from './record-reply.ts';

type ReportEnv = Pick<Env, 'clock' | 'ledger' | 'log'>;

/** The content of a webhook in our words. */
export interface UnderstoodWebhook {
  kind: WebhookKind;
  reports: NewReport[];
  replies?: ReadReply[];
}

/** Reads a raw webhook by the provider's profile. Pure; never throws. */
export type ParseWebhook = (raw: Pick<StoredWebhook, 'query' | 'body'>) => UnderstoodWebhook;

/** The readers of stored webhooks, and the callbacks for their results. */
export interface ProcessOptions {
  parse: ParseWebhook;
  /** The wish of an inbound message; left out: none. */
  wishOf?: WishReader;
  /** Raw webhooks taken at once. */
  limit: number;
  /** Called with every recorded webhook, for metrics. */
  processed?: (webhook: UnderstoodWebhook) => void;
  /** Called with the recorded replies. */
  answered?: (replies: NewReply[]) => void;
}

/** The reports and replies that one step of the ledger takes, if no single webhook has more. */
const STEP_CONTENTS = 256;

const NOTHING: UnderstoodWebhook = { kind: 'not_understood', reports: [] };

/**
 * Reads raw webhooks, oldest first, and records their content. A webhook that cannot be recorded is filed as
 * not understood and never holds up the others. A busy or full ledger rejects the call and loses nothing.
 * Returns the number of webhooks read.
 */
export async function processWebhooks(env: ReportEnv, options: ProcessOptions): Promise<number> {
  const webhooks = await env.ledger.newWebhooks(options.limit);
  if (webhooks.length === 0) return 0;
  const read = await readAll(env, webhooks, options);
  await processAll(env, stepsOf(read), options);
  return webhooks.length;
}

/** A raw webhook with its content, and with its replies as the ledger keeps them. */
export interface ReadWebhook {
  webhook: StoredWebhook;
  understood: UnderstoodWebhook;
  replies: NewReply[];
}

/** Reads raw webhooks. A reply may name the sender that it answers, so these names are asked for. */
export async function readAll(
  { ledger }: Pick<Env, 'ledger'>,
  webhooks: readonly StoredWebhook[],
  { parse, wishOf = () => null }: Pick<ProcessOptions, 'parse' | 'wishOf'>,
): Promise<ReadWebhook[]> {
  const parsed = webhooks.map((webhook) => ({ webhook, understood: parse(webhook) }));
  const hasReplies = parsed.some(({ understood }) => (understood.replies ?? []).length > 0);
  const senders = hasReplies ? await ledger.senders() : [];
  return parsed.map(({ webhook, understood }) => {
    const replies = (understood.replies ?? []).map((reply) => replyFrom(reply, wishOf, senders));
    return { webhook, understood, replies };
  });
}

function stepsOf(read: readonly ReadWebhook[]): ReadWebhook[][] {
  const steps: ReadWebhook[][] = [];
  let room = 0;
  for (const each of read) {
    const contents = 1 + each.understood.reports.length + each.replies.length;
    if (contents > room) {
      steps.push([]);
      room = STEP_CONTENTS;
    }
    steps.at(-1)?.push(each);
    room -= contents;
  }
  return steps;
}

/** All steps at once, because the ledger commits operations together that wait together. Rejects when all have ended. */
async function processAll(env: ReportEnv, steps: ReadWebhook[][], options: ProcessOptions): Promise<void> {
  const results = await Promise.allSettled(steps.map((step) => processStep(env, step, options)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Records webhooks together; where that fails, each alone, so that one cannot hold up its neighbours. */
async function processStep(env: ReportEnv, step: ReadWebhook[], options: ProcessOptions): Promise<void> {
  try {
    await record(env, step);
  } catch (error) {
    // A busy or full ledger says nothing about these webhooks.
    if (error instanceof TumaError) throw error;
    const [first, ...others] = step;
    if (first !== undefined && others.length === 0) return await file(env, first, { error, options });
    const alone = step.map((each) => [each]);
    return await processAll(env, alone, options);
  }
  for (const { understood, replies } of step) {
    if (replies.length > 0) options.answered?.(replies);
    options.processed?.(understood);
  }
}

/** Files a webhook that cannot be recorded as not understood. */
async function file(
  env: ReportEnv,
  read: ReadWebhook,
  { error, options }: { error: unknown; options: ProcessOptions },
): Promise<void> {
  env.log.error({ webhook: read.webhook.webhook, error: String(error) }, 'a webhook cannot be recorded');
  await record(env, [{ ...read, understood: NOTHING, replies: [] }]);
  options.processed?.(NOTHING);
}

function record({ ledger, clock }: ReportEnv, step: readonly ReadWebhook[]): Promise<void> {
  const now = clock.now();
  return ledger.recordReports(
    step.map(({ webhook: { webhook }, understood: { kind, reports }, replies }) => {
      return { webhook, kind, reports, replies, now };
    }),
  );
}
