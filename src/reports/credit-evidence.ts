import type { CampaignReport } from './campaign-report.ts';

/** The last digit of a credit. */
const LAST_DIGIT = 0.01;

/** What the balance says about the uncertain messages of a campaign, as `--json` shows it. */
export interface CreditEvidence {
  /** The messages that wait for a decision, and the most that they may have cost. */
  waiting: number;
  at_stake: string;
  /** The fall of the credit beyond the known charges; null: other campaigns or a top-up hide it, or no reading. */
  unexplained: string | null;
  /** As many waiting messages as explain it, at the highest price; null: no number of them does. */
  explains: number | null;
}

/** The parts of a report that it is told from. */
export interface EvidenceFacts {
  balance: Pick<CampaignReport['balance'], 'unexplained'>;
  messages: Pick<CampaignReport['messages'], 'uncertain' | 'written_off'>;
  cost: Pick<CampaignReport['cost'], 'at_stake' | 'unknown'>;
}

/** Holds the fall of the credit against the uncertain messages of a report. */
export function creditEvidence({ balance, messages, cost }: EvidenceFacts): CreditEvidence {
  const waiting = messages.uncertain - messages.written_off;
  const [unexplained, atStake] = [Number(balance.unexplained), Number(cost.at_stake)];
  const explains = Math.round((unexplained / atStake) * waiting);
  const rest = Math.abs((explains * atStake) / waiting - unexplained);
  const isKnown = balance.unexplained !== null && cost.unknown === 0 && atStake > 0;
  const isWhole = isKnown && rest < LAST_DIGIT && explains >= 0 && explains <= waiting;
  return {
    waiting,
    at_stake: cost.at_stake,
    unexplained: balance.unexplained,
    explains: isWhole ? explains : null,
  };
}
