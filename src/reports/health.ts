import type { ErrorCode, TumaError } from '../domain/errors.ts';
import type { UnmatchedReports } from '../domain/unmatched-reports.ts';

/** The parts that are looked at. */
export const CHECKS = [
  'node',
  'sqlite',
  'ledger',
  'guard',
  'secrets',
  'redis',
  'credentials',
  'webhook',
  'clock',
  'worker',
  'charges',
  'reports',
  'alerts',
  'v2',
] as const;
/** One of CHECKS. */
export type CheckName = (typeof CHECKS)[number];

/** `fail`: sending will not work; `warn`: it may not, or not as well. */
export type CheckState = 'ok' | 'warn' | 'fail';

/** The parts of an error. `code`: null where it is none of ours. */
export interface FailedFacts extends Pick<TumaError, 'message' | 'hint' | 'advice'> {
  code: ErrorCode | null;
}

/** What may be found, with its facts; null: there are none. Sizes in bytes, times in milliseconds, money as decimal strings. */
export interface FindingFacts {
  /** An error for a person, in its own words. */
  failed: FailedFacts;
  version: { version: string };
  nodeTooOld: { version: string; oldest: string };
  ledger: LedgerFound;
  ledgerReadable: LedgerFound;
  ledgerOnPostgres: { place: string; engine: string; campaigns: number };
  ledgerPlain: { place: string };
  /** Webhooks can be stored there. */
  inbox: { place: string };
  noLedger: { file: string };
  noLedgerPossible: { file: string; why: string };
  guarded: { folder: string };
  /** `folder` null: there is none. `why` null: its note cannot be written. */
  unguarded: { folder: string | null; why: string | null };
  /** The files that secrets were read from. */
  secretsSafe: { files: string[] };
  secretsReadable: { file: string; mode: string };
  privateRedis: { server: string; version: string };
  redis: { version: string; where: string; policy: string };
  redisEvicts: { version: string; where: string; policy: string };
  account: { account: string; currency: string; credit: string };
  /** `httpStatus` null: no answer. */
  noAccount: { httpStatus: number | null; words: string; isRefused: boolean };
  creditsAsked: { auth: string };
  noCredits: FailedFacts;
  /** This collector has no TUMA_WEBHOOK_TOKEN. */
  ownToken: null;
  noPublicUrl: null;
  collector: { url: string };
  collectorPlain: { url: string };
  collectorStuck: { url: string };
  /** `status` null: nothing answers. `isOther`: it answers, and not as a collector does. */
  noCollector: { url: string; status: number | null; isOther: boolean };
  clockAlone: { at: number };
  clockRight: null;
  clockOff: { seconds: number };
  /** Null: there is no ledger yet. */
  workers: { count: number | null };
  nothingCharged: null;
  chargesRight: null;
  chargesWrong: { charged: number; counted: number };
  noReports: null;
  reportsJoin: null;
  reportsUnmatched: UnmatchedReports;
  /** By how many ways of the settings, and to which addresses of programs (without path), alerts go. */
  alertsGo: { settings: number; endpoints: string[] };
  /** The addresses that did not take their last alert, without path, and why. */
  alertsFail: { failed: { address: string; why: string }[] };
}

interface LedgerFound {
  file: string;
  bytes: number;
  campaigns: number;
}

/** One thing that was looked at, as data: each face words it. */
export type Finding = {
  [Is in keyof FindingFacts]: { name: CheckName; state: CheckState; is: Is; facts: FindingFacts[Is] };
}[keyof FindingFacts];

/** What is so, and what to do; null: nothing. */
export interface SaidFinding {
  detail: string;
  hint: string | null;
}

/** The words of a language for each finding. `cover`: how a text with numbers is shown. */
export type FindingWords = {
  [Is in keyof FindingFacts]: (facts: FindingFacts[Is], cover: (text: string) => string) => SaidFinding;
};

/** A finding in the words of a language. */
export function sayFinding(
  words: FindingWords,
  { is, facts }: Finding,
  cover: (text: string) => string,
): SaidFinding {
  return words[is](facts as never, cover);
}

/** What was found, and the free space on the disk of the ledger in bytes. */
export interface Health {
  findings: Finding[];
  freeBytes: number;
}
