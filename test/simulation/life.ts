import { clearDrafts } from '../../src/campaign/launch/preview-launch.ts';
import type { Env } from '../../src/campaign/env.ts';
import { findEarlier, newCampaignId, openAccount } from '../../src/campaign/launch/launch.ts';
import { startReportLoop } from '../../src/campaign/inbound/webhook-loop.ts';
import { storeWebhook } from '../../src/campaign/inbound/store-webhook.ts';
import { type RunningWorker, startWorker } from '../../src/campaign/worker.ts';
import type { SendingOptions } from '../../src/campaign/sending/sending-worker.ts';
import type { Campaign, CampaignSettings } from '../../src/domain/campaign.ts';
import { wishReader } from '../../src/domain/text/opt-out-words.ts';
import { defaultProfile } from '../../src/provider/profiles/default.ts';
import { replyHint, webhookParser } from '../../src/provider/webhooks/read-webhook.ts';
import type { SimProcess } from './sim-process.ts';
import { PRICE } from './sim-provider.ts';
import type { World } from './world.ts';

/** A campaign that is launched by its files, again and again: each process of it gives the same order. */
export interface CampaignPlan {
  name: string;
  kind: Campaign['kind'];
  mobiles: string[];
  settings: Partial<CampaignSettings>;
  budgetMicro: number | null;
  /** Of a message; left out: one. */
  segments?: number;
  /** Of every rendered text; left out: none is compared. */
  textHash?: number;
}

/** How the processes of a world are set up. */
export interface LifeOptions {
  plans: CampaignPlan[];
  sending: Omit<SendingOptions, 'prices'> & { prices?: SendingOptions['prices'] };
}

/** One process from its start: `tuma launch --wait` with all roles. */
export interface Life {
  process: SimProcess;
  env: Env;
  /** Its orderly end. Never settles when the process is killed. */
  stop(): Promise<void>;
}

const ASK_AGAIN_MS = 2_000;
const WATCH_PAUSES_MS = 5_000;
const DEFAULTS: CampaignSettings = {
  zone: 'Africa/Nairobi',
  currency: 'KES',
  window: null,
  ratePerSecond: null,
  retry: { attempts: 4, firstMs: 300, mostMs: 2_000 },
  batchSize: 10,
  header: ['Phone', 'Name'],
  columns: {},
  gsmSafe: false,
  optOutText: '',
};
const parse = webhookParser(defaultProfile.reports, { country: 'KE' });
const mayBeReply = replyHint(defaultProfile.reports);
const wishOf = wishReader({
  stop: defaultProfile.opt_out.words,
  start: defaultProfile.opt_out.return_words,
});

/** Starts a process that takes webhooks, sends, reads reports, and launches every plan that is not launched yet. */
export function startLife(world: World, { plans, sending }: LifeOptions): Life {
  const process = world.spawn();
  const env = envOf(world, process);
  const stops: (() => Promise<void>)[] = [];
  const stopping = new AbortController();
  const door = {
    process,
    receive: async (webhook: Parameters<typeof storeWebhook>[1]) =>
      (await storeWebhook(env, webhook, mayBeReply)) === 'stored' ? 200 : 503,
  };
  world.postman.doors.push(door);
  const running = (async () => {
    const worker = await startPatiently(env, {
      prices: [PRICE],
      watchPausesMs: WATCH_PAUSES_MS,
      fireAnew: async () => ({ campaign: null }),
      ...sending,
    });
    const reports = startReportLoop(env, { parse, wishOf });
    stops.push(
      () => worker.stop(),
      () => reports.stop(),
    );
    for (const plan of plans)
      while (!stopping.signal.aborted && !(await launched(env, plan))) await env.clock.sleep(ASK_AGAIN_MS);
  })();
  return {
    process,
    env,
    stop: async () => {
      stopping.abort();
      world.postman.doors = world.postman.doors.filter((other) => other !== door);
      await running;
      for (const stop of stops) await stop();
    },
  };
}

function envOf(world: World, process: SimProcess): Env {
  return {
    clock: process.clock,
    random: world.chance.next,
    provider: world.provider.client(process),
    queue: world.queue.client(process),
    ledger: world.openLedger(process),
    processes: process.processes((pid) => world.fateOf(pid)),
    wire: world.wire.client(process),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  };
}

/** Whoever starts a process starts it again when it could not begin. */
async function startPatiently(env: Env, options: Parameters<typeof startWorker>[1]): Promise<RunningWorker> {
  for (;;) {
    try {
      return await startWorker(env, options);
    } catch {
      await env.clock.sleep(ASK_AGAIN_MS);
    }
  }
}

/** The steps of `tuma launch`, with contacts from memory. False: it could not, and the person tries again. */
async function launched(env: Env, plan: CampaignPlan): Promise<boolean> {
  try {
    await launch(env, plan);
    return true;
  } catch {
    return false;
  }
}

async function launch(env: Env, plan: CampaignPlan): Promise<void> {
  const hashes = { job: plan.name, template: plan.name, contacts: plan.name };
  const { audited: since } = await env.ledger.facts();
  const earlier = await findEarlier(env, { name: plan.name, hashes });
  if (earlier.launch !== 'new') return;
  const { account } = await openAccount(env);
  const draft = await env.ledger.createDraft({
    id: newCampaignId(env.random),
    name: plan.name,
    kind: plan.kind,
    sender: 'DUKA',
    template: `Hi {{Name}}, ${plan.name}`,
    settings: { ...DEFAULTS, ...plan.settings },
    hashes,
    now: env.clock.now(),
  });
  await env.ledger.addMessages(
    draft.n,
    plan.mobiles.map((mobile, index) => rowOf(plan, mobile, index)),
    { now: env.clock.now() },
  );
  await clearDrafts(env, draft);
  const result = await env.ledger.activate({
    ...activationOf(plan),
    campaign: draft.n,
    since,
    account,
    now: env.clock.now(),
  });
  if (!result.activated) await env.ledger.discardDraft(draft.n);
}

function rowOf({ segments = 1, textHash }: CampaignPlan, mobile: string, index: number) {
  const row = { line: index + 2, mobile, key: '', occurrence: '', fields: [mobile, 'Ann'], segments };
  return textHash === undefined ? row : { ...row, textHash };
}

function activationOf({ mobiles, budgetMicro }: CampaignPlan) {
  const planned = mobiles.length;
  return {
    budgetMicro,
    estimatedMicro: null,
    startAt: null,
    startDeadlineMs: 3_600_000,
    counts: { read: planned, planned, unchanged: 0, duplicate: 0, invalid: 0, suppressed: 0 },
    by: 'operator',
  };
}
