import type { Clock, Log, Processes } from '../campaign/env.ts';
import type { LaunchSettings } from '../campaign/launch/launch-settings.ts';
import type { Preparations } from '../campaign/prepare/preparations.ts';
import type { Tasks } from '../campaign/tasks/tasks.ts';
import type { Delivery } from '../domain/message.ts';
import type { Config } from '../config/config.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerReader } from '../ledger/reader.ts';
import type { Health } from '../reports/health.ts';
import type { Provider } from '../provider/provider.ts';

/** What pages and the API run with. Each thing is opened when it is first asked for. */
export interface WebEnv {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** A folder that goes with this process, for this user only. */
  readonly temporary: { readonly path: string };
  /** Proves which worker processes are dead. */
  readonly processes: Processes;
  /** Read-only, on a thread of its own. */
  reader(): Promise<LedgerReader>;
  ledger(): Promise<Ledger>;
  /** Refuses with `credentials` when the account is not set. */
  provider(): Promise<Provider>;
  launchSettings(): Promise<LaunchSettings>;
  /** Looks at all that sending needs; it may take as long as the provider takes. */
  health(): Promise<Health>;
  /** The campaigns that are being made. */
  preparations(): Promise<Preparations>;
  /** Long work, such as a file of many messages. */
  tasks(): Promise<Tasks>;
  /** The profile's meaning of a word of a report; null: the profile does not know the word. */
  webhookReading(): Promise<{ knows: (word: string) => Delivery | null }>;
  /** Names of networks by their number. */
  networkNames(): Promise<Readonly<Record<string, string>>>;
}
