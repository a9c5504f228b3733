import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { TumaError } from '../domain/errors.ts';
import { type Choices, choose, readChoices, shownText } from './choices.ts';
import { isPostgres } from './database-url.ts';
import {
  findEnvFile,
  findProject,
  onlyOurs,
  readEnvFile,
  readYamlFile,
  type Source,
  type SourceName,
} from './files.ts';
import { SETTING_NAMES, type SettingName, type SettingValues, settingDoc } from './schema.ts';
import type { AddressList } from '../domain/numbers/address-list.ts';
import type { Secret } from './secret.ts';
import type { PriceTable } from './values.ts';

/* The one place that reads settings. Nothing else in Tuma touches the environment. */

/** Where a setting's value came from; `file` for `.env` and `tuma.yaml`. */
interface Origin {
  from: SourceName;
  file: string | null;
  /** As it was given, before it is read; null: not set. Secrets are masked. */
  text: string | null;
}

/** Absolute paths of what belongs to TUMA_REDIS_URL; null: not given. */
export interface RedisFiles {
  readonly password: string | null;
  readonly sentinelPassword: string | null;
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

type Origins = Readonly<Record<SettingName, Origin>>;

/** Every setting, typed, with absolute paths; frozen. docs/configuration.md says what each means. */
export interface Config {
  readonly home: string;
  /** The folder that holds `preparations/`, `exports/` and `dashboard-token`. */
  readonly sharedFolder: string;
  readonly messagingUrl: string | null;
  readonly baseUrl: string | null;
  readonly apiKey: Secret | null;
  readonly apiSecret: Secret | null;
  readonly apiToken: Secret | null;
  readonly v2Auth: 'bearer' | 'headers' | 'basic' | 'query';
  readonly sender: string | null;
  readonly profileFile: string | null;
  /** Of a ledger on Postgres: where its file would be. Notes of this machine lie beside it. */
  readonly ledgerFile: string;
  /** Null: the ledger is a file of SQLite. */
  readonly postgres: PostgresPlace | null;
  /** With the password of that database, or of the one that `tuma migrate --to` names; null: it needs none. */
  readonly databasePasswordFile: string | null;
  /** Where the ledger is, for people: the file, or the address. */
  readonly ledgerPlace: string;
  /** The folder for the notes of claims, outside of the homes; null: the system names no such place. */
  readonly stateFolder: string | null;
  /** Null: a private Redis, started when it is needed. */
  readonly redisUrl: Secret | null;
  readonly redisFiles: RedisFiles;
  readonly host: string;
  readonly port: number;
  readonly dashboardHost: string;
  readonly dashboardPort: number;
  readonly dashboardToken: Secret | null;
  /** Where people reach the pages, https and without a path; null: on this machine only. */
  readonly publicDashboardUrl: string | null;
  /** The header, in small letters, in which a trusted proxy names the user; null: people sign in here. */
  readonly dashboardUserHeader: string | null;
  /** True: the rule of approval is turned on at a start, and stays on. */
  readonly approval: boolean;
  /** Null: the one in `$TUMA_HOME/webhook-token`. */
  readonly webhookToken: Secret | null;
  /** Let in as well, while it is replaced. */
  readonly webhookTokenOld: Secret | null;
  /** Null: from anywhere. */
  readonly webhookFrom: AddressList | null;
  /** Null: no proxy is believed. */
  readonly trustedProxies: AddressList | null;
  readonly publicUrl: string | null;
  readonly country: string;
  /** Other countries that may be sent to. */
  readonly countries: readonly string[];
  readonly zone: string;
  readonly currency: string;
  /** Null: unlimited. */
  readonly ratePerSecond: number | null;
  readonly concurrency: number;
  readonly claimLimit: number;
  /** Cost a segment; null: learned. */
  readonly price: PriceTable | null;
  readonly optOutText: string;
  readonly deadlineMs: number;
  readonly mediaLimitBytes: number;
  /** Null: no alerts are posted. */
  readonly alertUrl: Secret | null;
  readonly alertSecret: Secret | null;
  /** Null: no alerts are mailed. */
  readonly alertMail: readonly string[] | null;
  readonly smtpUrl: Secret | null;
  readonly alertUncertain: number;
  /** Millionths; null: nobody is told of a low credit. */
  readonly lowCreditMicro: number | null;
  readonly reportWaitMs: number;
  /** Null: personal data is kept until somebody purges. */
  readonly keepMs: number | null;
  readonly resolveAfterMs: number;
  readonly origins: Origins;
}

/** A ledger on Postgres. */
export interface PostgresPlace {
  /** postgres://user@host/database?…, without a password. */
  readonly url: string;
  /** The file of its password; null: the server asks for none. */
  readonly passwordFile: string | null;
}

/** `config_invalid` for settings that conflict: all problems, and every setting with its value. */
export class SettingsError extends TumaError {
  readonly problems: readonly string[];
  readonly origins: Origins;

  constructor(problems: readonly string[], origins: Origins) {
    const count = problems.length === 1 ? 'A setting is wrong' : `${problems.length} settings are wrong`;
    const first = /^TUMA_\w+/.exec(problems[0] ?? '')?.[0];
    super('config_invalid', {
      message: [`${count}:`, ...problems].join(problems.length === 1 ? ' ' : '\n  '),
      hint: 'docs/configuration.md lists every setting.',
      advice: { action: 'see_settings' },
      ...(first === undefined ? {} : { where: first }),
    });
    this.problems = problems;
    this.origins = origins;
  }
}

/** All input of `resolveConfig`. It never looks for a file that is not given. */
export interface ConfigSources {
  /** Values given on the command line, by setting name. */
  flags?: Record<string, string>;
  env?: Record<string, string | undefined>;
  cwd: string;
  envFile?: string | null;
  yamlFile?: string | null;
}

/** Reads the settings: flags, environment, the nearest `.env`, `tuma.yaml`, defaults. */
export function readConfig(
  flags: Record<string, string> = {},
  { env, cwd }: Required<Pick<ConfigSources, 'env' | 'cwd'>> = { env: process.env, cwd: process.cwd() },
): Config {
  const project = findProject(cwd);
  const yaml = project === null ? null : join(project, 'tuma.yaml');
  return resolveConfig({
    flags,
    env,
    cwd,
    envFile: findEnvFile(cwd, project),
    yamlFile: yaml !== null && existsSync(yaml) ? yaml : null,
  });
}

/** Settings of exactly these sources. Throws one `SettingsError` that lists every problem with its source. */
export function resolveConfig(given: ConfigSources): Config {
  const sources = orderedSources(given);
  const chosen = choose(sources);
  const { problems, values } = readChoices(chosen, sources);
  if (values === null) throw new SettingsError(problems, originsOf(chosen));
  return build({ values, chosen, cwd: given.cwd, env: given.env ?? {} });
}

function orderedSources({ flags = {}, env = {}, cwd, envFile, yamlFile }: ConfigSources): Source[] {
  const at = { file: null, directory: cwd, problems: [] };
  const defaults: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const { fallback } = settingDoc(name);
    if (fallback !== null) defaults[name] = fallback;
  }
  return [
    { ...at, from: 'flag', values: flags },
    { ...at, from: 'environment', values: onlyOurs(env) },
    ...(envFile ? [readEnvFile(envFile)] : []),
    ...(yamlFile ? [readYamlFile(yamlFile)] : []),
    { ...at, from: 'default', values: defaults },
  ];
}

type FileSetting =
  | 'TUMA_SHARED_FOLDER'
  | 'TUMA_PROFILE'
  | 'TUMA_DATABASE_PASSWORD_FILE'
  | Extract<SettingName, `TUMA_REDIS_${string}_FILE`>;

interface Building {
  values: SettingValues;
  chosen: Choices;
  cwd: string;
  env: Record<string, string | undefined>;
}

function build(building: Building): Config {
  const { values, chosen, env } = building;
  return Object.freeze({
    ...pathsOf(building),
    stateFolder: stateFolderOf(env),
    messagingUrl: values.TUMA_MESSAGING_URL,
    baseUrl: values.TUMA_BASE_URL,
    apiKey: values.TUMA_API_KEY,
    apiSecret: values.TUMA_API_SECRET,
    apiToken: values.TUMA_API_TOKEN,
    v2Auth: values.TUMA_V2_AUTH,
    sender: values.TUMA_SENDER,
    redisUrl: values.TUMA_REDIS_URL,
    host: values.TUMA_HOST,
    port: values.TUMA_PORT,
    dashboardHost: values.TUMA_DASHBOARD_HOST,
    dashboardPort: values.TUMA_DASHBOARD_PORT,
    dashboardToken: values.TUMA_DASHBOARD_TOKEN,
    publicDashboardUrl: values.TUMA_PUBLIC_DASHBOARD_URL,
    dashboardUserHeader: values.TUMA_DASHBOARD_USER_HEADER,
    approval: values.TUMA_APPROVAL,
    webhookToken: values.TUMA_WEBHOOK_TOKEN,
    webhookTokenOld: values.TUMA_WEBHOOK_TOKEN_OLD,
    webhookFrom: values.TUMA_WEBHOOK_FROM,
    trustedProxies: values.TUMA_TRUSTED_PROXIES,
    publicUrl: values.TUMA_PUBLIC_URL,
    country: values.TUMA_COUNTRY,
    countries: Object.freeze(values.TUMA_COUNTRIES ?? []),
    zone: values.TUMA_ZONE,
    currency: values.TUMA_CURRENCY,
    ratePerSecond: values.TUMA_RATE,
    concurrency: values.TUMA_CONCURRENCY,
    claimLimit: values.TUMA_CLAIM_LIMIT,
    price: Object.freeze(values.TUMA_PRICE),
    optOutText: values.TUMA_OPT_OUT_TEXT,
    deadlineMs: values.TUMA_DEADLINE,
    mediaLimitBytes: values.TUMA_MEDIA_LIMIT,
    alertUrl: values.TUMA_ALERT_URL,
    alertSecret: values.TUMA_ALERT_SECRET,
    alertMail: values.TUMA_ALERT_MAIL,
    smtpUrl: values.TUMA_SMTP_URL,
    alertUncertain: values.TUMA_ALERT_UNCERTAIN,
    lowCreditMicro: values.TUMA_LOW_CREDIT,
    reportWaitMs: values.TUMA_REPORT_WAIT,
    keepMs: values.TUMA_KEEP,
    resolveAfterMs: values.TUMA_RESOLVE_AFTER,
    origins: originsOf(chosen),
  });
}

/** Relative paths start where they were written: at the file's directory, or at `cwd`. */
function pathsOf({
  values,
  chosen,
  cwd,
}: Building): Pick<
  Config,
  | 'home'
  | 'sharedFolder'
  | 'profileFile'
  | 'ledgerFile'
  | 'ledgerPlace'
  | 'postgres'
  | 'databasePasswordFile'
  | 'redisFiles'
> {
  const from = (name: SettingName, path: string) => resolve(chosen[name]?.source.directory ?? cwd, path);
  const file = (name: FileSetting) => (values[name] === null ? null : from(name, values[name]));
  const home =
    values.TUMA_HOME === null ? join(findProject(cwd) ?? cwd, '.tuma') : from('TUMA_HOME', values.TUMA_HOME);
  const database = values.TUMA_DATABASE_URL;
  const ledger = isPostgres(database) ? '$TUMA_HOME/ledger.db' : database.slice('sqlite:'.length);
  const ledgerFile = from(
    'TUMA_DATABASE_URL',
    ledger.replace(/^\$\{?TUMA_HOME\}?(?=\/)/, () => home),
  );
  return {
    home,
    sharedFolder: file('TUMA_SHARED_FOLDER') ?? home,
    profileFile: file('TUMA_PROFILE'),
    ledgerFile,
    ledgerPlace: isPostgres(database) ? database.replace(/\?.*$/, '') : ledgerFile,
    postgres: isPostgres(database)
      ? { url: database, passwordFile: file('TUMA_DATABASE_PASSWORD_FILE') }
      : null,
    databasePasswordFile: file('TUMA_DATABASE_PASSWORD_FILE'),
    redisFiles: Object.freeze({
      password: file('TUMA_REDIS_PASSWORD_FILE'),
      sentinelPassword: file('TUMA_REDIS_SENTINEL_PASSWORD_FILE'),
      ca: file('TUMA_REDIS_CA_FILE'),
      cert: file('TUMA_REDIS_CERT_FILE'),
      key: file('TUMA_REDIS_KEY_FILE'),
    }),
  };
}

/** As the XDG base directory specification has it. */
function stateFolderOf({ XDG_STATE_HOME: state, HOME: home }: Building['env']): string | null {
  if (state !== undefined && isAbsolute(state)) return join(state, 'tuma');
  return home === undefined || home === '' ? null : join(home, '.local', 'state', 'tuma');
}

function originsOf(chosen: Choices): Origins {
  const origins = {} as Record<SettingName, Origin>;
  for (const name of SETTING_NAMES) {
    const source = chosen[name]?.source;
    const text = shownText(name, chosen[name]);
    origins[name] = { from: source?.from ?? 'default', file: source?.file ?? null, text };
  }
  return Object.freeze(origins);
}
