import type { Connection } from '../../connection.ts';
import type { HeldNetwork } from '../../contracts/reader.ts';
import type { Agenda, RemindersDue } from '../../contracts/schedules.ts';
import { loadStatements } from '../../statements.ts';

/** The number of firings and of moments that an agenda lists. */
const MOST_LISTED = 10;

/** Reads the time of a campaign's next message, its schedule, and the networks whose messages wait. */
export function agendaReads(database: Connection) {
  const sql = loadStatements(database, new URL('./reader-agenda.sql', import.meta.url));
  return {
    async heldNetworks(campaign: number): Promise<HeldNetwork[]> {
      const rows = (await sql('held_networks').all(campaign)) as unknown as (HeldNetwork & {
        probing: unknown;
      })[];
      return rows.map((row) => ({ ...row, probing: Number(row.probing) === 1 }));
    },
    async remindersDue({
      from,
      to,
      limit,
    }: {
      from: number;
      to: number;
      limit: number;
    }): Promise<RemindersDue[]> {
      return (await sql('reminders_due').all(from, to, limit)) as unknown as RemindersDue[];
    },
    async agenda(campaign: number): Promise<Agenda> {
      const nextDueAt = ((await sql('next_due').get(campaign))?.['due'] ?? null) as number | null;
      const moments = (await sql('due_moments').all(campaign, MOST_LISTED)) as unknown as Agenda['due'];
      const due = moments.map((moment) => ({ ...moment }));
      const found = (await sql('schedule').get(campaign)) as
        | { next_at: number | null; state: string; fired: number; missed: number }
        | undefined;
      const firedBy = ((await sql('fired_by').get(campaign))?.['id'] ?? null) as string | null;
      if (found === undefined) return { nextDueAt, due, firedBy, schedule: null };
      const latest = (await sql('latest_firings').all(campaign, MOST_LISTED)) as unknown as {
        at: number;
        campaign: string | null;
        leftOut: number;
      }[];
      const open = (await sql('open_firings').all(campaign)).map(({ id }) => String(id));
      const { fired, missed } = found;
      const nextAt = found.state === 'scheduled' ? found.next_at : null;
      return {
        nextDueAt,
        due,
        firedBy,
        schedule: {
          nextAt,
          fired,
          missed,
          open,
          latest: latest.map((row) => ({ ...row, leftOut: row.leftOut === 1 })),
        },
      };
    },
  };
}
