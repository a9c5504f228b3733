import type { DatabaseSync } from 'node:sqlite';
import type { HeldNetwork } from '../reader.ts';
import { prepareStatements } from './statements.ts';

/** Reads which networks' messages wait. */
export function networkReads(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./reader-networks.sql', import.meta.url), [
    'held_networks',
  ]);
  return {
    heldNetworks(campaign: number): HeldNetwork[] {
      const rows = sql.held_networks.all(campaign) as unknown as (Omit<HeldNetwork, 'probing'> & {
        probing: number;
      })[];
      return rows.map((row) => ({ ...row, probing: row.probing === 1 }));
    },
  };
}
