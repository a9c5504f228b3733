import type { CampaignKind, RetryPolicy } from './campaign.ts';
import type { CanaryRule } from './pace/canary.ts';
import type { GuardRule } from './guards.ts';
import type { MoneyMicro } from './money.ts';
import type { Language } from './text/template-words.ts';
import type { ReminderRule } from './time/occurrence.ts';
import type { SendWindow } from './time/window.ts';

/** A checked job file, with its defaults filled in. Paths are as written, relative to the job file. */
export interface Job {
  name: string;
  kind: CampaignKind;
  /** null: the setting `TUMA_SENDER` holds. */
  sender: string | null;
  /** A file, or the message itself. */
  template: { file: string } | { message: string };
  /** null: only a `--contacts` on the command line names one. */
  contacts: string | null;
  /** The language of dates in texts. */
  language: Language;
  /** The sheet of an Excel workbook; null: the first. */
  sheet: string | null;
  /** Rows that a workbook hides by a filter are read, too; left out: `all`. */
  rows?: 'all' | 'visible';
  /** The line of the contacts' header; left out: it is found. */
  headerLine?: number;
  /** Replace characters that force UCS-2 by GSM-7 ones (`gsm`, `--gsm`). */
  gsmSafe: boolean;
  /** Our name → header name. `mobile` names the (first) column of the numbers. */
  columns: Record<string, string>;
  /** More columns with numbers: the first usable number of a row gets the message. */
  otherMobiles: string[];
  /** The countries that may be sent to beside the home country (ISO 3166); null: as the settings say. */
  countries: string[] | null;
  /** The columns that allow several messages per person (invoice, pupil); empty: none. */
  key: string[];
  /** Local time in the campaign's zone, or with an offset: `parseLocalTime` reads it. null: at once. */
  start: string | null;
  startDeadlineMs: number;
  /** Instead of `start`: each contact has its own moment. */
  remind: ReminderRule | null;
  /** Instead of `start`: recurs by the five fields of cron. */
  every: { cron: string; contacts: 'reread' | null } | null;
  /** null: at any hour. */
  window: SendWindow | null;
  /** null: only the account's rate holds. */
  ratePerSecond: number | null;
  batchSize: number;
  budgetMicro: MoneyMicro | null;
  retry: RetryPolicy;
  /** null: all messages go at once. */
  canary: CanaryRule | null;
  guard: GuardRule;
  /** A message to the user's own phone, which is no part of a campaign of this job; left out: it is not. */
  isTest?: true;
}

/** The defaults of a job file. */
export const JOB_DEFAULTS = {
  startDeadlineMs: 2 * 3_600_000,
  batchSize: 500,
  /** A message accepted this long before the end arrives in time, unless the provider is far behind. */
  windowMarginMinutes: 10,
  remindAtMinute: 9 * 60,
  retry: { attempts: 5, firstMs: 30_000, mostMs: 600_000 },
  canary: { first: 50, waitMs: 15 * 60_000, delivered: 0.8 },
  /** `sameTextMs` is for promotional jobs; transactional ones may repeat a text. */
  guard: { sameTextMs: 24 * 3_600_000, perMs: 7 * 24 * 3_600_000 },
} as const;

/** The default hours of promotional messages: those of Kenyan operators, every day. */
export const PROMOTIONAL_WINDOW: SendWindow = {
  fromMinute: 480,
  toMinute: 1080,
  days: [1, 2, 3, 4, 5, 6, 7],
  marginMinutes: JOB_DEFAULTS.windowMarginMinutes,
};

/** What a campaign may be called, beside its length. */
export const CAMPAIGN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]*$/u;

/** Bounds of a job file's numbers. */
export const JOB_LIMITS = {
  /** The most reminders of a series. */
  series: 10,
  batchSize: 5_000,
  attempts: 100,
  nameLength: 64,
  /** The most phones that one test goes to. */
  testPhones: 3,
  senderLength: 20,
  headerNameLength: 200,
  /** The header is looked for at the start of a file. */
  headerLine: 1_000,
  /** The most columns with numbers, and the most columns of a key. */
  mobileColumns: 5,
  keyColumns: 5,
  most: 1_000,
} as const;
