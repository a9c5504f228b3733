import { processWebhooks } from '../../src/campaign/inbound/process-webhooks.ts';
import { storeWebhook } from '../../src/campaign/inbound/store-webhook.ts';
import { wishReader } from '../../src/domain/text/opt-out-words.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { webhookParser } from '../../src/provider/webhooks/read-webhook.ts';
import { MemoryLog } from '../collector/fake-store.ts';
import type { LedgerStory } from '../support/ledger-story.ts';

const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
const { words: stop, return_words: start, ...grammar } = defaultProfile.opt_out;
const wishOf = wishReader({ ...grammar, stop, start });

/** The provider posts, and a worker reads it. */
export async function postTo(
  story: LedgerStory,
  payload: object | string,
  { ip = '127.0.0.1', contentType = 'application/json' } = {},
): Promise<void> {
  const clock = { now: () => story.now, monotonic: () => 0, sleep: async () => undefined };
  const env = { clock, ledger: story.ledger, log: new MemoryLog() };
  const body = new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const stored = await storeWebhook(env, { method: 'POST', contentType, query: '', body, ip });
  if (stored !== 'stored') throw new Error(`the webhook is ${stored}`);
  await processWebhooks(env, { parse, wishOf, limit: 100 });
}
