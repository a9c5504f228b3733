import type { PauseReason } from '../../domain/campaign.ts';
import type { Complaint } from './verdict.ts';

/* Failures in a row are counted in memory. A restart resets the counter, and no message is lost by that. */

/** Complaints in a row that pause a campaign, because a single one may be the fault of its message. */
const MOST_COMPLAINTS = { sender: 3, unlisted_code: 5, unreadable: 3, request: 3 } as const;

/** Counts, for each campaign, the same complaint in a row. */
export class ConsecutiveComplaints {
  readonly #byCampaign = new Map<number, { complaint: Complaint; count: number }>();

  /** Notes one verdict; returns the reason to pause after enough complaints in a row. */
  note(campaign: number, complaint: Complaint | null): PauseReason | null {
    if (complaint === null) {
      this.#byCampaign.delete(campaign);
      return null;
    }
    const before = this.#byCampaign.get(campaign);
    const count = before?.complaint === complaint ? before.count + 1 : 1;
    this.#byCampaign.set(campaign, { complaint, count });
    if (count < MOST_COMPLAINTS[kindOf(complaint)]) return null;
    this.#byCampaign.delete(campaign);
    return complaint === 'sender' ? 'sender' : 'errors';
  }
}

function kindOf(complaint: Complaint): keyof typeof MOST_COMPLAINTS {
  return complaint.startsWith('request:') ? 'request' : (complaint as keyof typeof MOST_COMPLAINTS);
}

/** The wait after the first failure; each further one in a row doubles it. */
export const FIRST_WAIT_MS = 5_000;
/** Failures in a row that pause a campaign. */
const MOST_FAILURES = 5;

/** The consequences of a failure. */
export interface FailedAgain {
  inARow: number;
  waitMs: number;
  /** A person should look; the next failure is the first again. */
  asksForPause: boolean;
}

/** Counts unreadable balance calls, and failed batches of each campaign, in a row. */
export class ConsecutiveFailures {
  readonly #byCampaign = new Map<number, number>();
  #balances = 0;

  /** A batch of the campaign was sent. */
  batchSent(campaign: number): void {
    this.#byCampaign.delete(campaign);
  }

  /** A batch of the campaign failed; `isTransient`: the reason does not count. */
  batchFailed(campaign: number, { isTransient }: { isTransient: boolean }): FailedAgain {
    const failed = after((this.#byCampaign.get(campaign) ?? 0) + (isTransient ? 0 : 1));
    this.#byCampaign.set(campaign, failed.asksForPause ? 0 : failed.inARow);
    return failed;
  }

  /** A balance call was read. */
  balanceRead(): void {
    this.#balances = 0;
  }

  /** A balance call could not be read. */
  balanceUnreadable(): FailedAgain {
    const failed = after(this.#balances + 1);
    this.#balances = failed.asksForPause ? 0 : failed.inARow;
    return failed;
  }
}

function after(inARow: number): FailedAgain {
  const waitMs = FIRST_WAIT_MS * 2 ** Math.max(0, inARow - 1);
  return { inARow, waitMs, asksForPause: inARow >= MOST_FAILURES };
}
