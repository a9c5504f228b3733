import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chargedSegments } from '../../campaign/planning/plan-facts.ts';
import { configuredPrices } from '../../config/values.ts';
import { z } from 'zod';
import { olderLedger } from '../../campaign/maintenance/stale-ledger-guard.ts';
import { ledgerThere, rescuedLedger } from '../../config/rescued-ledger.ts';
import { isReadableOnItsWay } from '../../config/relations.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney, grouped } from '../../domain/money.ts';
import { printable } from '../../domain/text/printable.ts';
import { someUnmatched, unmatchedWords } from '../../domain/unmatched-reports.ts';
import { recentlyUnmatched, UNMATCHED_HINT } from '../text/unmatched-text.ts';
import { type Answer, ask } from './http-get.ts';
import { accountError } from '../launch/account-error.ts';
import type { Context } from '../context.ts';
import { firstThere, lackOnDisk, workersAlive } from './workers-alive.ts';

/** One thing that was looked at. `fail`: sending will not work; `warn`: it may not, or not as well. */
export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  hint: string | null;
}

const ANSWER_MS = 5_000;
const healthSchema = z.object({ status: z.string() });
const OLDEST_NODE = [24, 15];
const CLOCK_DRIFT_MS = 60_000;

/** Checks all conditions of sending side by side. A failed check does not hide the others. */
export async function checkAll(context: Context): Promise<Check[]> {
  const looks: [name: string, look: () => Promise<Check>][] = [
    ['ledger', () => checkLedger(context)],
    ['guard', () => checkGuard(context)],
    ['secrets', () => checkSecrets(context)],
    ['redis', () => checkRedis(context)],
    ['credentials', () => checkCredentials(context)],
    ['webhook', () => checkWebhook(context)],
    ['clock', () => checkClock(context)],
    ['worker', () => checkWorkers(context)],
    ['charges', () => checkCharges(context)],
    ['reports', () => checkReports(context)],
  ];
  if (context.config.baseUrl !== null) looks.push(['v2', () => checkV2(context)]);
  const looked = looks.map(([name, look]) => look().catch((error: unknown) => failed(name, error)));
  return [...checkRuntime(), ...(await Promise.all(looked))];
}

/** Looks at what this program runs on, which needs no setting. */
export function checkRuntime(): Check[] {
  return [checkNode(), ok('sqlite', process.versions['sqlite'] ?? 'unknown')];
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return ok('node', process.versions.node);
  return {
    name: 'node',
    state: 'fail',
    detail: process.versions.node,
    hint: `Use ${OLDEST_NODE.join('.')} or later.`,
  };
}

async function checkLedger(context: Context): Promise<Check> {
  const { ledgerFile } = context.config;
  if (!ledgerThere(context.config)) return checkPlace(ledgerFile);
  const rescued = rescuedLedger(context.config);
  if (rescued !== null)
    return {
      name: 'ledger',
      state: 'fail',
      detail: `another ledger is at ${ledgerFile}`,
      hint: rescued.words,
    };
  const campaigns = await (await context.reader()).find('');
  const { mode, size } = await stat(ledgerFile);
  const behind = await (await context.ledger()).behind(context.clock.now());
  if (behind !== null) return failed('ledger', olderLedger(behind));
  const lack = lackOnDisk(ledgerFile);
  if (lack !== null) return failed('ledger', lack);
  const detail = `${ledgerFile}, ${(size / 1e6).toFixed(1)} MB, ${campaigns.length} ${campaigns.length === 1 ? 'campaign' : 'campaigns'}`;
  if ((mode & 0o077) === 0) return ok('ledger', detail);
  return { name: 'ledger', state: 'warn', detail, hint: `Others can read it: chmod 600 ${ledgerFile}` };
}

/** Where a launch will make the ledger. */
function checkPlace(ledgerFile: string): Check {
  const why = whyUnwritable(dirname(ledgerFile));
  const lack = why === null ? lackOnDisk(ledgerFile) : null;
  if (lack !== null) return failed('ledger', lack);
  if (why === null) return ok('ledger', `none yet; a launch will make ${ledgerFile}`);
  return {
    name: 'ledger',
    state: 'fail',
    detail: `none yet, and ${ledgerFile} cannot be made: ${why}`,
    hint: 'Point TUMA_HOME at a folder that this user may write.',
  };
}

/** Whether claims can be noted outside of the home, so that an older ledger is noticed. */
async function checkGuard(context: Context): Promise<Check> {
  const { stateFolder } = context.config;
  const why = stateFolder === null ? 'there is neither HOME nor XDG_STATE_HOME' : whyUnwritable(stateFolder);
  const isGuarded = !ledgerThere(context.config) || (await (await context.ledger()).isGuarded());
  if (why === null && isGuarded)
    return ok('guard', `an older ledger is noticed; claims are noted in ${stateFolder}`);
  return {
    name: 'guard',
    state: 'warn',
    detail: `off, an older ledger would not be noticed: ${why ?? `its note in ${stateFolder} cannot be written`}`,
    hint: 'Set XDG_STATE_HOME to a folder outside of TUMA_HOME that this user may write to.',
  };
}

/** Whether others on this machine can read the files that secrets were read from. */
async function checkSecrets({ config }: Context): Promise<Check> {
  const files = new Set(
    Object.values(config.origins).flatMap(({ from, file }) => (from === '.env' ? (file ?? []) : [])),
  );
  for (const file of files)
    if (((await stat(file)).mode & 0o077) !== 0)
      return {
        name: 'secrets',
        state: 'warn',
        detail: `others on this machine can read ${file}`,
        hint: `chmod 600 ${file}`,
      };
  return ok(
    'secrets',
    files.size === 0 ? 'no .env is used' : `only this user reads ${[...files].join(', ')}`,
  );
}

function whyUnwritable(folder: string): string | null {
  try {
    const here = firstThere(folder);
    if (!statSync(here).isDirectory()) return `${here} is no folder`;
    accessSync(here, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function checkRedis(context: Context): Promise<Check> {
  const found = await context.checkRedis();
  if (found.state === 'problem')
    return { name: 'redis', state: 'fail', detail: found.message, hint: found.hint };
  if (found.state === 'private') {
    return ok(
      'redis',
      `private, not running now; ${found.server} (${found.version.split(' sha=')[0] ?? ''}) will be started`,
    );
  }
  const detail = `${found.version} at ${found.where}, ${found.policy}`;
  if (found.policy === 'noeviction') return ok('redis', detail);
  return {
    name: 'redis',
    state: 'fail',
    detail,
    hint: 'It may evict keys: set maxmemory-policy noeviction.',
  };
}

async function checkCredentials(context: Context): Promise<Check> {
  const answer = await (await context.provider()).balance();
  if (answer.outcome === 'balance') {
    const credit = `${context.config.currency} ${grouped(formatMoney(answer.creditMicro))}`;
    return ok('credentials', `account ${context.output.words(answer.clientId)}, credit ${credit}`);
  }
  const status = answer.httpStatus === null ? 'no answer' : `answered ${answer.httpStatus}`;
  return {
    name: 'credentials',
    state: 'fail',
    detail: `${status}: ${printable(answer.words)}`,
    hint:
      answer.outcome === 'refused' ? 'Check TUMA_API_KEY and TUMA_API_SECRET.' : 'Check TUMA_MESSAGING_URL.',
  };
}

/** Credits and media only: sending does not need the v2 API. */
async function checkV2(context: Context): Promise<Check> {
  const { v2Auth } = context.config;
  try {
    const answer = await (await context.accountApi()).credits();
    if (answer.outcome === 'credits') return ok('v2', `credits can be asked for (${v2Auth})`);
    const { message, hint } = accountError(answer);
    return { name: 'v2', state: 'warn', detail: message, hint };
  } catch (error) {
    return { ...failed('v2', error), state: 'warn' };
  }
}

/** The collector answers at the address that the provider was given. */
async function checkWebhook({ config }: Context): Promise<Check> {
  if (config.publicUrl === null) {
    return {
      name: 'webhook',
      state: 'warn',
      detail: 'TUMA_PUBLIC_URL is not set: whether delivery reports can come in is not known',
      hint: 'Set it to the address under which the provider reaches the collector.',
    };
  }
  const { publicUrl } = config;
  const answer = await look(`${publicUrl}/health`);
  if (answer === null) return noCollector(`nothing answers at ${publicUrl}`);
  const { status } = answer;
  const said = statusIn(answer);
  if (status === 200 && said === 'ok') return collectorAt(publicUrl);
  if (status === 503 && said === 'ledger')
    return {
      name: 'webhook',
      state: 'warn',
      detail: `the collector at ${publicUrl} cannot take webhooks now`,
      hint: 'Is its disk full, its ledger held? The log of `tuma serve` says why.',
    };
  return noCollector(
    `${publicUrl} answers ${status}${status === 200 ? ', but not as a collector does' : ''}`,
  );
}

function collectorAt(publicUrl: string): Check {
  if (!isReadableOnItsWay(publicUrl)) return ok('webhook', `a collector answers at ${publicUrl}`);
  return {
    name: 'webhook',
    state: 'warn',
    detail: `${publicUrl} has no TLS: others can read replies, numbers and the token on their way`,
    hint: 'Put a proxy with a certificate before the collector, and set TUMA_PUBLIC_URL to its https address.',
  };
}

function noCollector(detail: string): Check {
  return {
    name: 'webhook',
    state: 'warn',
    detail,
    hint: 'Is `tuma serve` running, and does your proxy lead to it?',
  };
}

/** The status in the collector's /health; null: another program answered. */
function statusIn({ body }: Answer): unknown {
  try {
    return healthSchema.parse(JSON.parse(body ?? '')).status;
  } catch {
    return null;
  }
}

/** Compares with the provider's clock, because sending hours and the age of reports use this one. */
async function checkClock({ config, clock }: Context): Promise<Check> {
  const here = clock.now();
  const answer = config.messagingUrl === null ? null : await look(config.messagingUrl);
  const there = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(there)) return ok('clock', `${new Date(here).toISOString()}; nothing to compare it with`);
  const drift = Math.abs(there - here);
  if (drift <= CLOCK_DRIFT_MS) return ok('clock', 'as that of the messaging service');
  return {
    name: 'clock',
    state: 'warn',
    detail: `${Math.round(drift / 1000)} s away from that of the messaging service`,
    hint: 'Let the system keep time (NTP).',
  };
}

async function checkWorkers(context: Context): Promise<Check> {
  if (!ledgerThere(context.config)) return ok('worker', 'none is alive');
  const count = await workersAlive(context);
  return ok('worker', count === 0 ? 'none is alive; start one with tuma serve' : `${count} alive`);
}

/** Whether the provider charges the segments that Tuma counts. */
async function checkCharges(context: Context): Promise<Check> {
  const { config } = context;
  if (!ledgerThere(config)) return ok('charges', 'none yet');
  const learned = await (await context.ledger()).knownPrices(null);
  const [detail] = chargedSegments({ configured: configuredPrices(config.price), learned });
  if (detail === undefined)
    return ok('charges', learned.length === 0 ? 'none yet' : 'nothing speaks against the counted segments');
  return { name: 'charges', state: 'warn', detail, hint: null };
}

/** Whether delivery reports find their messages. */
async function checkReports(context: Context): Promise<Check> {
  if (!ledgerThere(context.config)) return ok('reports', 'none yet');
  const unmatched = await recentlyUnmatched(await context.reader(), context.clock.now());
  if (!someUnmatched(unmatched)) return ok('reports', 'none of the last three days waits for its message');
  const hint = unmatched.count > 0 ? UNMATCHED_HINT : 'tuma webhooks list';
  return { name: 'reports', state: 'warn', detail: unmatchedWords(unmatched), hint };
}

async function look(url: string): Promise<Answer | null> {
  return ask(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
}

function ok(name: string, detail: string): Check {
  return { name, state: 'ok', detail, hint: null };
}

function failed(name: string, error: unknown): Check {
  if (error instanceof TumaError) return { name, state: 'fail', detail: error.message, hint: error.hint };
  return { name, state: 'fail', detail: error instanceof Error ? error.message : String(error), hint: null };
}
