import type { Connection } from '../../connection.ts';
import type { UncertainQuery, UncertainRow, YoungUncertain } from '../../contracts/reader.ts';
import { loadStatements } from '../../statements.ts';

/** Uncertain messages of a campaign, and the number of all. */
interface UncertainPage {
  rows: UncertainRow[];
  total: number;
}

type FoundRow = Omit<UncertainRow, 'writtenOff' | 'flags' | 'seen'> & {
  writtenOff: number;
  flags: string | null;
  /** Null: this attempt has no evidence. */
  seenAt: number | null;
  httpStatus: number | null;
  code: string | null;
  raw: string | null;
};

/** Reads uncertain messages with their evidence. */
export function uncertainReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-uncertain.sql', import.meta.url));
  return {
    youngUncertain: async ({
      campaign,
      since,
    }: {
      campaign: number;
      since: number;
    }): Promise<YoungUncertain> =>
      (await sql('young_uncertain').get(campaign, since)) as unknown as YoungUncertain,
    async uncertain({ campaign, limit, line, mobile }: UncertainQuery): Promise<UncertainPage> {
      const counted = await sql('count_uncertain').get(campaign, line, mobile);
      const { count: total } = counted as unknown as { count: number };
      if (total === 0 || limit === 0) return { rows: [], total };
      const found = await sql('uncertain').all(campaign, limit, line, mobile);
      return { rows: (found as unknown as FoundRow[]).map(uncertainRow), total };
    },
  };
}

function uncertainRow({ writtenOff, flags, seenAt, httpStatus, code, raw, ...row }: FoundRow): UncertainRow {
  return {
    ...row,
    writtenOff: writtenOff === 1,
    flags: flags === null || flags === '' ? [] : flags.split(','),
    seen: seenAt === null ? null : { at: seenAt, httpStatus, code, raw },
  };
}
