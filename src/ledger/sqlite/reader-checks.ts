import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { formatMoney } from '../../domain/money.ts';
import type { Violation } from '../reader.ts';
import type { Span } from './reader-campaigns.ts';
import { MOST_NAMED } from './reader-checks-ledger.ts';
import { prepareStatements } from './statements.ts';

const PAGE_CHECKS = [
  'identities',
  'settled_hints',
  'unreapable',
  'odd_messages',
  'unfound_ids',
  'off_moment',
  'attempts',
  'never_sent',
  'unauthorised',
  'unfounded_sent',
  'delivery_fold',
  'unfounded_delivery',
  'before_canary',
] as const;

/** A row that breaks an invariant, and how. */
interface Found {
  row: string;
  detail: string;
}

interface Sums {
  campaign: number;
  messages: number;
  first: number;
  last: number;
  sending: number;
  counted: number;
  reserved: number;
  sendingReserved: number;
  charged: number;
}

interface CampaignTotals {
  n: number;
  id: string;
  account: string;
  spent: number;
  reserved: number;
  takenBack: number;
  /** Attempts that were taken back. */
  neverSent: number;
  planned: number | null;
  identities: number;
}

interface AccountSums {
  spent: number;
  reserved: number;
  inFlight: number;
}

const NOTHING = {
  messages: 0,
  first: 1,
  last: 0,
  sending: 0,
  counted: 0,
  reserved: 0,
  sendingReserved: 0,
  charged: 0,
};

/** What campaigns, accounts and messages must fulfil: the sums of the report, and what the send protocol leans on. */
export function checkReads(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./reader-checks.sql', import.meta.url), [
    'sums',
    'campaign_totals',
    'account_totals',
    'rows_read',
    'batch_gaps',
    'batch_end',
    ...PAGE_CHECKS,
  ]);
  const all = (name: keyof typeof sql, ...values: SQLInputValue[]) =>
    sql[name].all(...values) as unknown as Found[];

  return {
    /** The sums that campaigns and accounts keep, against the messages. `campaign` null: all, and the accounts. */
    checkSums(campaign: number | null): Violation[] {
      const sums = sql.sums.all(campaign) as unknown as Sums[];
      const byCampaign = new Map(sums.map((of) => [of.campaign, of]));
      const campaigns = sql.campaign_totals.all(campaign) as unknown as CampaignTotals[];
      const found = campaigns.flatMap((totals) => {
        const gaps = all('batch_gaps', totals.n, MOST_NAMED);
        const batchEnd = Number(sql.batch_end.get(totals.n)?.['last']);
        const uploads = all('rows_read', totals.n, MOST_NAMED);
        return checkCampaign({ totals, sums: byCampaign.get(totals.n) ?? NOTHING, batchEnd, gaps, uploads });
      });
      if (campaign !== null) return found;
      const accounts = sql.account_totals.all() as unknown as (AccountSums & { account: string })[];
      return [...found, ...accounts.flatMap((kept) => checkAccount(kept, { campaigns, byCampaign }))];
    },

    /** What each row of a page of messages must fulfil by itself. */
    checkPage({ campaign, id, firstSeq, lastSeq }: Span & { id: string }): Violation[] {
      return PAGE_CHECKS.flatMap((invariant) =>
        all(invariant, campaign, firstSeq, lastSeq, MOST_NAMED).map(({ row, detail }) => ({
          invariant,
          campaign: id,
          row,
          detail,
        })),
      );
    },
  };
}

interface CampaignCheck {
  totals: CampaignTotals;
  sums: Omit<Sums, 'campaign'>;
  /** The last message that a batch covers. */
  batchEnd: number;
  gaps: Found[];
  /** Uploads whose rows do not add up. */
  uploads: Found[];
}

function checkCampaign({ totals, sums, batchEnd, gaps, uploads }: CampaignCheck): Violation[] {
  const { id, planned, identities, spent, reserved, takenBack, neverSent } = totals;
  const row = `campaign ${id}`;
  const found = [
    differ({ invariant: 'planned', row, said: planned ?? 0, is: sums.messages, what: 'messages' }),
    differ({
      invariant: 'contiguous',
      row,
      said: sums.last - sums.first + 1,
      is: sums.messages,
      what: 'messages',
    }),
    differ({ invariant: 'identities', row, said: identities, is: sums.messages, what: 'messages' }),
    differ({ invariant: 'batches_cover', row, said: batchEnd, is: sums.last, what: 'messages' }),
    differ({ invariant: 'campaign_spent', row, said: spent, is: sums.counted }),
    differ({ invariant: 'taken_back', row, said: takenBack, is: neverSent, what: 'attempts' }),
    differ({ invariant: 'campaign_reserved', row, said: reserved, is: sums.sendingReserved }),
    gaps.map((gap) => ({ invariant: 'batches_cover', ...gap })),
    uploads.map((upload) => ({ invariant: 'rows_read', ...upload })),
  ].flat();
  return found.map((violation) => ({ ...violation, campaign: id }));
}

interface Comparison {
  invariant: string;
  row: string;
  said: number;
  is: number;
  /** Of counts; without it both are amounts of money. */
  what?: string;
}

function differ({ invariant, row, said, is, what }: Comparison): Violation[] {
  if (said === is) return [];
  const shown = (value: number) => (what === undefined ? formatMoney(value) : `${value} ${what}`);
  return [
    { invariant, campaign: null, row, detail: `keeps ${shown(said)}, its messages add up to ${shown(is)}` },
  ];
}

interface Messages {
  campaigns: CampaignTotals[];
  byCampaign: Map<number, Sums>;
}

function checkAccount(
  kept: AccountSums & { account: string },
  { campaigns, byCampaign }: Messages,
): Violation[] {
  const sums = { spent: 0, reserved: 0, inFlight: 0 };
  for (const { n, account } of campaigns) {
    const of = byCampaign.get(n) ?? NOTHING;
    if (account !== kept.account) continue;
    sums.spent += of.charged;
    sums.reserved += of.reserved;
    sums.inFlight += of.sending;
  }
  const row = `account ${kept.account}`;
  return [
    differ({ invariant: 'account_spent', row, said: kept.spent, is: sums.spent }),
    differ({ invariant: 'account_reserved', row, said: kept.reserved, is: sums.reserved }),
    differ({
      invariant: 'account_in_flight',
      row,
      said: kept.inFlight,
      is: sums.inFlight,
      what: 'in flight',
    }),
  ].flat();
}
