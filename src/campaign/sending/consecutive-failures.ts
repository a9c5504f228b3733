import type { PauseReason } from '../../domain/campaign.ts';
import type { Complaint } from './verdict.ts';

/** Complaints in a row that pause a campaign: one refusal may be one message's fault, a row of them is not. */
const LIMITS = { sender: 3, unlisted_code: 5, unreadable: 3, request: 3 } as const;

/** Counts, for each campaign, the same complaint in a row. Kept in memory: a restart may only forgive, never forget a message. */
export class Streaks {
  #rows = new Map<number, { complaint: Complaint; count: number }>();

  /** Notes one verdict; answers the reason to pause with when the row is long enough. */
  note(campaign: number, complaint: Complaint | null): PauseReason | null {
    if (complaint === null) {
      this.#rows.delete(campaign);
      return null;
    }
    const row = this.#rows.get(campaign);
    const count = row?.complaint === complaint ? row.count + 1 : 1;
    this.#rows.set(campaign, { complaint, count });
    if (count < LIMITS[kindOf(complaint)]) return null;
    this.#rows.delete(campaign);
    return complaint === 'sender' ? 'sender' : 'errors';
  }
}

function kindOf(complaint: Complaint): keyof typeof LIMITS {
  return complaint.startsWith('request:') ? 'request' : (complaint as keyof typeof LIMITS);
}
