import { whole } from '../domain/money.ts';
import type { Contradiction } from '../ledger/contracts/answers.ts';
import { isoTime } from './campaign-report.ts';

/** Rejected messages of a campaign whose numbers waiting delivery reports name, as `--json` shows them. */
export interface ContradictionPart {
  campaign: string;
  messages: number;
  last_at: string;
}

/** What delivery reports contradict, as `--json` shows it. */
export function contradictionParts(found: readonly Contradiction[]): ContradictionPart[] {
  return found.map(({ campaign, messages, lastAt }) => ({ campaign, messages, last_at: isoTime(lastAt) }));
}

/** How many rejected messages may have been sent after all. */
export function contradictionWords({ campaign, messages }: ContradictionPart): string {
  const [rejected, numbers] =
    messages === 1
      ? ['1 rejected message', 'its number']
      : [`${whole(messages)} rejected messages`, 'their numbers'];
  return `${rejected} of ${campaign} may have been sent, because waiting delivery reports name ${numbers}. A retry leaves them out.`;
}
