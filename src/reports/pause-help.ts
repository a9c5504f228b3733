import type { PauseReason } from '../domain/campaign.ts';
import type { MoneyMicro } from '../domain/money.ts';
import type { CampaignOverview, LastReading } from '../ledger/contracts/reader.ts';

/** What an advice about a pause is drawn from. Money in millionths, times in milliseconds. */
export interface Paused {
  overview: CampaignOverview;
  reason: PauseReason;
  /** The latest credit that was read; null: none was. */
  creditMicro: MoneyMicro | null;
  /** For a cut-off campaign: the last reading of its account, of any age; left out or null: none. */
  lastReading?: LastReading | null;
  now: number;
}

/** What a paused campaign waits for. */
export const PAUSE_ACTIONS = ['resume', 'resume_or_cancel', 'top_up', 'wait'] as const;
/** What must be given with a resume, or put right before it. */
export const PAUSE_NEEDS = ['budget', 'sender', 'settings'] as const;

/** The way on from a pause, as data. With `top_up` and `wait` it goes on by itself. */
export interface PauseHelp {
  action: (typeof PAUSE_ACTIONS)[number];
  /** The id. */
  campaign: string;
  needs: (typeof PAUSE_NEEDS)[number] | null;
}

/** The way on from a pause. */
export function pauseHelp({ overview, reason }: Paused): PauseHelp {
  const isWaiting = reason === 'canary' && overview.canary?.verdict === 'waiting';
  return {
    action: isWaiting ? 'wait' : (ACTIONS[reason] ?? 'resume'),
    campaign: overview.campaign.id,
    needs: NEEDS[reason] ?? null,
  };
}

const ACTIONS: Partial<Readonly<Record<PauseReason, PauseHelp['action']>>> = {
  balance: 'top_up',
  window: 'wait',
  start: 'resume_or_cancel',
};

const NEEDS: Partial<Readonly<Record<PauseReason, PauseHelp['needs']>>> = {
  budget: 'budget',
  sender: 'sender',
  credentials: 'settings',
};

/** The account's missing credit for the remaining messages, at the launch price; null: none, or unknown. */
export function missingCredit({ overview, reason, creditMicro }: Paused): MoneyMicro | null {
  const { leftMicro = null } = overview;
  if (reason !== 'balance' || leftMicro === null || creditMicro === null) return null;
  return leftMicro > creditMicro ? leftMicro - creditMicro : null;
}
