import type { MessageState } from '../domain/message.ts';
import type { ProviderWords, Tallies } from '../ledger/contracts/reader.ts';

/** Failed messages of one reason. */
export interface FailureGroup {
  /** `rejected`: the service refused them, and they cost nothing. `undelivered`: the network could not deliver them. */
  kind: 'rejected' | 'undelivered';
  /** As the provider's profile or the network words it; empty: no reason came. */
  reason: string;
  /** The provider's own words about most of them, cleaned; null: none, or they only repeat the reason. */
  words: string | null;
  messages: number;
  /** A retry can help. Undelivered messages are never retried, because they were sent. */
  retryHelps: boolean;
}

const KINDS: Partial<Readonly<Record<MessageState, FailureGroup['kind']>>> = {
  rejected: 'rejected',
  sent: 'undelivered',
};

/** The failures of a campaign by reason, the most frequent first. They come to all that failed. */
export function failureGroups(
  { reasons }: Pick<Tallies, 'reasons'>,
  said: readonly ProviderWords[],
): FailureGroup[] {
  return reasons
    .flatMap(({ state, reason, count, retryHelps }) => {
      const kind = KINDS[state];
      if (kind === undefined) return [];
      const words = said.find((each) => each.state === state && each.reason === reason)?.words ?? null;
      return [{ kind, reason, words, messages: count, retryHelps: kind === 'rejected' && retryHelps }];
    })
    .toSorted((a, b) => b.messages - a.messages);
}
