import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Config, resolveConfig } from '../config/config.ts';
import { isPostgres } from '../config/database-url.ts';
import { TumaError } from '../domain/errors.ts';

/*
 * The sample fixes every setting and reads no environment, .env or tuma.yaml, so it cannot reach a real account. Its
 * command line may name a Postgres. There it has a schema of its own, where no worker with a real account looks.
 */

/** The project's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** These credentials open nothing but the sample's sandbox. */
export const ACCOUNT = { apiKey: 'sandbox-key', apiSecret: 'sandbox-secret' };
/** Cost a segment by network, as the sandbox charges it: the estimate is a range. */
const SANDBOX_PRICES = '1=0.80, 2=0.90, 3=1.00';
const SCHEMA = 'tuma_sample';
const USAGE = 'npm start -- --database-url postgres://user@host/database [--database-password-file FILE]';

/** Where a sample keeps what it makes. */
export interface SamplePlace {
  home: string;
  /** The settings of its ledger, when that is not in its home. */
  database: Record<string, string>;
}

/** The place of the sample that these arguments of `npm start` ask for. Throws `usage`. */
export function samplePlace(args: string[]): SamplePlace {
  const { url, password } = argumentsOf(args);
  if (url === undefined && password === undefined)
    return { home: join(ROOT, '.tuma', 'sample'), database: {} };
  return {
    // The claims and the truth log of another ledger.
    home: join(ROOT, '.tuma', 'sample-postgres'),
    database: {
      TUMA_DATABASE_URL: inOwnSchema(url ?? ''),
      ...(password === undefined ? {} : { TUMA_DATABASE_PASSWORD_FILE: resolve(password) }),
    },
  };
}

function argumentsOf(args: string[]): { url: string | undefined; password: string | undefined } {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({ args, options: { 'database-url': text, 'database-password-file': text } });
    return { url: values['database-url'], password: values['database-password-file'] };
  } catch (cause) {
    throw new TumaError('usage', {
      message: 'The sample takes a Postgres and nothing else.',
      hint: USAGE,
      cause,
    });
  }
}

function inOwnSchema(text: string): string {
  const url = URL.parse(text);
  if (url === null || !isPostgres(text) || url.searchParams.has('schema'))
    throw new TumaError('usage', {
      message: `The sample takes the address of a Postgres, in which it makes the schema ${SCHEMA}.`,
      hint: USAGE,
      where: '--database-url',
    });
  url.searchParams.set('schema', SCHEMA);
  return url.href;
}

/** Fixes every setting, so that no environment can change one. */
export function sampleConfig(
  { home, database }: SamplePlace,
  at: { url: string; collector: number; dashboard: number },
): Config {
  return resolveConfig({
    cwd: home,
    flags: database,
    env: {
      TUMA_HOME: home,
      // The sample needs no protection against old backups, so its claim counter stays inside its home.
      XDG_STATE_HOME: join(home, 'state'),
      TUMA_MESSAGING_URL: at.url,
      TUMA_API_KEY: ACCOUNT.apiKey,
      TUMA_API_SECRET: ACCOUNT.apiSecret,
      TUMA_HOST: '127.0.0.1',
      TUMA_PORT: String(at.collector),
      TUMA_DASHBOARD_HOST: '127.0.0.1',
      TUMA_DASHBOARD_PORT: String(at.dashboard),
      TUMA_PRICE: SANDBOX_PRICES,
    },
  });
}
