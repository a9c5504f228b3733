import type { Clock, Log, Processes } from '../campaign/env.ts';
import type { LaunchSettings } from '../campaign/launch/launch-settings.ts';
import type { Preparations } from '../campaign/prepare/preparations.ts';
import type { Tasks } from '../campaign/tasks/tasks.ts';
import type { Alert } from '../domain/alert.ts';
import type { TumaError } from '../domain/errors.ts';
import type { Delivery } from '../domain/message.ts';
import type { Config } from '../config/config.ts';
import type { AlertTarget } from '../ledger/contracts/alert-endpoints.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { Health } from '../reports/health.ts';
import type { MediaRequest } from '../provider/account/account-api.ts';
import type { Provider } from '../provider/provider.ts';

/** What pages and the API run with. Each thing is opened when it is first asked for. */
export interface WebEnv {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** A folder that goes with this process, for this user only. */
  readonly temporary: { readonly path: string; readonly freeBytes: number };
  /** Proves which worker processes are dead. */
  readonly processes: Processes;
  /** Read-only, on a thread of its own. */
  reader(): Promise<LedgerReader>;
  ledger(): Promise<Ledger>;
  /** Refuses with `credentials` when the account is not set. */
  provider(): Promise<Provider>;
  /** Downloads the file of a chat message. Throws what `keep` throws. */
  chatMedia(request: Pick<MediaRequest, 'id' | 'keep' | 'signal'>): Promise<FetchedMedia>;
  /** Posts an alert, signed. Rejects with a message that holds no secret when the receiver does not take it. */
  readonly postAlert: (target: AlertTarget, alert: Alert) => Promise<void>;
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

/** The file of a chat message, or why there is none. `not_set`: the settings of the v2 API are missing. */
export type FetchedMedia =
  | { outcome: 'saved'; file: string; bytes: number; mimeType: string }
  | {
      outcome: 'missing' | 'too_large' | 'no_file' | 'unauthorised' | 'unknown' | 'not_set';
      /** Of the provider; empty: none. */
      words: string;
      /** The same for a program. */
      error: TumaError;
    };
