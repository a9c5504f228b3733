import { type ErrorCode, TumaError } from '../../domain/errors.ts';
import type { NewWebhook } from '../../ledger/contracts/records.ts';
import type { Env } from '../env.ts';

/** A webhook as the collector received it. */
export type ReceivedWebhook = Omit<NewWebhook, 'receivedAt'>;

/** `stored`: durable, so it may be acknowledged. Without an acknowledgement the sender comes again. */
export type StoreResult = 'stored' | 'busy' | 'full' | 'failed';

const REFUSALS: Partial<Record<ErrorCode, StoreResult>> = {
  ledger_busy: 'busy',
  ledger_full: 'full',
  database_unreachable: 'busy',
};
const MAX_CONTENT_TYPE_CHARS = 200;

/**
 * Stores a raw webhook durably and tells whether it may be acknowledged. `processWebhooks` reads its content
 * later. It reads webhooks that `mayBeReply` first, because a STOP must not wait behind a million reports.
 */
export function storeWebhook(
  env: Pick<Env, 'clock' | 'ledger'>,
  received: ReceivedWebhook,
  mayBeReply: (raw: ReceivedWebhook) => boolean = () => false,
): Promise<StoreResult> {
  const contentType = received.contentType.slice(0, MAX_CONTENT_TYPE_CHARS);
  const webhook = { ...received, contentType, receivedAt: env.clock.now() };
  return resultOf(() =>
    env.ledger.storeWebhook(mayBeReply(received) ? { ...webhook, urgent: true } : webhook),
  );
}

/** Tries whether a webhook could be stored now, by an equally durable write of nothing. */
export async function tryStore({ clock, ledger }: Pick<Env, 'clock' | 'ledger'>): Promise<StoreResult> {
  return resultOf(() => ledger.tryInbox(clock.now()));
}

async function resultOf(store: () => Promise<void>): Promise<StoreResult> {
  try {
    await store();
    return 'stored';
  } catch (error) {
    if (!(error instanceof TumaError)) return 'failed';
    return REFUSALS[error.code] ?? 'failed';
  }
}
