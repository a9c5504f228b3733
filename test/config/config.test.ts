import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resolveConfig, SettingsError } from '../../src/config/config.ts';
import { readPasswordFile } from '../../src/config/database-url.ts';
import { findEnvFile, findProject } from '../../src/config/files.ts';
import { isReadableOnItsWay } from '../../src/config/relations.ts';
import { between, settingsTable } from '../support/docs-tables.ts';
import { makeTempDir } from '../support/temp-home.ts';

const cwd = makeTempDir();

function refusal(env: Record<string, string>): SettingsError {
  try {
    resolveConfig({ cwd, env });
  } catch (error) {
    if (error instanceof SettingsError && error.code === 'config_invalid') return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

function problems(env: Record<string, string>): string {
  return refusal(env).message;
}

function file(name: string, text: string): string {
  const path = join(makeTempDir(), name);
  writeFileSync(path, text);
  return path;
}

describe('where a value comes from', () => {
  it('prefers flags to the environment, that to .env, that to tuma.yaml, that to the default', () => {
    const envFile = file('.env', 'TUMA_RATE=3/s\nTUMA_CONCURRENCY=3\nTUMA_SENDER=THREE\n');
    const yamlFile = file('tuma.yaml', 'TUMA_RATE: 4/s\nconcurrency: 4\nsender: FOUR\ncountry: UG\n');
    const config = resolveConfig({
      cwd,
      flags: { TUMA_RATE: '1/s' },
      env: { TUMA_RATE: '2/s', TUMA_CONCURRENCY: '2', PATH: '/bin' },
      envFile,
      yamlFile,
    });
    expect(config).toMatchObject({
      ratePerSecond: 1,
      concurrency: 2,
      sender: 'THREE',
      country: 'UG',
      claimLimit: 1024,
    });
    expect(config.origins).toMatchObject({
      TUMA_RATE: { from: 'flag', file: null },
      TUMA_CONCURRENCY: { from: 'environment', file: null },
      TUMA_SENDER: { from: '.env', file: envFile },
      TUMA_COUNTRY: { from: 'tuma.yaml', file: yamlFile },
      TUMA_CLAIM_LIMIT: { from: 'default', file: null },
    });
  });

  it('reads nothing but what it is given: no environment, no file in the directory', () => {
    const trap = makeTempDir();
    writeFileSync(join(trap, '.env'), 'TUMA_MESSAGING_URL=http://trap.example\n');
    writeFileSync(join(trap, 'tuma.yaml'), 'messaging_url: http://trap.example\n');
    process.env['TUMA_MESSAGING_URL'] = 'http://trap.example';
    try {
      expect(resolveConfig({ cwd: trap }).messagingUrl).toBeNull();
    } finally {
      delete process.env['TUMA_MESSAGING_URL'];
    }
  });

  it('takes an empty value for none, but an empty opt-out text for an empty one', () => {
    const config = resolveConfig({ cwd, env: { TUMA_RATE: '', TUMA_SENDER: ' ', TUMA_OPT_OUT_TEXT: '' } });
    expect(config).toMatchObject({ ratePerSecond: 50, sender: null, optOutText: '' });
    expect(resolveConfig({ cwd }).optOutText).toBe(' STOP*456*9*5#');
  });

  it('keeps the digits of a number in tuma.yaml, and takes prices by network', () => {
    const yamlFile = file('tuma.yaml', 'price: "1.10, 63902=0.80, TZ=1.50"\nTUMA_PORT: 0\n');
    const config = resolveConfig({ cwd, yamlFile });
    expect(config.price).toEqual({
      otherMicro: 1_100_000,
      byNetworkMicro: { 63902: 800_000 },
      byCountryMicro: { TZ: 1_500_000 },
    });
    expect(config.port).toBe(0);
  });
});

describe('what is refused', () => {
  it('names every problem at once, with its source', () => {
    expect(problems({ TUMA_PRICE: '0.80,tz=1.50' })).toContain('names no country "tz"; did you mean TZ?');
    const text = problems({
      TUMA_RATE: 'fast',
      TUMA_PORT: '70000',
      TUMA_ZONE: 'Mars/Olympus',
      TUMA_DEADLINE: '30',
    });
    expect(text).toContain('4 settings are wrong');
    expect(text).toContain('TUMA_RATE (environment): "fast" is not a rate; write 50/s, 600/min or unlimited');
    expect(text).toContain('TUMA_PORT (environment): "70000" is not a whole number from 0 to 65535');
    expect(text).toContain('TUMA_ZONE (environment): "Mars/Olympus" is not a time zone');
    expect(text).toContain('TUMA_DEADLINE (environment): "30" is not a time span; write 30s, 10m, 72h or 3d');
  });

  it('refuses an unknown name wherever it stands, and says what was meant', () => {
    expect(problems({ TUMA_RATTE: '1' })).toContain(
      'TUMA_RATTE (environment): is not a setting; did you mean TUMA_RATE?',
    );
    const envFile = file('.env', 'TUMA_API_SECRT=x\nOTHER=1\n');
    expect(() => resolveConfig({ cwd, envFile })).toThrow(
      'TUMA_API_SECRT (.env): is not a setting; did you mean TUMA_API_SECRET?',
    );
    const yamlFile = file('tuma.yaml', 'massaging_url: http://x\n');
    expect(() => resolveConfig({ cwd, yamlFile })).toThrow('did you mean TUMA_MESSAGING_URL?');
  });

  it.each([
    ['500kB', 500_000],
    ['2 GB', 2_000_000_000],
  ])('reads the size %s', (text, bytes) => {
    expect(resolveConfig({ cwd, env: { TUMA_MEDIA_LIMIT: text } }).mediaLimitBytes).toBe(bytes);
  });

  it('names line and column of a broken tuma.yaml', () => {
    const yamlFile = file('tuma.yaml', 'rate: 50/s\n  port: : 1\n');
    expect(() => resolveConfig({ cwd, yamlFile })).toThrow(/tuma\.yaml:2:\d+: /);
    expect(() => resolveConfig({ cwd, yamlFile: file('tuma.yaml', '- a\n') })).toThrow(
      'must be a map of settings',
    );
  });

  it.each([
    [
      'a claim limit below the concurrency',
      { TUMA_CONCURRENCY: '64', TUMA_CLAIM_LIMIT: '32' },
      'below TUMA_CONCURRENCY',
    ],
    ['a deadline as long as the lease', { TUMA_DEADLINE: '60s' }, "the lease's 60s"],
    ['a deadline as short as the life of a claim', { TUMA_DEADLINE: '5s' }, "the claim's 5s"],
    [
      'an operator who may re-send before the lease is surely over',
      { TUMA_RESOLVE_AFTER: '90s' },
      'TUMA_RESOLVE_AFTER',
    ],
    ['a key without its secret', { TUMA_API_KEY: 'k' }, 'must be given together'],
    ['two servers on one port', { TUMA_PORT: '9000', TUMA_DASHBOARD_PORT: '9000' }, 'must differ'],
    [
      'a database that Tuma has not',
      { TUMA_DATABASE_URL: 'mysql://u@h/db' },
      'is not sqlite:FILE or postgres:',
    ],
    ['a Postgres without a user', { TUMA_DATABASE_URL: 'postgres://h/db' }, 'names no user'],
    ['a Postgres without a database', { TUMA_DATABASE_URL: 'postgres://u@h' }, 'is not postgres://user@host'],
    [
      'a TLS that trusts everybody',
      { TUMA_DATABASE_URL: 'postgres://u@h/db?sslmode=require' },
      'has another sslmode than verify-full or disable',
    ],
    [
      'a setting of Postgres by a wrong name',
      { TUMA_DATABASE_URL: 'postgres://u@h/db?sslmod=x' },
      'asks for more',
    ],
    [
      'a certificate that lies anywhere',
      { TUMA_DATABASE_URL: 'postgres://u@h/db?sslrootcert=ca.pem' },
      'no whole path',
    ],
    ['a schema that needs quotes', { TUMA_DATABASE_URL: 'postgres://u@h/db?schema=A-b' }, 'small letters'],
    [
      'a schema that Postgres keeps for itself',
      { TUMA_DATABASE_URL: 'postgres://u@h/db?schema=pg_sms' },
      'begins with pg_',
    ],
    [
      'a home that a shell would have found',
      { TUMA_HOME: '~/campaigns' },
      'TUMA_HOME (environment): "~/campaigns" begins with what only a shell reads',
    ],
    ['a folder by the name of a variable', { TUMA_PROFILE: '${HOME}/p.json' }, 'only a shell reads'],
    ['a ledger that a shell would have found', { TUMA_DATABASE_URL: 'sqlite:~/l.db' }, 'only a shell reads'],
    [
      'an address with a password in it',
      { TUMA_MESSAGING_URL: 'http://u:p@h' },
      'must not hold a user or password',
    ],
    ['a short webhook token', { TUMA_WEBHOOK_TOKEN: 'guessme' }, '22 to 100'],
    ['a short token of before', { TUMA_WEBHOOK_TOKEN_OLD: 'guessme' }, '22 to 100'],
    ['a name in place of an address', { TUMA_WEBHOOK_FROM: 'sms.example.org' }, 'is not a list of addresses'],
    ['a trust in everybody', { TUMA_TRUSTED_PROXIES: '0.0.0.0/0' }, 'is not a list of addresses'],
    [
      'a token that would end a header [X24]',
      { TUMA_API_TOKEN: 'a\r\nSet-Cookie: x' },
      'holds a control character',
    ],
    ['a size without a unit', { TUMA_MEDIA_LIMIT: '25' }, 'is not a size up to 100GB'],
    ['a size of nothing', { TUMA_MEDIA_LIMIT: '0MB' }, 'is not a size up to 100GB'],
    ['a size in words', { TUMA_MEDIA_LIMIT: 'constructor' }, 'is not a size up to 100GB'],
    ['a size that no deadline could allow', { TUMA_MEDIA_LIMIT: '101GB' }, 'is not a size up to 100GB'],
    ['a price in words', { TUMA_PRICE: 'cheap' }, 'is not a price'],
    [
      'a country that does not exist',
      { TUMA_COUNTRY: 'UK' },
      'TUMA_COUNTRY (environment): "UK" is not the code of a country (ISO 3166); did you mean GB?',
    ],
    ['a country by its name', { TUMA_COUNTRY: 'Kenya' }, 'write two capital letters such as KE'],
  ])('refuses %s', (_what, env, words) => {
    expect(problems(env)).toContain(words);
  });

  it('tells what does not go together beside all else that is wrong, each with its source', () => {
    const envFile = file('.env', 'TUMA_CONCURRENCY=64\nTUMA_API_KEY=CANARY\n');
    const env = { TUMA_RATE: 'fast', TUMA_DEADLINE: '2s', TUMA_CLAIM_LIMIT: '32', TUMA_PORT: 'x' };
    const flags = { TUMA_DASHBOARD_PORT: '8080' };
    let told: readonly string[] = [];
    try {
      resolveConfig({ cwd, env, flags, envFile });
    } catch (error) {
      if (error instanceof SettingsError) told = error.problems;
    }
    expect(told).toEqual([
      'TUMA_PORT (environment): "x" is not a whole number from 0 to 65535',
      'TUMA_RATE (environment): "fast" is not a rate; write 50/s, 600/min or unlimited',
      'TUMA_CLAIM_LIMIT (environment), TUMA_CONCURRENCY (.env): 32 is below TUMA_CONCURRENCY (64)',
      "TUMA_DEADLINE (environment): must lie between the claim's 5s and the lease's 60s",
      'TUMA_API_KEY (.env), TUMA_API_SECRET (not set): must be given together',
    ]);
  });

  it('never repeats the value of a secret', () => {
    expect(problems({ TUMA_API_SECRET: 'CANARY\u0007', TUMA_API_KEY: 'k' })).not.toContain('CANARY');
    const mail = { TUMA_ALERT_MAIL: 'a@example.org', TUMA_SMTP_URL: 'smtps://u:CANARY%zz@mail.example.org' };
    expect(problems(mail)).toContain('has a % in its user or password that stands for itself: write %25');
    expect(problems(mail)).not.toContain('CANARY');
  });

  it.each([
    ['TUMA_DATABASE_URL', 'postgres://user:CANARY@host/db'],
    ['TUMA_MESSAGING_URL', 'https://user:CANARY@host'],
    ['TUMA_PUBLIC_URL', 'https://CANARY:p@ss/word@host'],
  ])('nor a password inside %s', (name, address) => {
    const refused = refusal({ [name]: address });
    expect(refused.message).toContain('//[secret]@host');
    const told = inspect([refused.message, refused.problems, refused.origins], { depth: 9 });
    expect(told).not.toContain('CANARY');
    expect(told).not.toContain('ss/word');
  });

  it.each(['https://host/v2?a=b&apikey=CANARY', 'host/v2?apikey=CANARY'])(
    'nor what an address asks with: %s',
    (address) => {
      const { message, problems: each, origins } = refusal({ TUMA_BASE_URL: address });
      expect(message).toContain('host/v2?[secret]"');
      expect(inspect([message, each, origins], { depth: 9 })).not.toContain('CANARY');
    },
  );
});

it('the webhook’s own address leads to the collector, and its token is not shown', () => {
  const token = 'CANARY-of-32-letters-and-digits0';
  const TUMA_PUBLIC_URL = `https://sms.example.org/sms/webhooks/${token}/`;
  expect(resolveConfig({ cwd, env: { TUMA_PUBLIC_URL } }).publicUrl).toBe('https://sms.example.org/sms');
  const { origins } = refusal({ TUMA_PUBLIC_URL, TUMA_RATE: 'fast' });
  expect(inspect(origins, { depth: 9 })).not.toContain('CANARY');
});

describe('what comes out', () => {
  it('is frozen, and shows a secret only to who reveals it', () => {
    const config = resolveConfig({ cwd, env: { TUMA_API_KEY: 'CANARY_K', TUMA_API_SECRET: 'CANARY_S' } });
    expect(Object.isFrozen(config)).toBe(true);
    expect(config.apiSecret?.reveal()).toBe('CANARY_S');
    const everyWay = [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      String(config.apiKey),
    ];
    for (const text of everyWay) expect(text).not.toContain('CANARY');
  });

  it('finds the home in the nearest directory upwards that is a project, else here', () => {
    const project = makeTempDir();
    const inner = join(project, 'jobs', 'may');
    mkdirSync(inner, { recursive: true });
    expect(resolveConfig({ cwd: inner }).home).toBe(join(inner, '.tuma'));
    writeFileSync(join(project, 'tuma.yaml'), '');
    expect(findProject(inner)).toBe(project);
    expect(resolveConfig({ cwd: inner })).toMatchObject({
      home: join(project, '.tuma'),
      ledgerFile: join(project, '.tuma', 'ledger.db'),
    });
  });

  it('takes the nearest .env up to the project, and none from above it', () => {
    const above = makeTempDir();
    const project = join(above, 'project');
    const inner = join(project, 'jobs');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(above, '.env'), 'TUMA_SENDER=ABOVE\n');
    writeFileSync(join(project, 'tuma.yaml'), '');
    expect(findEnvFile(inner, findProject(inner))).toBeNull();
    writeFileSync(join(project, '.env'), 'TUMA_SENDER=HERE\n');
    expect(findEnvFile(inner, findProject(inner))).toBe(join(project, '.env'));
  });

  it('starts relative paths at the file that they stand in', () => {
    const envFile = file(
      '.env',
      "TUMA_HOME=data\nTUMA_PROFILE=p.json\nTUMA_DATABASE_URL='sqlite:$TUMA_HOME/l.db'\n",
    );
    const directory = join(envFile, '..');
    expect(resolveConfig({ cwd, envFile })).toMatchObject({
      home: join(directory, 'data'),
      profileFile: join(directory, 'p.json'),
      ledgerFile: join(directory, 'data', 'l.db'),
    });
  });

  it('takes a ledger on Postgres, with the password from a file beside the settings', () => {
    const address = 'postgres://tuma@db.example.org:5433/sms?sslmode=verify-full&sslrootcert=/etc/ca.pem';
    const envFile = file('.env', `TUMA_DATABASE_URL='${address}'\nTUMA_DATABASE_PASSWORD_FILE=password\n`);
    const passwordFile = join(envFile, '..', 'password');
    writeFileSync(passwordFile, 'CANARY word\n');
    const config = resolveConfig({ cwd, envFile });
    expect(config).toMatchObject({
      postgres: { url: address },
      ledgerPlace: 'postgres://tuma@db.example.org:5433/sms',
      ledgerFile: join(cwd, '.tuma', 'ledger.db'),
    });
    expect(config.postgres?.passwordFile).toBe(passwordFile);
    expect(readPasswordFile(passwordFile).reveal()).toBe('CANARY word');
    expect(inspect(config, { depth: 9 })).not.toContain('CANARY');
    for (const wrong of ['', '\n', 'one\ntwo\n']) {
      writeFileSync(passwordFile, wrong);
      expect(() => readPasswordFile(passwordFile)).toThrow('holds no password, or more than one line');
    }
    rmSync(passwordFile);
    expect(() => readPasswordFile(passwordFile)).toThrow('cannot be read');
    expect(resolveConfig({ cwd })).toMatchObject({ postgres: null });
  });

  it('drops the trailing slash of an address', () => {
    const env = { TUMA_MESSAGING_URL: 'https://sms.example/base/', TUMA_PUBLIC_URL: 'https://me.example' };
    expect(resolveConfig({ cwd, env })).toMatchObject({
      messagingUrl: 'https://sms.example/base',
      publicUrl: 'https://me.example',
    });
  });
});

it('docs/configuration.md lists exactly the settings of the schema', () => {
  const text = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(between(text, 'settings')).toBe(settingsTable());
});

it.each([
  ['http://sms.example.org', true],
  ['http://192.0.2.7:8080/tuma', true],
  ['https://sms.example.org', false],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:8080', false],
  ['http://localhost', false],
])('what is posted to %s can be read on its way: %s', (url, isReadable) => {
  expect(isReadableOnItsWay(url)).toBe(isReadable);
});
