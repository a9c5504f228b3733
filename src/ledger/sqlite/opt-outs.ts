import type { DatabaseSync } from 'node:sqlite';
import { prepareStatements } from './statements.ts';

/** Numbers that must not be sent promotional messages. The claim reads them itself. */

export interface AddOptOuts {
  entries: { mobile: string; source: string }[];
  now: number;
}

export function optOutOperations(database: DatabaseSync) {
  const sql = prepareStatements(database, new URL('./opt-outs.sql', import.meta.url), [
    'add_opt_out',
    'is_opted_out',
  ]);
  return {
    addOptOuts({ entries, now }: AddOptOuts): void {
      for (const { mobile, source } of entries) sql.add_opt_out.run(mobile, source, now);
    },
    optedOut: (mobiles: string[]) => mobiles.filter((mobile) => sql.is_opted_out.get(mobile) !== undefined),
  };
}
