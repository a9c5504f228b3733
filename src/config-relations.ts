import { CLAIM_TTL_MS, GRACE_MS, LEASE_MS } from './domain/protocol-times.ts';
import type { SettingValues } from './config-schema.ts';

/** What is wrong between settings that are each well formed; empty is what must be. */
export function brokenRelations(values: SettingValues): string[] {
  const seconds = (ms: number) => `${ms / 1000}s`;
  const rules: [broken: boolean, problem: string][] = [
    [
      values.TUMA_CLAIM_LIMIT < values.TUMA_CONCURRENCY,
      `TUMA_CLAIM_LIMIT: ${values.TUMA_CLAIM_LIMIT} is below TUMA_CONCURRENCY (${values.TUMA_CONCURRENCY})`,
    ],
    [
      values.TUMA_DEADLINE <= CLAIM_TTL_MS || values.TUMA_DEADLINE >= LEASE_MS,
      `TUMA_DEADLINE: must lie between the claim's ${seconds(CLAIM_TTL_MS)} and the lease's ${seconds(LEASE_MS)}`,
    ],
    [
      values.TUMA_RESOLVE_AFTER <= LEASE_MS + GRACE_MS,
      `TUMA_RESOLVE_AFTER: must be longer than lease and grace together, ${seconds(LEASE_MS + GRACE_MS)}`,
    ],
    [values.TUMA_REPORT_WAIT <= values.TUMA_DEADLINE, 'TUMA_REPORT_WAIT: must be longer than TUMA_DEADLINE'],
    [
      (values.TUMA_API_KEY === null) !== (values.TUMA_API_SECRET === null),
      'TUMA_API_KEY, TUMA_API_SECRET: must be given together',
    ],
    [
      values.TUMA_MEDIA !== null && values.TUMA_BASE_URL === null,
      'TUMA_MEDIA: needs TUMA_BASE_URL, where the files come from',
    ],
    [
      values.TUMA_PORT !== 0 &&
        values.TUMA_PORT === values.TUMA_DASHBOARD_PORT &&
        values.TUMA_HOST === values.TUMA_DASHBOARD_HOST,
      'TUMA_PORT, TUMA_DASHBOARD_PORT: must differ',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}
