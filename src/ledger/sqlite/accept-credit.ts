import type { AcceptedCredit } from '../recovery.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { moneyOperations } from './money.ts';

/** Accepting a credit (recovery.ts of the contract): in one commit it is read, and the audit names who accepted it. */
export function acceptCreditOperation({
  campaigns,
  money,
}: {
  campaigns: CampaignRecords;
  money: ReturnType<typeof moneyOperations>;
}) {
  return {
    acceptCredit({ account, startedAt, creditMicro, now, by }: AcceptedCredit): void {
      const begun = money.beginReading({ account, now: startedAt });
      money.recordReading({ account, begun, at: now, creditMicro, late: true });
      campaigns.audit({
        now,
        by,
        verb: 'accept-credit',
        campaign: null,
        detail: { account, credit: creditMicro },
      });
    },
  };
}
