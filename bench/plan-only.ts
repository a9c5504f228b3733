import { join } from 'node:path';
import { countsOf, openAccount } from '../src/campaign/launch/launch.ts';
import { loadJob } from '../src/campaign/jobs/load-job.ts';
import { contactsOf, hashesOf } from '../src/campaign/planning/job-contacts.ts';
import { planJob, senderOf } from '../src/campaign/planning/plan-job.ts';
import { resolveConfig } from '../src/config/config.ts';
import { createLog } from '../src/system/log.ts';
import { openServices } from '../src/runtime/services.ts';
import { hangUp, readOptions, tell } from './parent.ts';

/*
 * Planning as `tuma launch` does it, with the activation: read the job, hash the contacts, ask for the balance, then read,
 * normalise, render, count segments, find duplicates and opt-outs, insert every message into a real ledger file, and make
 * all of it durable and running in one commit. It leaves out the start of the process and the opening of the ledger.
 */

interface PlanOptions {
  job: string;
  home: string;
  /** TUMA_ settings. */
  settings: Record<string, string>;
}

const { job, home, settings } = readOptions<PlanOptions>();
const config = resolveConfig({ env: settings, cwd: home });
const services = await openServices(config, createLog({ level: 'warn' }));
const env = {
  clock: services.clock,
  random: Math.random,
  ledger: await services.ledger(),
  provider: await services.provider(),
};

const begun = performance.now();
const loaded = await loadJob(job);
await using contacts = await contactsOf(loaded, null, { folder: home, input: process.stdin });
const hashes = await hashesOf(loaded, contacts);
const { account } = await openAccount(env);
const { country, countries, zone, currency, optOutText } = config;
const { draft, tally } = await planJob(env, {
  loaded,
  contacts,
  hashes,
  countries: [country, ...countries],
  zone,
  currency,
  optOutText,
  sender: senderOf(loaded, config.sender),
  rejectsPlace: { path: join(home, 'rejects.csv'), ifTaken: 'refuse' },
  gsmSafe: false,
  optOuts: env.ledger,
});
await env.ledger.activate({
  campaign: draft.n,
  now: env.clock.now(),
  by: 'bench',
  account,
  budgetMicro: null,
  estimatedMicro: null,
  startAt: null,
  startDeadlineMs: 0,
  counts: countsOf(tally),
});
tell({ rows: tally.planned, ms: performance.now() - begun });
await services.dispose();
hangUp();
