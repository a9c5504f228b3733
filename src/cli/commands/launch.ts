import type { Command } from 'commander';
import { type LoadedJob } from '../../campaign/load.ts';
import { reapDead } from '../../campaign/reap.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { parseDuration } from '../../domain/duration.ts';
import { TumaError } from '../../domain/errors.ts';
import { parseLocalTime } from '../../domain/local-time.ts';
import { parseMoney } from '../../domain/money.ts';
import type { Call, CommandModule } from '../commands.ts';
import type { Context, RunningRoles } from '../context.ts';
import { EXIT, exitCodeOfSignal } from '../exit.ts';
import { type LaunchFlags, type Launched, launchDraft } from '../launch-draft.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { showReport } from '../show-report.ts';
import { progressLine } from '../progress.ts';
import { type WatchEnd, watchCampaign } from '../watch-campaign.ts';
import { workersAlive } from '../workers-alive.ts';

/** A worker that binds the collector's port first is alive within this time. */
const RIVAL_MS = 5_000;
const RIVAL_LOOK_MS = 250;
const PLAIN_EVERY_MS = 10_000;

/** `tuma launch`: plan, confirm, activate, and with --wait see it through. */
export const command: CommandModule = {
  stopsItself: true,
  declare,
  async run(context, call) {
    const flags = flagsOf(context, call);
    const wait = waitOf(call);
    const launched = await launchDraft(context, flags);
    sayLaunched(context, launched);
    if (launched.launched === 'settled') return showReport(context, launched.campaign);
    if (wait === null) {
      if ((await provenAlive(context)) === 0)
        context.output.note(
          'No worker is alive: nothing is sent until `tuma serve` runs (or launch with --wait).',
        );
      await showReport(context, launched.campaign);
      return EXIT.done;
    }
    return see(context, launched.campaign, wait);
  },
};

function declare(command: Command): void {
  command
    .argument('<JOB.yaml>', 'the job file')
    .option('--contacts <csv>', "another contacts file than the job's")
    .option('--rejects <file>', 'where rows that cannot be sent to are written', './rejects.csv')
    .option('--at <time>', 'start then, in the zone of TUMA_ZONE (2026-11-27T09:00)')
    .option('--yes', 'do not ask')
    .option('--max-cost <amount>', 'refuse to launch above this estimate, and pause before it is passed')
    .option('--partial', 'launch though the balance is below the estimate')
    .option('--again', 'send anew what was sent before')
    .option('--new-ledger', 'begin a ledger that knows nothing of earlier campaigns')
    .option('--gsm', 'replace characters that force UCS-2 by GSM-7 ones')
    .option('--wait', 'stay until every message is settled; runs worker and collector when none is alive')
    .option('--wait-reports <duration>', 'with --wait: how long delivery reports are waited for', '60s')
    .option(
      '--wait-paused <duration>',
      'with --wait, without a terminal: how long a pause is waited for',
      '10m',
    );
}

/** Sees a campaign through: with the workers that are alive, or, when there is none (any more), with its own. */
async function see(context: Context, campaign: Campaign, wait: Wait): Promise<number> {
  let own: RunningRoles | null = null;
  const tend = async () => {
    if (own === null && (await provenAlive(context)) === 0) own = await startOwn(context);
  };
  let end: WatchEnd;
  try {
    end = await watchCampaign(context, {
      campaign,
      waitReportsMs: wait.reportsMs,
      waitPausedMs: context.output.interactive ? null : wait.pausedMs,
      show: progressShower(context),
      tend,
    });
  } finally {
    await (own as RunningRoles | null)?.stop();
  }
  context.output.progress(null);
  if (end.end === 'interrupted') return interrupted(context, campaign);
  const exitCode = await showReport(context, campaign);
  if (end.end === 'settled') return exitCode;
  context.output.note(
    `Still paused (${end.reason}); \`tuma resume ${campaign.id}\` or the same launch goes on.`,
  );
  return end.reason === 'balance' || end.reason === 'budget' ? EXIT.credit : EXIT.paused;
}

/** A line that changes on a terminal; elsewhere a line every ten seconds. */
function progressShower({ output, clock }: Context): (overview: CampaignOverview) => void {
  const everyMs = output.liveProgress ? 0 : PLAIN_EVERY_MS;
  let shownAt = -Infinity;
  return (overview) => {
    if (clock.monotonic() - shownAt < everyMs) return;
    shownAt = clock.monotonic();
    output.progress(progressLine(output, overview));
  };
}

function interrupted({ output, signal }: Context, campaign: Campaign): number {
  output.note(`Stopped. Nothing is lost: run the same command again and campaign ${campaign.id} goes on.`);
  return exitCodeOfSignal(signal.reason);
}

function sayLaunched({ output }: Context, { launched, campaign }: Launched): void {
  const words = {
    activated: `Launched as ${campaign.id}.`,
    continued: `Campaign ${campaign.id} of these files is open already: going on with it.`,
    settled: `These files were sent as ${campaign.id}, which is settled; --again sends them anew.`,
  };
  output.note(words[launched]);
}

/** A killed worker looks alive for half a minute, and nobody would send: whoever is proven dead is ended first. */
async function provenAlive(context: Context): Promise<number> {
  await reapDead({ ...context, ledger: await context.ledger() }, null);
  return workersAlive(context);
}

/** Null: of two launches at once the other one has the collector's port, and its worker sends. */
async function startOwn(context: Context): Promise<RunningRoles | null> {
  try {
    return await context.startRoles({ roles: ['worker', 'collector'], patient: false });
  } catch (error) {
    if (!(error instanceof TumaError) || error.code !== 'port_in_use') throw error;
    if (!(await rivalCame(context))) throw error;
    return null;
  }
}

async function rivalCame(context: Context): Promise<boolean> {
  const { clock, signal } = context;
  const until = clock.monotonic() + RIVAL_MS;
  while (clock.monotonic() < until && !signal.aborted) {
    if ((await workersAlive(context)) > 0) return true;
    await clock.sleep(RIVAL_LOOK_MS, signal);
  }
  return false;
}

interface Wait {
  reportsMs: number;
  pausedMs: number;
}

function waitOf({ flags }: Call): Wait | null {
  if (flags['wait'] !== true) return null;
  return { reportsMs: durationOf(flags, 'waitReports'), pausedMs: durationOf(flags, 'waitPaused') };
}

function durationOf(flags: Call['flags'], name: 'waitReports' | 'waitPaused'): number {
  const ms = parseDuration(String(flags[name]));
  if (ms !== null) return ms;
  const flag = name === 'waitReports' ? '--wait-reports' : '--wait-paused';
  throw wrong(flag, `"${String(flags[name])}" is no duration such as 60s or 10m.`);
}

function flagsOf(context: Context, { args, flags }: Call): LaunchFlags {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : null);
  return {
    job: args[0] ?? '',
    contacts: text('contacts'),
    rejects: text('rejects') ?? './rejects.csv',
    gsm: flags['gsm'] === true,
    again: flags['again'] === true,
    yes: flags['yes'] === true,
    partial: flags['partial'] === true,
    newLedger: flags['newLedger'] === true,
    maxCostMicro: maxCostOf(text('maxCost')),
    startAt: startOf(context, text('at')),
  };
}

function maxCostOf(text: string | null): number | null {
  if (text === null) return null;
  const amount = parseMoney(text);
  if (amount === null) throw wrong('--max-cost', `"${text}" is no amount such as 1500 or 1500.50.`);
  return amount;
}

function startOf({ config }: Context, at: string | null): (loaded: LoadedJob) => number | null {
  if (at === null) return ({ job }) => (job.start === null ? null : parseLocalTime(job.start, config.zone));
  const instant = parseLocalTime(at, config.zone);
  if (instant === null) throw wrong('--at', `"${at}" is no time such as 2026-11-27T09:00.`);
  return () => instant;
}

function wrong(flag: string, message: string): TumaError {
  return new TumaError('usage', { message, where: flag });
}
