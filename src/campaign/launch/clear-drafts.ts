import type { Campaign } from '../../domain/campaign.ts';
import type { Env } from '../env.ts';

/** A launch that lasts longer has a person at its question who went home. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;
/** Campaigns before the new one that are looked at. */
const MOST_LOOKED_AT = 100;

/**
 * Discards drafts that launches left behind when they were killed: nobody sees them, but they take the room of all their
 * contacts. `newest` is the draft of the launch under way. Answers how many there were.
 */
export async function clearDrafts(env: Pick<Env, 'ledger' | 'clock'>, newest: Campaign): Promise<number> {
  const before = env.clock.now() - ABANDONED_MS;
  const count = Math.min(newest.n - 1, MOST_LOOKED_AT);
  const numbers = Array.from({ length: count }, (_, index) => newest.n - 1 - index);
  const found = await Promise.all(numbers.map((n) => env.ledger.campaign(n)));
  const abandoned = found.filter((draft) => draft?.state === 'draft' && draft.createdAt < before);
  for (const draft of abandoned) if (draft !== null) await env.ledger.discardDraft(draft.n);
  return abandoned.length;
}
