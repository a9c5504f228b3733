import type { Clock, Log, Processes, WireFiles } from '../campaign/env.ts';
import type { LaunchSettings } from '../campaign/launch/launch-settings.ts';
import type { Preparations } from '../campaign/prepare/preparations.ts';
import type { ParseWebhook } from '../campaign/inbound/process-webhooks.ts';
import type { Tasks } from '../campaign/tasks/tasks.ts';
import type { Config } from '../config/config.ts';
import type { Alert } from '../domain/alert.ts';
import type { TumaError } from '../domain/errors.ts';
import type { Delivery } from '../domain/message.ts';
import type { WishReader } from '../domain/text/opt-out-words.ts';
import type { AlertTarget } from '../ledger/contracts/alert-endpoints.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { LedgerMove } from '../ledger/contracts/ledger-move.ts';
import type { LedgerReader } from '../ledger/contracts/reader.ts';
import type { AccountApi, MediaRequest, MediaResult } from '../provider/account/account-api.ts';
import type { TemporaryFolder } from '../system/temporary-folder.ts';
import type { Health } from '../reports/health.ts';
import type { Provider } from '../provider/provider.ts';

/**
 * The rest of Tuma as the commands see it. Each thing is opened when it is first asked for, and `dispose`
 * closes all of them in reverse.
 */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Proves which worker processes are dead. */
  readonly processes: Processes;
  /** The wire notes of this home's workers. */
  readonly wire: WireFiles;
  /** Read-only; refuses (`not_found`) when there is no ledger yet rather than creating one. */
  reader(): Promise<LedgerReader>;
  /** Tells the listener the milliseconds of each later commit of the ledger. */
  watchCommits(listener: (ms: number) => void): void;
  /** Opens the ledger to write; creates and migrates it when it is new. */
  ledger(): Promise<Ledger>;
  /** Opens the ledger of another home, for `init`; its caller closes it. */
  ledgerAt(home: string): Promise<Ledger>;
  /** Opens the ledger in its file for a move to Postgres; its caller closes it. `url` null: only to take a move back. */
  moveLedger(asked: { url: string | null; by: string }): Promise<LedgerMove>;
  /** Refuses with `credentials` when the URL, key or secret are not set. */
  provider(): Promise<Provider>;
  /** The v2 API. Refuses with `credentials` when the URL, or what TUMA_V2_AUTH needs, is not set. */
  accountApi(): Promise<AccountApi>;
  /** Downloads the file of a chat message. Throws `usage` for an id that is none, and what `keep` throws. */
  chatMedia(request: Pick<MediaRequest, 'id' | 'keep' | 'signal'>): Promise<ChatMedia>;
  /** Posts an alert to an endpoint. Rejects with a message that holds no secret when it is not taken. */
  readonly postAlert: (target: AlertTarget, alert: Alert) => Promise<void>;
  /** A ledger of its own for a plan that nobody launches; it is deleted by `dispose`. */
  scratchLedger(): Promise<Ledger>;
  /** For what must not outlive this process; `dispose` removes it, or after a kill the next command does. */
  readonly temporary: TemporaryFolder;
  /** Throws `config_invalid` for a profile that is wrong. */
  webhookReading(): Promise<WebhookReading>;
  /** Names of networks by their number. Throws `config_invalid` for a profile that is wrong. */
  networkNames(): Promise<Readonly<Record<string, string>>>;
  /** The settings of plans and launches. Throws `config_invalid` for a profile that is wrong. */
  launchSettings(): Promise<LaunchSettings>;
  /** The campaigns that people make in pages and programs by the API. Refuses like `launchSettings`. */
  preparations(): Promise<Preparations>;
  /** Long work in processes of its own: files of many messages, the removal of personal data. */
  tasks(): Promise<Tasks>;
  /** Starts roles in this process. `patient`: wait for a Redis that does not answer instead of refusing. */
  startRoles(options: { roles: readonly Role[]; patient: boolean }): Promise<RunningRoles>;
  /** Looks at the configured Redis, or at the private one when it runs; never starts one. For doctor. */
  checkRedis(): Promise<RedisCheck>;
  /** Looks at all that sending needs. It rejects only for a disk that cannot be asked. */
  health(): Promise<Health>;
  /** Starts the provider's stand-in and resolves when it listens. */
  startSandbox(options: { faults: string | null }): Promise<RunningSandbox>;
  dispose(): Promise<void>;
}

/** The file of a chat message, or why there is none. `not_set`: the settings of the v2 API are missing. */
export type ChatMedia =
  | Extract<MediaResult, { outcome: 'saved' }>
  | {
      outcome: Exclude<MediaResult['outcome'], 'saved'> | 'not_set';
      /** Of the provider; empty: none. */
      words: string;
      /** The same for a terminal or a program. */
      error: TumaError;
    };

/** How webhooks are read by the provider's profile; all of it pure. */
export interface WebhookReading {
  /** The collector's answer to a stored webhook. */
  answer: string;
  parse: ParseWebhook;
  wishOf: WishReader;
  /** A quick look: may this be an inbound message? */
  mayBeReply: (raw: { query: string; body: Uint8Array }) => boolean;
  /** The profile's meaning of a word of a report; null: the profile does not know the word. */
  knows: (word: string) => Delivery | null;
}

/** The long-running parts of Tuma. */
export const ROLES = ['worker', 'collector', 'web'] as const;
/** A part that `tuma serve` can run. */
export type Role = (typeof ROLES)[number];

/** True for a process that strangers reach and nobody else: it sends nothing, shows nothing, and reads no campaign. */
export function isCollectorAlone(roles: readonly Role[]): boolean {
  return roles.every((role) => role === 'collector');
}

/** Roles that run in this process. */
export interface RunningRoles {
  /** Where the collector and the pages listen, without the token; null for a role that does not run. */
  collectorUrl: string | null;
  webUrl: string | null;
  /** Ends the claims, answers open requests, and records every verdict. */
  stop(): Promise<void>;
}

/** How the Redis of the queue was found. `policy` is its `maxmemory-policy`. */
export type RedisCheck =
  | { state: 'ready'; where: string; version: string; policy: string }
  /** The private Redis is not running now; `server` is the binary that would be started. */
  | { state: 'private'; server: string; version: string }
  | { state: 'problem'; message: string; hint: string | null };

/** A sandbox that listens. */
export interface RunningSandbox {
  url: string;
  apiKey: string;
  apiSecret: string;
  /** Of the v2 API. */
  apiToken: string;
  /** Where it appends the truth: what it received and accepted. */
  truthFile: string;
  /** Where its reports go, without the token; null: the collector's port is not known, and they wait. */
  collector: string | null;
  /** Resolves (never rejects) with the reason when it ended by itself, because its truth log failed. */
  closed: Promise<TumaError>;
  close(): Promise<void>;
}

/** Builds the services from a configuration: `openServices` of services.ts. */
export type OpenServices = (config: Config, log: Log) => Promise<Services>;
