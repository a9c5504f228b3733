import type { Connection } from '../../connection.ts';
import type { LastReading, OpenCampaign, PlannedAhead } from '../../contracts/reader.ts';
import { loadStatements } from '../../statements.ts';

/** The moments of a campaign of reminders that are told one by one. */
const MOST_MOMENTS = 10;

interface AheadRow {
  n: number;
  id: string;
  name: string;
  zone: string;
  isReminder: unknown;
  startAt: number | null;
  price: number | null;
  estimatedMicro: number | null;
  isSchedule: unknown;
  nextAt: number | null;
  waiting: number;
  segments: number;
  total: number;
}

interface Moment {
  campaign: number;
  at: number;
  messages: number;
}

/** Reads what open campaigns still have to send, beside the credit: all of them in one snapshot. */
export function aheadReads(
  database: Connection,
  readings: {
    accounts: () => Promise<string[]>;
    lastReading: (account: string) => Promise<LastReading | null>;
  },
) {
  const sql = loadStatements(database, new URL('./reader-ahead.sql', import.meta.url));
  return {
    async plannedAhead(account: string | null): Promise<PlannedAhead> {
      const [only, ...others] = account === null ? await readings.accounts() : [account];
      const rows = (await sql('ahead_campaigns').all(account)) as unknown as AheadRow[];
      const moments = (await sql('ahead_moments').all(account, MOST_MOMENTS - 1)) as unknown as Moment[];
      const due = Map.groupBy(moments, ({ campaign }) => campaign);
      return {
        reading: only === undefined || others.length > 0 ? null : await readings.lastReading(only),
        campaigns: rows.map((row) => openCampaign(row, due.get(row.n) ?? [])),
      };
    },
  };
}

function openCampaign(row: AheadRow, moments: readonly Moment[]): OpenCampaign {
  const { id, name, zone, startAt, price, waiting, segments, total, nextAt, estimatedMicro } = row;
  const isTrue = (value: unknown) => Number(value) === 1;
  return {
    campaign: { id, name, zone },
    startAt,
    waiting,
    leftMicro: price === null ? null : segments * price,
    due: isTrue(row.isReminder) ? moments.map(({ at, messages }) => ({ at, messages })) : null,
    firing: isTrue(row.isSchedule) ? { at: nextAt, messages: total, costMicro: estimatedMicro } : null,
  };
}
