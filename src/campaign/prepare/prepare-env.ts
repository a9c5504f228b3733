import type { LaunchSettings } from '../launch/launch-settings.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Provider } from '../../provider/provider.ts';
import type { Clock, Log, Processes } from '../env.ts';
import type { PlanApart } from './plan-order.ts';

/** What preparations run with. */
export interface PrepareEnv {
  ledger: Ledger;
  reader: () => Promise<LedgerReader>;
  /** Refuses with `credentials` when the account is not set. */
  provider: () => Promise<Provider>;
  settings: LaunchSettings;
  clock: Clock;
  random: () => number;
  log: Log;
  processes: Processes;
  /** The folder that holds `preparations/`. */
  sharedFolder: string;
  /** The folder of copies, which goes with this process. */
  copies: string;
  /** The folder of job files that a preparation may begin from; null: there is none. */
  jobs: string | null;
  /** Plans in a process of its own. */
  planApart: PlanApart;
}
