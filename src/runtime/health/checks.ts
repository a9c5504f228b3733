import { accessSync, constants, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { olderLedger } from '../../campaign/maintenance/stale-ledger-guard.ts';
import { chargedMore } from '../../campaign/planning/plan-facts.ts';
import { isReadableOnItsWay } from '../../config/relations.ts';
import { ledgerThere } from '../../config/ledger-there.ts';
import { configuredPrices } from '../../config/values.ts';
import { shownAddress } from '../../domain/alert-endpoint.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney } from '../../domain/money.ts';
import { someUnmatched } from '../../domain/unmatched-reports.ts';
import type { CheckName, CheckState, Finding, FindingFacts, Health } from '../../reports/health.ts';
import { recentlyUnmatched } from '../../reports/recently-unmatched.ts';
import { accountError } from '../account-error.ts';
import type { Services } from '../contracts.ts';
import { firstThere, freeBytes, lackOnDisk } from './disk-room.ts';
import { type Answer, ask } from './http-get.ts';
import { workersAlive } from '../../campaign/operator/living-workers.ts';

/** The parts of Tuma that are looked at. */
export type HealthServices = Pick<
  Services,
  'config' | 'clock' | 'processes' | 'reader' | 'ledger' | 'provider' | 'accountApi' | 'checkRedis'
>;

type Look = [name: CheckName, look: () => Promise<Finding>];

const ANSWER_MS = 5_000;
const healthSchema = z.object({ status: z.string() });
const OLDEST_NODE = [24, 15];
const CLOCK_DRIFT_MS = 60_000;

/** Checks all conditions of sending side by side. A failed check does not hide the others. */
export async function checkAll(services: HealthServices): Promise<Finding[]> {
  const looks: Look[] = [
    ['ledger', () => checkLedger(services)],
    ['guard', () => checkGuard(services)],
    ['secrets', () => checkSecrets(services)],
    ['redis', () => checkRedis(services)],
    ['credentials', () => checkCredentials(services)],
    ['webhook', () => checkWebhook(services)],
    ['clock', () => checkClock(services)],
    ['worker', () => checkWorkers(services)],
    ['charges', () => checkCharges(services)],
    ['reports', () => checkReports(services)],
    ['alerts', () => checkAlertsGo(services)],
  ];
  if (services.config.baseUrl !== null) looks.push(['v2', () => checkV2(services)]);
  return await lookAt(services, looks);
}

async function lookAt({ config, ledger }: HealthServices, looks: readonly Look[]): Promise<Finding[]> {
  // Postgres has a ledger once the first who may has made its tables; whoever may not is told so by the first check.
  if (config.postgres !== null) await ledger().catch(() => undefined);
  const looked = looks.map(([name, look]) => look().catch((error: unknown) => failed(name, error)));
  return [...checkRuntime(), ...(await Promise.all(looked))];
}

/** Checks what a collector needs. Its user of Postgres may store webhooks, and read nothing of a campaign. */
export async function checkCollector(services: HealthServices): Promise<Finding[]> {
  return await lookAt(services, [
    ['ledger', () => checkInbox(services)],
    ['secrets', () => checkSecrets(services)],
    ['webhook', () => checkOwnWebhook(services)],
    ['clock', () => checkClock(services)],
  ]);
}

/** All checks, and the free space for the ledger. */
export async function lookAtHealth(services: HealthServices): Promise<Health> {
  return { findings: await checkAll(services), freeBytes: freeBytes(services.config.ledgerFile) };
}

/** Looks at what this program runs on, which needs no setting. */
export function checkRuntime(): Finding[] {
  const version = process.versions['sqlite'] ?? 'unknown';
  return [checkNode(), found('sqlite', 'ok', { is: 'version', facts: { version } })];
}

function checkNode(): Finding {
  const { node: version } = process.versions;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor))
    return found('node', 'ok', { is: 'version', facts: { version } });
  return found('node', 'fail', { is: 'nodeTooOld', facts: { version, oldest: OLDEST_NODE.join('.') } });
}

async function checkLedger(services: HealthServices): Promise<Finding> {
  const { postgres } = services.config;
  return postgres === null ? checkLedgerFile(services) : checkLedgerOnPostgres(services, postgres.url);
}

async function checkLedgerOnPostgres(services: HealthServices, url: string): Promise<Finding> {
  const { ledgerPlace: place } = services.config;
  const campaigns = (await (await services.reader()).find('')).length;
  const ledger = await services.ledger();
  const behind = await ledger.behind(services.clock.now());
  if (behind !== null) return failed('ledger', olderLedger(behind));
  // Its disk may be full.
  await ledger.tryInbox(services.clock.now());
  if (isReadableOnItsWay(url)) return found('ledger', 'warn', { is: 'ledgerPlain', facts: { place } });
  const { engine } = await ledger.facts();
  return found('ledger', 'ok', { is: 'ledgerOnPostgres', facts: { place, engine, campaigns } });
}

/** The ledger of a collector, which it is given to store webhooks alone. */
async function checkInbox(services: HealthServices): Promise<Finding> {
  const { config, clock } = services;
  const { ledgerPlace: place, postgres } = config;
  if (postgres === null) return checkLedgerFile(services);
  await (await services.ledger()).tryInbox(clock.now());
  if (isReadableOnItsWay(postgres.url))
    return found('ledger', 'warn', { is: 'ledgerPlain', facts: { place } });
  return found('ledger', 'ok', { is: 'inbox', facts: { place } });
}

async function checkLedgerFile(services: HealthServices): Promise<Finding> {
  const { ledgerFile: file } = services.config;
  if (!ledgerThere(services.config)) return checkPlace(file);
  const campaigns = await (await services.reader()).find('');
  const { mode, size } = await stat(file);
  const behind = await (await services.ledger()).behind(services.clock.now());
  if (behind !== null) return failed('ledger', olderLedger(behind));
  const lack = lackOnDisk(file);
  if (lack !== null) return failed('ledger', lack);
  const facts = { file, bytes: size, campaigns: campaigns.length };
  if ((mode & 0o077) === 0) return found('ledger', 'ok', { is: 'ledger', facts });
  return found('ledger', 'warn', { is: 'ledgerReadable', facts });
}

/** Where a launch will make the ledger. */
function checkPlace(file: string): Finding {
  const why = whyUnwritable(dirname(file));
  const lack = why === null ? lackOnDisk(file) : null;
  if (lack !== null) return failed('ledger', lack);
  if (why === null) return found('ledger', 'ok', { is: 'noLedger', facts: { file } });
  return found('ledger', 'fail', { is: 'noLedgerPossible', facts: { file, why } });
}

/** Whether claims can be noted outside of the home, so that an older ledger is noticed. */
async function checkGuard({ config, ledger }: HealthServices): Promise<Finding> {
  const { stateFolder: folder } = config;
  const why = folder === null ? null : whyUnwritable(folder);
  const isGuarded = !ledgerThere(config) || (await (await ledger()).isGuarded());
  if (folder !== null && why === null && isGuarded)
    return found('guard', 'ok', { is: 'guarded', facts: { folder } });
  return found('guard', 'warn', { is: 'unguarded', facts: { folder, why } });
}

/** Whether others on this machine can read the files that secrets were read from. */
async function checkSecrets({ config }: HealthServices): Promise<Finding> {
  const files = filesOfSecrets(config);
  for (const file of files) {
    const mode = await tooOpen(file);
    if (mode !== null) return found('secrets', 'warn', { is: 'secretsReadable', facts: { file, mode } });
  }
  return found('secrets', 'ok', { is: 'secretsSafe', facts: { files } });
}

function filesOfSecrets({ origins, postgres, redisFiles }: HealthServices['config']): string[] {
  const ofSettings = Object.values(origins).map(({ from, file }) => (from === '.env' ? file : null));
  const { password, sentinelPassword, key } = redisFiles;
  const ofPostgres = postgres === null ? [] : [postgres.passwordFile, keyIn(postgres.url)];
  const all = [...ofSettings, ...ofPostgres, password, sentinelPassword, key];
  return [...new Set(all.filter((file) => file !== null))];
}

/**
 * The mode that a file should have; null: it is closed enough. One of another owner, such as root, reaches this user by its
 * group. One that is not there is told of by whoever reads it.
 */
async function tooOpen(file: string): Promise<string | null> {
  const there = await stat(file).catch(() => null);
  if (there === null) return null;
  const isOwn = there.uid === process.getuid?.();
  if ((there.mode & (isOwn ? 0o077 : 0o007)) === 0) return null;
  return isOwn ? '600' : '640';
}

function keyIn(url: string): string | null {
  return new URL(url).searchParams.get('sslkey');
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

async function checkRedis(services: HealthServices): Promise<Finding> {
  const looked = await services.checkRedis();
  if (looked.state === 'problem') {
    const { message, hint } = looked;
    return found('redis', 'fail', { is: 'failed', facts: { code: null, message, hint, advice: null } });
  }
  if (looked.state === 'private') {
    const version = looked.version.split(' sha=')[0] ?? '';
    return found('redis', 'ok', { is: 'privateRedis', facts: { server: looked.server, version } });
  }
  const { version, where, policy } = looked;
  const facts = { version, where, policy };
  if (policy === 'noeviction') return found('redis', 'ok', { is: 'redis', facts });
  return found('redis', 'fail', { is: 'redisEvicts', facts });
}

async function checkCredentials({ config, provider }: HealthServices): Promise<Finding> {
  const answer = await (await provider()).balance();
  if (answer.outcome === 'balance') {
    const credit = formatMoney(answer.creditMicro);
    const facts = { account: answer.clientId, currency: config.currency, credit };
    return found('credentials', 'ok', { is: 'account', facts });
  }
  const { httpStatus, words, outcome } = answer;
  const facts = { httpStatus, words, isRefused: outcome === 'refused' };
  return found('credentials', 'fail', { is: 'noAccount', facts });
}

/** Credits and media only: sending does not need the v2 API. */
async function checkV2({ config, accountApi }: HealthServices): Promise<Finding> {
  const warn = (error: unknown) => found('v2', 'warn', { is: 'noCredits', facts: errorFacts(error) });
  try {
    const answer = await (await accountApi()).credits();
    if (answer.outcome === 'credits')
      return found('v2', 'ok', { is: 'creditsAsked', facts: { auth: config.v2Auth } });
    return warn(accountError(answer));
  } catch (error) {
    return warn(error);
  }
}

/** The webhook of a collector. One of many without a token in its settings would make one that no other knows. */
async function checkOwnWebhook(services: HealthServices): Promise<Finding> {
  const { postgres, webhookToken } = services.config;
  if (postgres !== null && webhookToken === null)
    return found('webhook', 'warn', { is: 'ownToken', facts: null });
  return checkWebhook(services);
}

/** The collector answers at the address that the provider was given. */
async function checkWebhook({ config: { publicUrl: url } }: HealthServices): Promise<Finding> {
  if (url === null) return found('webhook', 'warn', { is: 'noPublicUrl', facts: null });
  const answer = await look(`${url}/health`);
  if (answer === null) return noCollector({ url, status: null, isOther: false });
  const { status } = answer;
  const said = statusIn(answer);
  if (status === 200 && said === 'ok')
    return isReadableOnItsWay(url)
      ? found('webhook', 'warn', { is: 'collectorPlain', facts: { url } })
      : found('webhook', 'ok', { is: 'collector', facts: { url } });
  if (status === 503 && said === 'ledger')
    return found('webhook', 'warn', { is: 'collectorStuck', facts: { url } });
  return noCollector({ url, status, isOther: status === 200 });
}

function noCollector(facts: FindingFacts['noCollector']): Finding {
  return found('webhook', 'warn', { is: 'noCollector', facts });
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
async function checkClock({ config, clock }: HealthServices): Promise<Finding> {
  const here = clock.now();
  const answer = config.messagingUrl === null ? null : await look(config.messagingUrl);
  const there = Date.parse(answer?.headers.get('date') ?? '');
  if (Number.isNaN(there)) return found('clock', 'ok', { is: 'clockAlone', facts: { at: here } });
  const drift = Math.abs(there - here);
  if (drift <= CLOCK_DRIFT_MS) return found('clock', 'ok', { is: 'clockRight', facts: null });
  return found('clock', 'warn', { is: 'clockOff', facts: { seconds: Math.round(drift / 1000) } });
}

async function checkWorkers(services: HealthServices): Promise<Finding> {
  const count = ledgerThere(services.config) ? await workersAlive(services) : null;
  return found('worker', 'ok', { is: 'workers', facts: { count } });
}

/** Whether the provider charges the segments that Tuma counts. */
async function checkCharges({ config, ledger }: HealthServices): Promise<Finding> {
  const learned = ledgerThere(config) ? await (await ledger()).knownPrices(null) : [];
  const facts = chargedMore({ configured: configuredPrices(config.price), learned });
  if (facts !== null) return found('charges', 'warn', { is: 'chargesWrong', facts });
  return found('charges', 'ok', {
    is: learned.length === 0 ? 'nothingCharged' : 'chargesRight',
    facts: null,
  });
}

/** Whether delivery reports find their messages. */
async function checkReports({ config, clock, reader }: HealthServices): Promise<Finding> {
  if (!ledgerThere(config)) return found('reports', 'ok', { is: 'noReports', facts: null });
  const unmatched = await recentlyUnmatched(await reader(), clock.now());
  if (!someUnmatched(unmatched)) return found('reports', 'ok', { is: 'reportsJoin', facts: null });
  return found('reports', 'warn', { is: 'reportsUnmatched', facts: unmatched });
}

/** Where alerts go, and whether each address of a program took its last one. It posts nothing. */
async function checkAlertsGo({ config, reader }: HealthServices): Promise<Finding> {
  const endpoints = ledgerThere(config) ? await (await reader()).alertEndpoints() : [];
  const failed = endpoints.flatMap(({ url, successAt, failureAt, failure }) =>
    failureAt !== null && failureAt > (successAt ?? 0)
      ? [{ address: shownAddress(url), why: failure ?? '' }]
      : [],
  );
  if (failed.length > 0) return found('alerts', 'warn', { is: 'alertsFail', facts: { failed } });
  const settings = [config.alertUrl, config.alertMail].filter((way) => way !== null).length;
  const shown = endpoints.map(({ url }) => shownAddress(url));
  return found('alerts', 'ok', { is: 'alertsGo', facts: { settings, endpoints: shown } });
}

async function look(url: string): Promise<Answer | null> {
  return ask(url, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
}

/** A finding of a check. */
function found<Is extends keyof FindingFacts>(
  name: CheckName,
  state: CheckState,
  { is, facts }: { is: Is; facts: FindingFacts[Is] },
): Finding {
  return { name, state, is, facts } as Finding;
}

function failed(name: CheckName, error: unknown): Finding {
  return found(name, 'fail', { is: 'failed', facts: errorFacts(error) });
}

function errorFacts(error: unknown): FindingFacts['failed'] {
  if (error instanceof TumaError) {
    const { code, message, hint, advice } = error;
    return { code, message, hint, advice };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: null, message, hint: null, advice: null };
}
