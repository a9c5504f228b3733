import type { DatabaseSync } from 'node:sqlite';
import type { PayloadPaths } from '../../domain/payload-paths.ts';
import type { StateChange } from '../records.ts';
import type { PayloadMapping, PayloadMappings } from '../replies.ts';
import type { CampaignRecords } from './campaigns.ts';
import { loadStatements } from './statements.ts';

/** Shapes of delivery reports that a person pointed at by path. */

/** Shapes as the writing and the reading thread look them up. */
export function payloadMappingRecords(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./payload-mappings.sql', import.meta.url));
  return {
    sql,
    read(): PayloadMappings {
      const rows = sql('live').all() as unknown as (Omit<PayloadMapping, 'paths'> & { paths: string })[];
      const shapes = rows.map((row) => ({ ...row, paths: JSON.parse(row.paths) as PayloadPaths }));
      return { version: Number(sql('version').get()?.['version']), shapes };
    },
  };
}

/** What a person does with shapes (ledger/replies.ts). */
export function payloadMappingOperations(
  database: DatabaseSync,
  { campaigns }: { campaigns: CampaignRecords },
) {
  const records = payloadMappingRecords(database);
  const { sql } = records;
  return {
    payloadMappings: () => records.read(),
    addPayloadMapping({ paths, now, by }: StateChange & { paths: PayloadPaths }): number {
      const text = JSON.stringify(paths);
      const known = sql('live_with').get(text);
      if (known !== undefined) return Number(known['id']);
      const shape = Number(sql('add').run(text, now, by).lastInsertRowid);
      campaigns.audit({ now, by, verb: 'map', campaign: null, detail: { shape, paths } });
      return shape;
    },
    voidPayloadMapping({ shape, now, by }: StateChange & { shape: number }): boolean {
      if (sql('void').run(shape, now).changes === 0) return false;
      campaigns.audit({ now, by, verb: 'void', campaign: null, detail: { shape } });
      return true;
    },
  };
}
