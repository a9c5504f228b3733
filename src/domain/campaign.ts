import type { CanaryRule } from './pace/canary.ts';
import type { GuardRule } from './guards.ts';
import type { MoneyMicro } from './money.ts';
import type { Language } from './text/template-words.ts';
import type { ReminderRule } from './time/occurrence.ts';
import type { SendWindow } from './time/window.ts';

/** A campaign's stored states. `finished` is derived: activated, not canceled, nothing queued or sending. */
export const CAMPAIGN_STATES = ['draft', 'scheduled', 'running', 'paused', 'canceled'] as const;
/** The stored state of a campaign; `finished` is derived when it is read. */
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

/** The reasons of a pause. */
export const PAUSE_REASONS = [
  'operator',
  'balance',
  'budget',
  'window',
  'errors',
  'canary',
  'credentials',
  'sender',
  'start',
] as const;
/** One of PAUSE_REASONS. */
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Promotional messages carry the opt-out text, honour opt-outs and keep to hours. */
export type CampaignKind = 'promotional' | 'transactional';

/** The retries after a throttle: exponential from `firstMs` to `mostMs`, `attempts` tries in all. */
export interface RetryPolicy {
  attempts: number;
  firstMs: number;
  mostMs: number;
}

/** The fixed settings of a launch, stored in the ledger; the original files are never read again. */
export interface CampaignSettings {
  zone: string;
  currency: string;
  /** null: at any hour. */
  window: SendWindow | null;
  /** Messages a second of this campaign; null: only the account's rate holds. */
  ratePerSecond: number | null;
  /** A message to the user's own phone; left out: it is not. */
  isTest?: true;
  retry: RetryPolicy;
  batchSize: number;
  /** The CSV's header, in order: `fields` of a message are aligned to it. */
  header: string[];
  /** The job file's `columns`: our name → header name. */
  columns: Record<string, string>;
  /** The headers of the key's columns, in order; left out: no key. */
  key?: string[];
  /** Replace characters that force UCS-2 by GSM-7 ones when rendering (`--gsm`). */
  gsmSafe: boolean;
  /** The language of dates in texts; left out: English. */
  language?: Language;
  /** The provider's addition to promotional messages, counted in segments, never sent by Tuma. Else empty. */
  optOutText: string;
  /** Every message has its own moment, counted from a date in its row. */
  remind?: ReminderRule;
  /** A recurring campaign is the snapshot of its firings, which are campaigns, too. `cron`: five fields. */
  every?: { cron: string; reread?: Reread };
  /** The first messages are sent alone. */
  canary?: CanaryRule;
  /** The rule that skips people because of earlier messages. */
  guard?: GuardRule;
}

/**
 * The absolute paths that each firing of a recurring job reads anew, and the allowed countries (ISO 3166). `contacts`
 * null: those that the job file names then.
 */
export interface Reread {
  job: string;
  contacts: string | null;
  countries: string[];
}

/** The hashes that make a campaign's identity (hex sha256). */
export interface CampaignHashes {
  job: string;
  template: string;
  contacts: string;
}

/** One campaign as the ledger holds it. Times are milliseconds since the epoch, UTC. */
export interface Campaign {
  /** The ledger's own integer, used in rows. */
  n: number;
  /** The id that people type and see. */
  id: string;
  name: string;
  kind: CampaignKind;
  state: CampaignState;
  reason: PauseReason | null;
  /** The provider's clientId of this campaign; null in a draft. */
  account: string | null;
  sender: string;
  /** The template's source text. */
  template: string;
  settings: CampaignSettings;
  hashes: CampaignHashes;
  budgetMicro: MoneyMicro | null;
  /** Sum planned at launch (upper estimate), null when no price was known. */
  estimatedMicro: MoneyMicro | null;
  createdAt: number;
  activatedAt: number | null;
  /** The due time of a scheduled start, and its largest delay. */
  startAt: number | null;
  startDeadlineMs: number;
}
