import type { z } from 'zod';
import { readLedgerUrl } from './database-url.ts';
import { readRedisUrl } from './redis-url.ts';
import { Secret } from './secret.ts';
import {
  type Parsed,
  readAddresses,
  readAlertUrl,
  readMailAddresses,
  readMoney,
  readSmtpUrl,
  readCountries,
  readCountry,
  readDuration,
  readHttpUrl,
  readPagesUrl,
  readPath,
  readPrice,
  readPublicUrl,
  readRate,
  readSize,
  readUserHeader,
  readZone,
} from './values.ts';
import {
  host,
  matching,
  optional,
  plainText,
  port,
  read,
  secret,
  setting,
  type SettingDoc,
  webhookToken,
  whole,
} from './setting.ts';

/* Every setting of Tuma: its reader, and its text in docs/configuration.md (a test compares them). */

/** The fields of the schema, in the order of the documentation. Values are texts; results are typed. */
export const SETTINGS = {
  TUMA_HOME: setting(optional(read(readPath)), {
    means:
      'Directory of the ledger and of what Tuma generates for itself. The first launch into a ledger asks whether it may be new; without a terminal it needs `--new-ledger`.',
    fallback: null,
    fallbackWords: '`.tuma` in the nearest directory upwards that holds `.tuma` or `tuma.yaml`, else here',
  }),
  TUMA_SHARED_FOLDER: setting(optional(read(readPath)), {
    means:
      'Directory of drafts, of files for download, and of the secret of the pages. Processes of the role `web` on several machines need one that all of them mount.',
    fallback: null,
    fallbackWords: 'that of `TUMA_HOME`',
  }),
  TUMA_MESSAGING_URL: setting(optional(read(readHttpUrl)), {
    means: 'Address of the messaging endpoints ({messaging_url} of the provider’s API document).',
    fallback: null,
  }),
  TUMA_BASE_URL: setting(optional(read(readHttpUrl)), {
    means: 'Address of the v2 API ({base_url} of the provider’s API document).',
    fallback: null,
  }),
  TUMA_API_KEY: setting(secret(), {
    means: '`apikey` of the messaging endpoints; also v2 `headers` and `basic`.',
    fallback: null,
    secret: true,
  }),
  TUMA_API_SECRET: setting(secret(), {
    means: '`apisecret` of the messaging endpoints; also v2 `headers` and `basic`.',
    fallback: null,
    secret: true,
  }),
  TUMA_API_TOKEN: setting(secret(), {
    means: 'Token of the v2 API, for `bearer` and `query`.',
    fallback: null,
    secret: true,
  }),
  TUMA_V2_AUTH: setting(
    read(
      (text): Parsed<'bearer' | 'headers' | 'basic' | 'query'> =>
        text === 'bearer' || text === 'headers' || text === 'basic' || text === 'query'
          ? { value: text }
          : { problem: 'is not one of bearer, headers, basic, query' },
    ),
    {
      means:
        'How the v2 API is given its credentials: `bearer`, `headers`, `basic` or `query` (the URL is then never logged).',
      fallback: 'bearer',
    },
  ),
  TUMA_SENDER: setting(optional(plainText), {
    means: 'Shortcode or sender name, where the job file names none.',
    fallback: null,
  }),
  TUMA_PROFILE: setting(optional(read(readPath)), {
    means: 'File that says how the provider’s words and codes are read; without it the built-in profile.',
    fallback: null,
  }),
  TUMA_DATABASE_URL: setting(read(readLedgerUrl), {
    means:
      'The ledger: `sqlite:FILE`, where a leading `$TUMA_HOME` stands for that directory, or `postgres://user@host/database?sslmode=verify-full` for [many machines](many-machines.md).',
    fallback: 'sqlite:$TUMA_HOME/ledger.db',
  }),
  TUMA_DATABASE_PASSWORD_FILE: setting(optional(read(readPath)), {
    means: 'File with the password of the user in a `postgres://` address, and nothing else.',
    fallback: null,
  }),
  TUMA_REDIS_URL: setting(
    optional(
      read((text): Parsed<Secret> => {
        const url = readRedisUrl(text);
        return 'problem' in url ? url : { value: new Secret(text) };
      }),
    ),
    {
      means:
        'Redis of the queue, in one of the forms of docs/redis.md. It may hold a password, so it is treated as a secret.',
      fallback: null,
      fallbackWords: 'a private Redis, started when it is needed',
      secret: true,
    },
  ),
  TUMA_REDIS_PASSWORD_FILE: setting(optional(read(readPath)), {
    means: 'File with the password of that Redis, in place of one in the address.',
    fallback: null,
  }),
  TUMA_REDIS_CA_FILE: setting(optional(read(readPath)), {
    means: 'Certificates (PEM) of those who may vouch for that Redis. Without it, those whom Node trusts.',
    fallback: null,
  }),
  TUMA_REDIS_CERT_FILE: setting(optional(read(readPath)), {
    means: 'Certificate (PEM) that Tuma shows to that Redis. Needs TUMA_REDIS_KEY_FILE.',
    fallback: null,
  }),
  TUMA_REDIS_KEY_FILE: setting(optional(read(readPath)), {
    means: 'Private key (PEM, without a password) of TUMA_REDIS_CERT_FILE.',
    fallback: null,
  }),
  TUMA_REDIS_SENTINEL_PASSWORD_FILE: setting(optional(read(readPath)), {
    means: 'File with the password of the Sentinels, where they want one.',
    fallback: null,
  }),
  TUMA_HOST: setting(host(), {
    means: 'Address that the collector listens on.',
    fallback: '127.0.0.1',
  }),
  TUMA_PORT: setting(port(), {
    means: 'Port of the collector; 0 takes a free one.',
    fallback: '8080',
  }),
  TUMA_DASHBOARD_HOST: setting(host(), {
    means: 'Address that the pages, the API and `/metrics` listen on.',
    fallback: '127.0.0.1',
  }),
  TUMA_DASHBOARD_PORT: setting(port(), {
    means: 'Port of the pages, the API and `/metrics`; 0 takes a free one.',
    fallback: '8081',
  }),
  TUMA_DASHBOARD_TOKEN: setting(secret(), {
    means: 'What a scraper shows to `/metrics` (`Authorization: Bearer …`). Not set: it shows nothing.',
    fallback: null,
    secret: true,
  }),
  TUMA_PUBLIC_DASHBOARD_URL: setting(optional(read(readPagesUrl)), {
    means:
      'Address under which people reach the pages through your reverse proxy, `https://tuma.example.org`. Without it the pages listen on this machine only.',
    fallback: null,
  }),
  TUMA_DASHBOARD_USER_HEADER: setting(optional(read(readUserHeader)), {
    means:
      'Header in which your proxy names who has signed in (`X-Remote-User`), a user of `tuma users`. Believed only from TUMA_TRUSTED_PROXIES.',
    fallback: null,
  }),
  TUMA_APPROVAL: setting(
    matching(/^(?:on|off)$/, 'is not on or off').transform((text) => text === 'on'),
    {
      means:
        '`on`: a campaign needs the yes of an approver who did not prepare it. Holds for the ledger from the next start of `tuma serve` on; only an admin turns it off, on the page of the users.',
      fallback: 'off',
    },
  ),
  TUMA_WEBHOOK_TOKEN: setting(webhookToken(), {
    means: 'The unguessable part of the webhook’s address, `/webhooks/<token>`.',
    fallback: null,
    fallbackWords: 'generated into `$TUMA_HOME/webhook-token`',
    secret: true,
  }),
  TUMA_WEBHOOK_TOKEN_OLD: setting(webhookToken(), {
    means:
      'A former token that is let in as well, until the provider posts to the new address. Then remove it.',
    fallback: null,
    secret: true,
  }),
  TUMA_WEBHOOK_FROM: setting(optional(read(readAddresses)), {
    means:
      'Addresses and networks that may post webhooks (`203.0.113.7, 10.0.0.0/8`); to all others the address does not exist.',
    fallback: null,
    fallbackWords: 'whoever knows the token',
  }),
  TUMA_TRUSTED_PROXIES: setting(optional(read(readAddresses)), {
    means:
      'Addresses of your reverse proxies: of what they hand on, the address is read from `X-Forwarded-For`. From nobody else is it believed.',
    fallback: null,
  }),
  TUMA_PUBLIC_URL: setting(optional(read(readPublicUrl)), {
    means: 'Address under which the provider reaches the collector, without `/webhooks/` and the token.',
    fallback: null,
  }),
  TUMA_COUNTRY: setting(read(readCountry), {
    means: 'Country of numbers that are written without one (ISO 3166, two letters).',
    fallback: 'KE',
  }),
  TUMA_COUNTRIES: setting(optional(read(readCountries)), {
    means:
      'Other countries that may be sent to: `TZ, UG`. Rows of all others are rejected. A job may name its own.',
    fallback: null,
    fallbackWords: 'only TUMA_COUNTRY',
  }),
  TUMA_ZONE: setting(read(readZone), {
    means: 'Time zone of the hours in job files and of times shown to people.',
    fallback: 'Africa/Nairobi',
  }),
  TUMA_CURRENCY: setting(matching(/^[A-Z]{3}$/, 'is not a currency code of three capital letters'), {
    means: 'Currency of the account (ISO 4217); only shown, never converted.',
    fallback: 'KES',
  }),
  TUMA_RATE: setting(read(readRate), {
    means:
      'Messages a second of the account, over all workers: `50/s`, `600/min`, or `unlimited`. Never passed in any window of a second. Segments, where the profile says so (`rate_per`).',
    fallback: '50/s',
  }),
  TUMA_CONCURRENCY: setting(whole(1, 1024), {
    means: 'Requests in flight, a worker process: what a kill of it can leave uncertain.',
    fallback: '32',
  }),
  TUMA_CLAIM_LIMIT: setting(whole(1, 4096), {
    means:
      'Most messages `sending`, a worker process: what a crash of the machine can leave uncertain. At least TUMA_CONCURRENCY.',
    fallback: '1024',
  }),
  TUMA_PRICE: setting(optional(read(readPrice)), {
    means: 'Cost a segment: one amount (`0.80`), or by network and country (`63902=0.80,*=1.00,TZ=1.50`).',
    fallback: null,
    fallbackWords: 'learned from what was charged',
  }),
  TUMA_OPT_OUT_TEXT: setting(matching(/^[^\p{Cc}]*$/u, 'holds a control character'), {
    means:
      'What the provider appends to promotional messages: counted in segments, never sent by Tuma. Empty: nothing.',
    fallback: ' STOP*456*9*5#',
    emptyCounts: true,
  }),
  TUMA_DEADLINE: setting(read(readDuration), {
    means:
      'Longest wait for the answer to one message; then it is uncertain. More than 5s, less than the lease of 60s.',
    fallback: '30s',
  }),
  TUMA_MEDIA_LIMIT: setting(read(readSize), {
    means: 'Largest file of a chat message that `media` downloads.',
    fallback: '100MB',
  }),
  TUMA_ALERT_URL: setting(optional(read(readAlertUrl).transform((value) => new Secret(value))), {
    means: 'Address to which alerts are posted, signed as Standard Webhooks. Needs TUMA_ALERT_SECRET.',
    fallback: null,
    secret: true,
  }),
  TUMA_ALERT_SECRET: setting(
    optional(
      matching(
        /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/,
        'is not whsec_ and at least 24 bytes in base64 (make one: echo whsec_$(openssl rand -base64 32))',
      ).transform((value) => new Secret(value)),
    ),
    {
      means: 'Key that signs alerts: `whsec_` and at least 24 bytes in base64.',
      fallback: null,
      secret: true,
    },
  ),
  TUMA_ALERT_MAIL: setting(optional(read(readMailAddresses)), {
    means: 'Addresses to which alerts are mailed: `ops@example.org, boss@example.org`. Needs TUMA_SMTP_URL.',
    fallback: null,
  }),
  TUMA_SMTP_URL: setting(optional(read(readSmtpUrl).transform((value) => new Secret(value))), {
    means:
      'Mail server of alerts: `smtps://user:password@mail.example.org`, or `smtp://…:587`, which needs STARTTLS.',
    fallback: null,
    secret: true,
  }),
  TUMA_ALERT_UNCERTAIN: setting(whole(1, 1_000_000), {
    means: 'So many uncertain messages of one campaign raise an alert.',
    fallback: '10',
  }),
  TUMA_LOW_CREDIT: setting(optional(read(readMoney)), {
    means: 'A credit below this amount raises one alert, until it was above.',
    fallback: null,
  }),
  TUMA_REPORT_WAIT: setting(read(readDuration), {
    means:
      'After it a sent message without a final report is shown as unreported; a later report still counts.',
    fallback: '72h',
  }),
  TUMA_KEEP: setting(optional(read(readDuration)), {
    means:
      'How long personal data is kept: `tuma serve` removes what is older once a day, as `tuma purge` does. Not set: until you purge.',
    fallback: null,
  }),
  TUMA_RESOLVE_AFTER: setting(read(readDuration), {
    means:
      'How long an uncertain message must rest before `resolve --not-sent` may send it again, and the answer of a message that a mapping rejected before `retry` may; more than 90s.',
    fallback: '10m',
  }),
} as const;

/** The name of a setting, as it stands in the environment. */
export type SettingName = keyof typeof SETTINGS;

/** All names, in the order of the documentation. */
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The description of a setting for people. */
export function settingDoc(name: SettingName): SettingDoc {
  return SETTINGS[name].doc;
}

/** The settings after they were read. */
export type SettingValues = { [Name in SettingName]: z.output<(typeof SETTINGS)[Name]['schema']> };

/** Reads each setting alone, so that relations of valid ones can be checked. `values` has only valid ones. */
export function readSettings(texts: Readonly<Record<string, string>>): {
  values: Partial<SettingValues>;
  wrong: { name: SettingName; problem: string }[];
} {
  const values: Partial<Record<SettingName, unknown>> = {};
  const wrong: { name: SettingName; problem: string }[] = [];
  for (const name of SETTING_NAMES) {
    const { success, data, error } = SETTINGS[name].schema.safeParse(texts[name]);
    if (success) values[name] = data;
    else wrong.push(...error.issues.map(({ message: problem }) => ({ name, problem })));
  }
  return { values: values as Partial<SettingValues>, wrong };
}
