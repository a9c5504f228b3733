import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Log } from '../campaign/env.ts';
import type { RedisCheck, RunningSandbox, Services } from './contracts.ts';
import type { Preparations } from '../campaign/prepare/preparations.ts';
import { removeOldFiles } from '../campaign/tasks/task-files.ts';
import type { Tasks } from '../campaign/tasks/tasks.ts';
import type { Config } from '../config/config.ts';
import { TumaError } from '../domain/errors.ts';
import type { Ledger } from '../ledger/contracts/ledger.ts';
import type { AccountApi } from '../provider/account/account-api.ts';
import { createProvider } from '../provider/http-provider.ts';
import { loadProfile } from '../provider/profiles/load-profile.ts';
import type { Provider } from '../provider/provider.ts';
import { createAccountApi } from '../provider/account/v2-account.ts';
import { FollowingClock, systemClock } from '../system/clock.ts';
import {
  IN_THREADS,
  type LedgerOpeners,
  type LedgerSettings,
  openLedger,
  openMove,
  openReader,
} from './open-ledger.ts';
import { makeFolder } from '../system/folder.ts';
import { systemProcesses } from '../system/processes.ts';
import { removeLeftovers, TemporaryFolder } from '../system/temporary-folder.ts';
import { systemWireFiles } from '../system/wire-files.ts';

/* The composition root: builds everything from the configuration and disposes it in reverse. */

/** Builds what the commands run with. Nothing is opened before it is asked for, and each thing once. */
export async function openServices(config: Config, log: Log, open = IN_THREADS): Promise<Services> {
  const things = new Things();
  const temporary = new TemporaryFolder(join(config.home, 'tmp'));
  // Before anything else: a killed command leaves full numbers that no purge would find.
  removeLeftovers(join(config.home, 'tmp'));
  refuseMissing(config);
  await removeOldFiles(config.sharedFolder, systemClock.now());
  let committed = (_ms: number): void => undefined;
  const clock = new FollowingClock();
  const services: Services = {
    config,
    log,
    clock,
    processes: systemProcesses('command'),
    wire: systemWireFiles(join(dirname(config.ledgerFile), 'wire'), log),
    ledger: () =>
      things.once('ledger', () => openLedger(config, { log, committed: (ms) => committed(ms), clock }, open)),
    ledgerAt: (home) =>
      openLedger({ ...config, ...ledgerOf(home) }, { log, clock: new FollowingClock() }, open),
    moveLedger: ({ url, by }) => openMove(config, { url, by, now: () => systemClock.now(), log }),
    watchCommits: (listener) => {
      committed = listener;
    },
    reader: () => things.once('reader', () => openReader(config, open)),
    provider: () => things.once('provider', async () => openProvider(config, log)),
    accountApi: () => things.once('account api', async () => openAccountApi(config)),
    chatMedia: async (request) => (await import('./chat-media.ts')).fetchChatMedia(services, request),
    postAlert: async (target, alert) => {
      const { postAlert } = await import('../notify/webhook-channel.ts');
      await postAlert({ ...target, pages: config.publicDashboardUrl }, { alert, at: clock.now() });
    },
    scratchLedger: () => things.once('scratch', () => openScratch(temporary, { log, write: open.write })),
    temporary,
    webhookReading: async () => (await import('./profile-settings.ts')).webhookReading(config),
    networkNames: async () => (await import('./profile-settings.ts')).networkNames(config),
    launchSettings: async () => (await import('./profile-settings.ts')).launchSettings(config),
    preparations: () => things.once('preparations', () => openPreparations(services)),
    tasks: () => things.once('tasks', () => openTasks(services)),
    startRoles: async (options) => (await import('./roles.ts')).startRoles(services, options),
    checkRedis: async (): Promise<RedisCheck> => (await import('./queue.ts')).lookAtRedis(config),
    health: async () => (await import('./health/checks.ts')).lookAtHealth(services),
    startSandbox: async (options): Promise<RunningSandbox> =>
      (await import('./sandbox.ts')).openSandbox(config, options),
    dispose: async () => {
      await things.dispose();
      temporary.close();
    },
  };
  return services;
}

async function openPreparations(services: Services): Promise<Preparations> {
  const { Preparations } = await import('../campaign/prepare/preparations.ts');
  const { planningApart } = await import('./plan-apart.ts');
  const { config, clock, log, processes, temporary } = services;
  return new Preparations({
    ledger: await services.ledger(),
    reader: () => services.reader(),
    provider: () => services.provider(),
    settings: await services.launchSettings(),
    clock,
    random: Math.random,
    log,
    processes,
    sharedFolder: config.sharedFolder,
    copies: temporary.path,
    jobs: join(dirname(config.home), 'jobs'),
    planApart: planningApart(config, log),
  });
}

async function openTasks(services: Services): Promise<Tasks> {
  const { Tasks } = await import('../campaign/tasks/tasks.ts');
  const { workingApart } = await import('./task-apart.ts');
  const { config, clock, log, processes } = services;
  const ledger = await services.ledger();
  const { sharedFolder } = config;
  const workApart = workingApart(config, log);
  return new Tasks({
    ledger,
    reader: () => services.reader(),
    clock,
    processes,
    log,
    sharedFolder,
    workApart,
  });
}

/** A folder that is not mounted must not be made anew here, where the other machines never look. */
function refuseMissing({ home, sharedFolder }: Config): void {
  if (sharedFolder === home || existsSync(sharedFolder)) return;
  throw new TumaError('config_invalid', {
    message: `TUMA_SHARED_FOLDER: ${sharedFolder} is not there.`,
    hint: 'Mount it, or make it.',
    where: 'TUMA_SHARED_FOLDER',
  });
}

/** Where the ledger of a home is. */
function ledgerOf(home: string): Pick<LedgerSettings, 'home' | 'ledgerFile' | 'ledgerPlace' | 'postgres'> {
  const ledgerFile = join(home, 'ledger.db');
  return { home, ledgerFile, ledgerPlace: ledgerFile, postgres: null };
}

/** Opened things, each once, closed in reverse. */
class Things {
  #opened = new Map<string, Promise<{ close(): Promise<void> }>>();

  once<Thing extends { close(): Promise<void> }>(name: string, open: () => Promise<Thing>): Promise<Thing> {
    const known = this.#opened.get(name) as Promise<Thing> | undefined;
    if (known !== undefined) return known;
    const opening = open();
    this.#opened.set(name, opening);
    return opening;
  }

  async dispose(): Promise<void> {
    const all = [...this.#opened.values()].toReversed();
    this.#opened.clear();
    // A thing that could not be opened told its first user.
    for (const thing of await Promise.allSettled(all))
      if (thing.status === 'fulfilled') await thing.value.close();
  }
}

/** A ledger for a plan that nobody launches: its own file, gone when the command ends. */
async function openScratch(
  temporary: TemporaryFolder,
  { log, write }: { log: Log; write: LedgerOpeners['write'] },
): Promise<Ledger> {
  const folder = join(temporary.path, 'plan');
  await makeFolder(folder);
  return write({ file: join(folder, 'ledger.db'), log });
}

function openProvider(config: Config, log: Log): Provider {
  const { messagingUrl, apiKey, apiSecret } = config;
  if (messagingUrl === null || apiKey === null || apiSecret === null) throw credentialsMissing(config);
  return createProvider({
    messagingUrl,
    apiKey: apiKey.reveal(),
    apiSecret: apiSecret.reveal(),
    connections: config.concurrency,
    deadlineMs: config.deadlineMs,
    profile: loadProfile(config.profileFile),
    currency: config.currency,
    log,
  });
}

function openAccountApi(config: Config): AccountApi {
  const { baseUrl, v2Auth, apiToken, apiKey, apiSecret, deadlineMs } = config;
  if (baseUrl === null) {
    throw new TumaError('credentials', {
      message: 'Not set: TUMA_BASE_URL.',
      hint: 'Put it and TUMA_API_TOKEN into .env: {base_url} of the API document, and a token from the portal (API Keys).',
    });
  }
  return createAccountApi({
    baseUrl,
    auth: v2Auth,
    token: apiToken?.reveal() ?? null,
    key: apiKey?.reveal() ?? null,
    secret: apiSecret?.reveal() ?? null,
    deadlineMs,
    profile: loadProfile(config.profileFile),
    currency: config.currency,
  });
}

function credentialsMissing(config: Config): TumaError {
  const missing = [
    config.messagingUrl === null ? 'TUMA_MESSAGING_URL' : null,
    config.apiKey === null ? 'TUMA_API_KEY' : null,
    config.apiSecret === null ? 'TUMA_API_SECRET' : null,
  ].filter((name) => name !== null);
  return new TumaError('credentials', {
    message: `Not set: ${missing.join(', ')}.`,
    hint: 'Put them into .env (see README, going live).',
    advice: { action: 'try_sandbox' },
  });
}
