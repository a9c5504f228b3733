import { readRedisUrl, type RedisUrl } from './redis-url.ts';
import type { Rule } from './rule.ts';
import type { SettingName, SettingValues } from './schema.ts';

/* What does not go together in the settings of Redis. */

const URL = 'TUMA_REDIS_URL';
const TLS_FILES = ['TUMA_REDIS_CA_FILE', 'TUMA_REDIS_CERT_FILE', 'TUMA_REDIS_KEY_FILE'] as const;

function urlOf({ TUMA_REDIS_URL: text }: SettingValues): RedisUrl | null {
  const url = text === null ? null : readRedisUrl(text.reveal());
  return url !== null && 'value' in url ? url.value : null;
}

/** A rule about the address and one file that belongs to it. */
function addressRule(
  name: SettingName,
  broken: (url: RedisUrl | null, values: SettingValues) => boolean,
  problem: string,
): Rule {
  return { names: [URL, name], broken: (values) => broken(urlOf(values), values), problem: () => problem };
}

/** The rules; each problem is one sentence and holds no part of the address. */
export const REDIS_RULES: readonly Rule[] = [
  addressRule(
    'TUMA_REDIS_PASSWORD_FILE',
    (url, { TUMA_REDIS_PASSWORD_FILE: file }) => file !== null && url === null,
    'TUMA_REDIS_PASSWORD_FILE needs TUMA_REDIS_URL, because a private Redis has a password of its own',
  ),
  addressRule(
    'TUMA_REDIS_PASSWORD_FILE',
    (url, { TUMA_REDIS_PASSWORD_FILE: file }) => file !== null && (url?.password ?? null) !== null,
    'both give the password of Redis; leave it out of TUMA_REDIS_URL',
  ),
  addressRule(
    'TUMA_REDIS_PASSWORD_FILE',
    (url, { TUMA_REDIS_PASSWORD_FILE: file }) =>
      file === null && (url?.username ?? null) !== null && url?.password === null,
    'the address names a user without a password; put it into TUMA_REDIS_PASSWORD_FILE',
  ),
  addressRule(
    'TUMA_REDIS_SENTINEL_PASSWORD_FILE',
    (url, { TUMA_REDIS_SENTINEL_PASSWORD_FILE: file }) => file !== null && url?.kind !== 'sentinel',
    'only an address with redis+sentinel:// or rediss+sentinel:// leads to Sentinels',
  ),
  {
    names: [URL, ...TLS_FILES],
    broken: (values) => urlOf(values)?.tls !== true && TLS_FILES.some((name) => values[name] !== null),
    problem: () => 'certificates need TLS; write TUMA_REDIS_URL with rediss:// in place of redis://',
  },
  {
    names: ['TUMA_REDIS_CERT_FILE', 'TUMA_REDIS_KEY_FILE'],
    broken: ({ TUMA_REDIS_CERT_FILE: cert, TUMA_REDIS_KEY_FILE: key }) => (cert === null) !== (key === null),
    problem: () => 'must be given together',
  },
];
