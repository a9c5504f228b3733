import { sayAdvice } from '../../../domain/advice.ts';
import { unmatchedWords } from '../../../domain/unmatched-reports.ts';
import type { CheckName, FailedFacts, FindingWords, SaidFinding } from '../../../reports/health.ts';
import { FINDING_WORDS, good, noCollectorWords, type OwnFinding } from '../../../reports/health-words.ts';
import { UNMATCHED_HINT } from '../../../reports/recently-unmatched.ts';
import { advice } from './advice.ts';

const checks: Record<CheckName, string> = {
  node: 'Node',
  sqlite: 'SQLite',
  ledger: 'Ledger',
  guard: 'Guard against an older ledger',
  secrets: 'Secrets',
  redis: 'Redis',
  credentials: 'Account',
  webhook: 'Webhook',
  clock: 'Clock',
  worker: 'Workers',
  charges: 'Charges',
  reports: 'Delivery reports',
  alerts: 'Alerts',
  v2: 'Credits and media (v2)',
};

const OWN_WORDS: Pick<FindingWords, OwnFinding> = {
  failed,
  noCredits: failed,
  collectorStuck: ({ url }) => ({
    detail: `the collector at ${url} cannot take webhooks now`,
    hint: 'Is its disk full, its ledger held? The log of `tuma serve` says why.',
  }),
  noCollector: (facts) => ({
    detail: noCollectorWords(facts),
    hint: 'Is `tuma serve` running, and does your proxy lead to it?',
  }),
  workers: ({ count }) =>
    count === null || count === 0
      ? { detail: 'none is alive', hint: 'Whoever installed Tuma starts one with `tuma serve`.' }
      : good(`${count} alive`),
  reportsUnmatched: (reports) => ({
    detail: unmatchedWords(reports),
    hint: reports.count > 0 ? UNMATCHED_HINT : 'Look at the page Decisions.',
  }),
};

const findings: FindingWords = { ...FINDING_WORDS, ...OWN_WORDS };

function failed({ message, hint, advice: given }: FailedFacts): SaidFinding {
  const help = [hint, given && sayAdvice(advice, given)].filter(Boolean).join(' ');
  return { detail: message, hint: help === '' ? null : help };
}

/** Words of the page about what is well and what is not. */
export const health = {
  title: 'Health',
  well: 'Everything that sending needs works',
  notWell: (fails: string, one: boolean) =>
    one ? '1 thing does not work: sending needs it' : `${fails} things do not work: sending needs them`,
  doubts: (count: string, one: boolean) =>
    one ? '1 thing may not work as it should' : `${count} things may not work as they should`,
  running: 'The checks are still running',
  runningHelp: 'Something does not answer. Load this page again in a moment.',
  checks: 'What was looked at',
  checkNames: checks,
  findings,
  states: { ok: 'works', warn: 'look at it', fail: 'does not work' },
  lookedAt: 'Looked at',
  free: 'Free disk of the ledger',
  gigabytes: (size: string) => `${size} GB`,
  lastReport: 'Last delivery report',
  never: 'none yet',
  unread: 'Webhooks not read yet',
  waiting: 'Reports that wait for their message',
  notUnderstood: 'Webhooks not understood',
  webhook: 'The webhook address',
  webhookHelp: 'The messaging service posts reports and replies to it. Whoever knows it can post, too.',
  showWebhook: 'Show the address',
  paste: 'Paste this address into the portal of the messaging service, for delivery reports and for replies.',
  local: 'Only this machine reaches that address. Set TUMA_PUBLIC_URL to the one that the internet sees.',
  plain: 'Without TLS others can read the token and the reports on their way: use https.',
};
