import { CLAIM_TTL_MS, GRACE_MS, LEASE_MS } from './domain/protocol-times.ts';
import type { SettingName, SettingValues } from './config-schema.ts';

/** What is wrong between settings that are each well formed, and between which. */
export interface BrokenRelation {
  names: readonly SettingName[];
  problem: string;
}

interface Rule {
  names: readonly SettingName[];
  broken: (values: SettingValues) => boolean;
  problem: (values: SettingValues) => string;
}

const seconds = (ms: number) => `${ms / 1000}s`;

const RULES: readonly Rule[] = [
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
    names: ['TUMA_API_KEY', 'TUMA_API_SECRET'],
    broken: ({ TUMA_API_KEY: key, TUMA_API_SECRET: secret }) => (key === null) !== (secret === null),
    problem: () => 'must be given together',
  },
  {
    names: ['TUMA_MEDIA', 'TUMA_BASE_URL'],
    broken: ({ TUMA_MEDIA: media, TUMA_BASE_URL: base }) => media !== null && base === null,
    problem: () => 'TUMA_MEDIA needs TUMA_BASE_URL, where the files come from',
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

/** What is wrong between the settings that could be read; empty is what must be. */
export function brokenRelations(values: Partial<SettingValues>): BrokenRelation[] {
  return RULES.filter(({ names }) => names.every((name) => name in values))
    .filter(({ broken }) => broken(values as SettingValues))
    .map(({ names, problem }) => ({ names, problem: problem(values as SettingValues) }));
}
