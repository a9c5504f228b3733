import type { Connection } from '../../connection.ts';
import type { TaskLedger, TaskReader, TaskRow } from '../../contracts/tasks.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

type Row = Omit<TaskRow, 'identities'> & { identities: string };

/** Long work that a process of its own does. */
export function taskOperations(database: Connection, campaigns: CampaignRecords): TaskLedger {
  const sql = loadStatements(database, new URL('./tasks.sql', import.meta.url));
  return {
    async beginTask(task) {
      const { id, kind, asked, by, identities, process, total, campaign, now, audit } = task;
      const same = await sql<{ id: string }>('same').get(kind, asked, by);
      if (same !== undefined) return rowOf((await sql<Row>('tasks').get(same.id)) as Row);
      await sql('begin').run(id, kind, asked, by, JSON.stringify(identities), process, total, campaign, now);
      if (audit !== null) await campaigns.audit({ now, by, verb: kind, ...audit });
      return rowOf((await sql<Row>('tasks').get(id)) as Row);
    },
    takeTask: async ({ id, process, now, dead }) =>
      (await sql('take').run(id, process, now, dead)).changes > 0,
    noteTask: async ({ id, process, now, done }) =>
      (await sql('note').run(id, process, now, done)).changes > 0,
    endTask: operation(
      { right: 'none' },
      async ({ id, process, now, state, done, result, asked }) =>
        (await sql('end').run(id, process, now, state, done, result, asked)).changes > 0,
    ),
    forgetTasks: async ({ before, mostExports }) =>
      Number((await sql('forget').run(before, mostExports)).changes),
  };
}

/** Reads tasks. */
export function taskReads(database: Connection): TaskReader {
  const sql = loadStatements(database, new URL('./tasks.sql', import.meta.url));
  return {
    async task(id) {
      const row = await sql<Row>('tasks').get(id);
      return row === undefined ? null : rowOf(row);
    },
    tasks: async () => (await sql<Row>('tasks').all(null)).map(rowOf),
  };
}

function rowOf(row: Row): TaskRow {
  return { ...row, identities: JSON.parse(row.identities) as string[] };
}
