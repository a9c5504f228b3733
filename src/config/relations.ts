import { isIPv4 } from 'node:net';
import { plainAddress } from '../domain/numbers/address-list.ts';
import { TumaError } from '../domain/errors.ts';
import { reachableOrigin } from '../domain/listen-error.ts';
import { CLAIM_TTL_MS, GRACE_MS, LEASE_MS } from '../domain/protocol-times.ts';
import { isPostgres } from './database-url.ts';
import { REDIS_RULES } from './redis-rules.ts';
import type { Rule } from './rule.ts';
import type { SettingName, SettingValues } from './schema.ts';

/** A problem between settings that are each well formed, with their names. */
export interface BrokenRelation {
  names: readonly SettingName[];
  problem: string;
}

const seconds = (ms: number) => `${ms / 1000}s`;

const RULES: readonly Rule[] = [
  ...REDIS_RULES,
  {
    names: ['TUMA_CLAIM_LIMIT', 'TUMA_CONCURRENCY'],
    broken: ({ TUMA_CLAIM_LIMIT: limit, TUMA_CONCURRENCY: concurrency }) => limit < concurrency,
    problem: (values) => `${values.TUMA_CLAIM_LIMIT} is below TUMA_CONCURRENCY (${values.TUMA_CONCURRENCY})`,
  },
  {
    names: ['TUMA_DEADLINE'],
    broken: ({ TUMA_DEADLINE: deadline }) => deadline <= CLAIM_TTL_MS || deadline >= LEASE_MS,
    problem: () =>
      `must lie between the claim's ${seconds(CLAIM_TTL_MS)} and the lease's ${seconds(LEASE_MS)}`,
  },
  {
    names: ['TUMA_RESOLVE_AFTER'],
    broken: ({ TUMA_RESOLVE_AFTER: after }) => after <= LEASE_MS + GRACE_MS,
    problem: () => `must be longer than lease and grace together, ${seconds(LEASE_MS + GRACE_MS)}`,
  },
  {
    names: ['TUMA_REPORT_WAIT', 'TUMA_DEADLINE'],
    broken: ({ TUMA_REPORT_WAIT: wait, TUMA_DEADLINE: deadline }) => wait <= deadline,
    problem: () => 'TUMA_REPORT_WAIT must be longer than TUMA_DEADLINE',
  },
  {
    names: ['TUMA_KEEP', 'TUMA_REPORT_WAIT'],
    broken: ({ TUMA_KEEP: keep, TUMA_REPORT_WAIT: wait }) => keep !== null && keep < wait,
    problem: () => 'TUMA_KEEP must not be shorter than TUMA_REPORT_WAIT',
  },
  {
    names: ['TUMA_API_KEY', 'TUMA_API_SECRET'],
    broken: ({ TUMA_API_KEY: key, TUMA_API_SECRET: secret }) => (key === null) !== (secret === null),
    problem: () => 'must be given together',
  },
  {
    names: ['TUMA_ALERT_URL', 'TUMA_ALERT_SECRET'],
    broken: ({ TUMA_ALERT_URL: url, TUMA_ALERT_SECRET: secret }) => (url === null) !== (secret === null),
    problem: () => 'must be given together',
  },
  {
    names: ['TUMA_ALERT_MAIL', 'TUMA_SMTP_URL'],
    broken: ({ TUMA_ALERT_MAIL: mail, TUMA_SMTP_URL: url }) => (mail === null) !== (url === null),
    problem: () => 'must be given together',
  },
  {
    names: ['TUMA_DASHBOARD_USER_HEADER', 'TUMA_TRUSTED_PROXIES'],
    broken: ({ TUMA_DASHBOARD_USER_HEADER: header, TUMA_TRUSTED_PROXIES: proxies }) =>
      header !== null && proxies === null,
    problem: () => 'TUMA_DASHBOARD_USER_HEADER needs TUMA_TRUSTED_PROXIES: anybody could write that header',
  },
  {
    names: ['TUMA_PORT', 'TUMA_DASHBOARD_PORT'],
    broken: (values) =>
      values.TUMA_PORT !== 0 &&
      values.TUMA_PORT === values.TUMA_DASHBOARD_PORT &&
      values.TUMA_HOST === values.TUMA_DASHBOARD_HOST,
    problem: () => 'must differ',
  },
];

/** The problems between the readable settings; empty: none. */
export function brokenRelations(values: Partial<SettingValues>): BrokenRelation[] {
  return RULES.filter(({ names }) => names.every((name) => name in values))
    .filter(({ broken }) => broken(values as SettingValues))
    .map(({ names, problem }) => ({ names, problem: problem(values as SettingValues) }));
}

/** The settings that decide who reaches the pages. */
interface DashboardDoor {
  dashboardHost: string;
  publicDashboardUrl: string | null;
  trustedProxies: unknown;
  origins: Readonly<Record<'TUMA_DASHBOARD_HOST', { from: string; file: string | null }>>;
}

/** Refuses (`config_invalid`) pages that other machines can reach otherwise than by TLS through a known proxy. */
export function refuseOpenDashboard(door: DashboardDoor): void {
  const { dashboardHost: host, publicDashboardUrl, trustedProxies, origins } = door;
  if (isLoopback(host)) return;
  const missing = [
    ...(publicDashboardUrl === null ? ['TUMA_PUBLIC_DASHBOARD_URL'] : []),
    ...(trustedProxies === null ? ['TUMA_TRUSTED_PROXIES'] : []),
  ];
  if (missing.length === 0) return;
  const { from, file } = origins.TUMA_DASHBOARD_HOST;
  throw new TumaError('config_invalid', {
    message: `TUMA_DASHBOARD_HOST (${file ?? from}): at "${host}" others than this machine reach the pages, and passwords would go in the open. Not set: ${missing.join(', ')}.`,
    hint: 'Put a proxy with TLS before the pages and set them (docs/configuration.md), or let TUMA_DASHBOARD_HOST be 127.0.0.1.',
    advice: { action: 'leave_pages_out' },
    where: 'TUMA_DASHBOARD_HOST',
  });
}

/** Where people reach the pages: through the proxy, else at this machine. */
export function pagesOrigin({
  publicDashboardUrl,
  dashboardHost: host,
  dashboardPort: port,
}: PagesPlace): string {
  return publicDashboardUrl ?? reachableOrigin({ host, port });
}

interface PagesPlace {
  publicDashboardUrl: string | null;
  dashboardHost: string;
  dashboardPort: number;
}

/** True: what is sent to this address can be read on its way, because it has no TLS and leaves this machine. */
export function isReadableOnItsWay(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url);
  const isPlain = isPostgres(protocol)
    ? !searchParams.has('host') && searchParams.get('sslmode') !== 'verify-full'
    : protocol === 'http:';
  return isPlain && !isLoopback(hostname.replaceAll(/[[\]]/g, ''));
}

function isLoopback(host: string): boolean {
  const address = plainAddress(host.toLowerCase());
  return address === 'localhost' || address === '::1' || (isIPv4(address) && address.startsWith('127.'));
}
