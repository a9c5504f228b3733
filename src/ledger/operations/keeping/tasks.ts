import type { Connection } from '../../connection.ts';
import type { EndedTask, NewTask, TaskKind, TaskRow, WorkedTask } from '../../contracts/tasks.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import { loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

interface Row {
  id: string;
  kind: TaskKind;
  state: TaskRow['state'];
  asked: string;
  by: string;
  identities: string;
  process: string | null;
  done: number;
  total: number | null;
  result: string | null;
  campaign: string | null;
  begun_at: number;
  changed_at: number;
  ended_at: number | null;
}

/** The operations of tasks.ts of the contract. */
export function taskOperations(database: Connection, campaigns: CampaignRecords) {
  const sql = loadStatements(database, new URL('./tasks.sql', import.meta.url));
  return {
    async beginTask(task: NewTask): Promise<TaskRow> {
      const { id, kind, asked, by, identities, process, total, campaign, now, audit } = task;
      const same = (await sql('same').get(kind, asked, by)) as Row | undefined;
      if (same !== undefined) return rowOf(same);
      await sql('begin').run(id, kind, asked, by, JSON.stringify(identities), process, total, campaign, now);
      if (audit !== null) await campaigns.audit({ now, by, verb: kind, ...audit });
      return rowOf((await sql('one').get(id)) as unknown as Row);
    },
    takeTask: async ({ id, process, now, dead }: WorkedTask & { dead: string }): Promise<boolean> =>
      (await sql('take').run(id, process, now, dead)).changes > 0,
    noteTask: async ({ id, process, now, done }: WorkedTask & { done: number }): Promise<boolean> =>
      (await sql('note').run(id, process, now, done)).changes > 0,
    endTask: operation(
      { right: 'none' },
      async ({ id, process, now, state, done, result, asked }: EndedTask) =>
        (await sql('end').run(id, process, now, state, done, result, asked)).changes > 0,
    ),
    forgetTasks: async ({ before, mostExports }: { before: number; mostExports: number }): Promise<number> =>
      Number((await sql('forget').run(before, mostExports)).changes),
  };
}

/** Reads tasks. */
export function taskReads(database: Connection) {
  const sql = loadStatements(database, new URL('./tasks.sql', import.meta.url));
  return {
    task: async (id: string): Promise<TaskRow | null> => {
      const row = (await sql('one').get(id)) as Row | undefined;
      return row === undefined ? null : rowOf(row);
    },
    tasks: async (): Promise<TaskRow[]> => ((await sql('all').all()) as unknown as Row[]).map(rowOf),
  };
}

function rowOf({ identities, begun_at, changed_at, ended_at, ...row }: Row): TaskRow {
  return {
    ...row,
    identities: JSON.parse(identities) as string[],
    begunAt: begun_at,
    changedAt: changed_at,
    endedAt: ended_at,
  };
}
