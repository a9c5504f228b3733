import type { Connection } from '../../connection.ts';
import type { HeldNetwork, LedgerReader, OpenCampaign } from '../../contracts/reader.ts';
import type { Agenda, RemindersDue } from '../../contracts/schedules.ts';
import { mapInOrder } from '../../in-order.ts';
import { loadStatements } from '../../statements.ts';

/** The number of firings and of moments that are listed of a campaign. */
const MOST_LISTED = 10;

type Schedule = NonNullable<Agenda['schedule']>;
type LatestFiring = Omit<Schedule['latest'][number], 'leftOut'> & { isLeftOut: number };

interface AheadRow {
  n: number;
  id: string;
  name: string;
  zone: string;
  isReminder: number;
  startAt: number | null;
  price: number | null;
  estimatedMicro: number | null;
  isSchedule: number;
  nextAt: number | null;
  waiting: number;
  segments: number;
  total: number;
}

/** Reads what campaigns still have to send, and when; `account` tells the credit beside it. */
export function agendaReads(database: Connection, account: Pick<LedgerReader, 'accounts' | 'lastReading'>) {
  const sql = loadStatements(database, new URL('./agenda.sql', import.meta.url));
  const momentsOf = async (campaign: number) =>
    await sql<Agenda['due'][number]>('due_moments').all(campaign, MOST_LISTED);
  return {
    remindersDue: async ({ from, to, limit }) =>
      await sql<RemindersDue>('reminders_due').all(from, to, limit),

    async agenda(campaign) {
      const next = (await sql('next').get(campaign)) as Pick<Agenda, 'nextDueAt' | 'firedBy'>;
      const due = await momentsOf(campaign);
      const found = await sql<Omit<Schedule, 'latest' | 'open'>>('schedule').get(campaign);
      if (found === undefined) return { ...next, due, schedule: null };
      const firings = await sql<LatestFiring>('latest_firings').all(campaign, MOST_LISTED);
      const latest = firings.map(({ isLeftOut, ...firing }) => ({ ...firing, leftOut: isLeftOut === 1 }));
      const open = (await sql<{ id: string }>('open_firings').all(campaign)).map(({ id }) => id);
      return { ...next, due, schedule: { ...found, latest, open } };
    },

    async plannedAhead(id) {
      const [only, ...others] = id === null ? await account.accounts() : [id];
      const rows = await sql<AheadRow>('ahead_campaigns').all(id);
      return {
        reading: only === undefined || others.length > 0 ? null : await account.lastReading(only),
        campaigns: await mapInOrder(rows, async (row) => {
          return openCampaign(row, row.isReminder === 1 ? await momentsOf(row.n) : null);
        }),
      };
    },
  } satisfies Partial<LedgerReader>;
}

/** Reads the networks whose messages of a campaign wait. */
export function heldNetworks(database: Connection): (campaign: number) => Promise<HeldNetwork[]> {
  const sql = loadStatements(database, new URL('./agenda.sql', import.meta.url));
  return async (campaign) => {
    const rows = await sql<Omit<HeldNetwork, 'probing'> & { isProbing: number }>('held_networks').all(
      campaign,
    );
    return rows.map(({ isProbing, ...row }) => ({ ...row, probing: isProbing === 1 }));
  };
}

function openCampaign(row: AheadRow, due: OpenCampaign['due']): OpenCampaign {
  const { id, name, zone, startAt, price, waiting, segments, total, nextAt, estimatedMicro } = row;
  return {
    campaign: { id, name, zone },
    startAt,
    waiting,
    leftMicro: price === null ? null : segments * price,
    due,
    firing: row.isSchedule === 1 ? { at: nextAt, messages: total, costMicro: estimatedMicro } : null,
  };
}
