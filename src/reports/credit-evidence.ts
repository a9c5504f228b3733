import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { CampaignOverview, LedgerReader, Tallies } from '../ledger/contracts/reader.ts';
import { campaignBalance } from './balance-part.ts';

/** The last digit of a credit. */
const LAST_DIGIT_MICRO = 10_000;

/** What the balance says about the uncertain messages of a campaign. Money in millionths. */
export interface CreditEvidence {
  /** The messages that wait for a decision, and the most that they may have cost. */
  waiting: number;
  atStakeMicro: MoneyMicro;
  /** The fall of the credit beyond the known charges; null: other campaigns or a top-up hide it, or no reading. */
  unexplainedMicro: MoneyMicro | null;
  /** As many waiting messages as explain it, at the highest price; null: no number of them does. */
  explains: number | null;
}

/** Reads what the balance says about the uncertain messages of a campaign as of `now` (milliseconds). */
export async function readCreditEvidence(
  reader: LedgerReader,
  { overview, tallies }: { overview: CampaignOverview; tallies: Tallies },
  now: number,
): Promise<CreditEvidence> {
  const open = tallies.unknownCost + tallies.messages.uncertain;
  const { unexplainedMicro } = await campaignBalance({ reader, overview, open, now });
  return creditEvidence(tallies, unexplainedMicro);
}

/** Holds the fall of the credit against the uncertain messages of a campaign. */
export function creditEvidence(
  { messages, atStakeMicro, unknownCost }: Pick<Tallies, 'messages' | 'atStakeMicro' | 'unknownCost'>,
  unexplainedMicro: MoneyMicro | null,
): CreditEvidence {
  const waiting = messages.uncertain - messages.written_off;
  const evidence = { waiting, atStakeMicro, unexplainedMicro, explains: null };
  if (unexplainedMicro === null || unknownCost > 0 || atStakeMicro <= 0) return evidence;
  const explains = Math.round((unexplainedMicro / atStakeMicro) * waiting);
  const restMicro = Math.abs((explains * atStakeMicro) / waiting - unexplainedMicro);
  const isWhole = restMicro < LAST_DIGIT_MICRO && explains >= 0 && explains <= waiting;
  return { ...evidence, explains: isWhole ? explains : null };
}

/** The same as `--json` shows it. */
export function evidencePart({ waiting, atStakeMicro, unexplainedMicro, explains }: CreditEvidence) {
  return {
    waiting,
    at_stake: formatMoney(atStakeMicro),
    unexplained: unexplainedMicro === null ? null : formatMoney(unexplainedMicro),
    explains,
  };
}
