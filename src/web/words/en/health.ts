import { FINDING_WORDS } from '../../../reports/health-words.ts';
import type { CheckName } from '../../../reports/health.ts';

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
  findings: FINDING_WORDS,
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
