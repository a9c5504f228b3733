import { styleText } from 'node:util';
import { campaignReport } from '../../../reports/campaign-report.ts';
import { exitCodeOf } from '../../../reports/report-words.ts';
import { ignoredNote } from '../../launch/ignored-note.ts';
import { neededFor, resumeCommand } from '../../text/advice-text.ts';
import { reportTable } from '../../text/report-table.ts';
import { readStored } from '../../../campaign/inbound/webhook-loop.ts';
import type { Command } from 'commander';
import { type LoadedJob } from '../../../campaign/jobs/load-job.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import { formatDuration, momentWords, parseDuration } from '../../../domain/time/time-words.ts';
import { TumaError } from '../../../domain/errors.ts';
import { sendingHours } from '../../../domain/time/window.ts';
import { whole } from '../../../domain/money.ts';
import { parseLocalTime } from '../../../domain/time/local-time.ts';
import { startOfJob } from '../../../campaign/planning/plan-start.ts';
import type { Call, CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { type AskedLaunch, askLaunch } from '../../launch/ask-launch.ts';
import { declareQuickJob, withJobFile } from '../../launch/quick-job.ts';
import { rateWarnings } from '../../doctor/workers-alive.ts';
import { DEFAULT_REJECTS, FORCE_REJECTS, rejectsFlag } from '../../files/out-target.ts';
import { OwnRoles, provenAlive } from '../../doctor/own-roles.ts';
import { progressShower } from '../../terminal/show-progress.ts';
import { editWords } from '../../text/plan-warnings.ts';
import { amountFlag } from '../../arguments/parse-argument.ts';
import { watchCampaign } from '../../terminal/watch-campaign.ts';

/** `tuma launch`: plan, confirm, activate, and with --wait see it through. */
export const command: CommandModule = {
  stopsItself: true,
  declare,
  async run(context, call) {
    const own = new OwnRoles(context);
    try {
      return await launch(context, call, own);
    } finally {
      await own.stop();
    }
  },
};

async function launch(context: Context, call: Call, own: OwnRoles): Promise<number> {
  const wait = waitOf(call);
  const prepare = async () => (wait === null ? undefined : own.tend());
  const launched = await withJobFile(context, call, (job) =>
    askLaunch(context, { ...askedOf(context, call, job), prepare }),
  );
  sayLaunched(context, launched);
  if ('preview' in launched && launched.preview === 'settled') {
    await readLeftovers(context);
    return showReport(context, launched.campaign);
  }
  if (wait !== null) return see(context, launched.campaign, { wait, own });
  await sayNext(context, launched.campaign);
  await showReport(context, launched.campaign);
  return EXIT.done;
}

function declare(command: Command): void {
  declareQuickJob(command);
  command
    .argument('<JOB.yaml>', 'the job file, or contacts with --message')
    .option('--contacts <file>', "another contacts file than the job's (CSV or .xlsx; - for standard input)")
    .option('--rejects <file>', `where rows that cannot be sent to are written (default: ${DEFAULT_REJECTS})`)
    .option(...FORCE_REJECTS)
    .option('--at <time>', 'start then, in the zone of TUMA_ZONE (2026-11-27T09:00)')
    .option('--yes', 'do not ask')
    .option('--max-cost <amount>', 'refuse to launch above this estimate, and pause before it is passed')
    .option('--partial', 'launch though the balance is below the estimate')
    .option('--again', 'send anew what was sent or canceled before')
    .option('--cancel-missing', 'cancel reminders that corrected contacts leave out, however many')
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

/** Waits for the end of a campaign: with living workers, or, when there is none, with its own. */
export async function see(context: Context, campaign: Campaign, { wait, own }: Seeing): Promise<number> {
  const { output } = context;
  const waitPausedMs = output.interactive ? null : wait.pausedMs;
  const end = await watchCampaign(context, {
    campaign,
    waitReportsMs: wait.reportsMs,
    waitPausedMs,
    tend: () => own.tend(),
    ...progressShower(context),
  });
  const { sends } = own;
  if (end.end === 'interrupted' && sends) await saySending(context, campaign);
  await own.stop();
  output.progress(null);
  if (end.end === 'interrupted') throw interrupted(context, campaign, sends);
  const exitCode = await showReport(context, campaign);
  if (end.end === 'settled') return exitCode;
  const resume = resumeCommand({ campaign: campaign.id, needs: neededFor(end.reason) });
  output.note(
    `Still paused after ${formatDuration(waitPausedMs ?? 0)}; no longer waiting. Launch the same again, or: ${resume}`,
  );
  return end.reason === 'balance' || end.reason === 'budget' ? EXIT.credit : EXIT.paused;
}

interface Seeing {
  wait: Wait;
  own: OwnRoles;
}

/** Says at once what the stop waits for. */
async function saySending(context: Context, { n }: Campaign): Promise<void> {
  const { output, config } = context;
  const { sending } = (await (await context.reader()).overview(n)).messages;
  if (sending === 0) return;
  const wire = sending === 1 ? '1 message is' : `${whole(sending)} messages are`;
  const most = formatDuration(config.deadlineMs);
  output.note(
    `Stopping: ${wire} still on the wire (up to ${most}). Ctrl-C again to stop now; they would become uncertain.`,
  );
}

function interrupted({ signal }: Context, { id }: Campaign, sends: boolean): TumaError {
  const [message, hint] = sends
    ? [
        `Stopped by ${String(signal.reason)}; nothing is lost.`,
        `Run the same command again, and campaign ${id} goes on.`,
      ]
    : ['Stopped watching; serve goes on sending.', `To stop it: tuma pause ${id}.`];
  return new TumaError('interrupted', { message, hint, where: id });
}

function sayLaunched(
  { output, config, clock }: Context,
  launched: Awaited<ReturnType<typeof askLaunch>>,
): void {
  const { campaign } = launched;
  const words = {
    activated: `Launched as ${campaign.id}.`,
    corrected: `Campaign ${campaign.id} follows these contacts now.`,
    continued: `Campaign ${campaign.id} of these files is open already: going on with it.`,
    settled: `These files were sent as ${campaign.id}, which is settled; --again sends them anew.`,
  };
  const edit = 'edited' in launched ? launched.edited : null;
  output.note(
    edit === null ? words['preview' in launched ? launched.preview : launched.launched] : editWords(edit),
  );
  if ('without' in launched && launched.without.length > 0)
    output.note(ignoredNote(campaign.id, launched.without));
  const { startAt, settings, state } = campaign;
  if (state !== 'scheduled' || startAt === null) return;
  const now = clock.now();
  const moment = momentWords(startAt, { zone: config.zone, now });
  const begins = settings.every === undefined ? 'It starts' : 'It fires';
  output.note(startAt > now ? `${begins} ${moment}.` : `Its start was ${moment}: it begins at once.`);
}

/** Says what happens next: who sends, and when. A start of its own was said before. */
async function sayNext(context: Context, { id, state, settings }: Campaign): Promise<void> {
  const { output, clock } = context;
  if ((await provenAlive(context)) === 0)
    return output.note(
      'No worker is alive: nothing is sent until `tuma serve` runs (or launch with --wait).',
    );
  if (state === 'scheduled' || settings.every !== undefined) return;
  if (settings.remind !== undefined)
    return output.note(`serve sends each reminder at its time: tuma status ${id}`);
  const now = clock.now();
  const hours = sendingHours(settings.window, settings.zone, now);
  output.note(
    hours.open
      ? `serve is sending it now: tuma status ${id} --watch`
      : `Sending opens ${momentWords(hours.opensAt, { zone: settings.zone, now })}.`,
  );
}

interface Wait {
  reportsMs: number;
  pausedMs: number;
}

/** How long is waited; null: not at all. */
export function waitOf({ flags }: Call): Wait | null {
  const wait = { reportsMs: durationOf(flags, 'waitReports'), pausedMs: durationOf(flags, 'waitPaused') };
  return flags['wait'] === true ? wait : null;
}

function durationOf(flags: Call['flags'], name: 'waitReports' | 'waitPaused'): number {
  const ms = parseDuration(String(flags[name]));
  if (ms !== null) return ms;
  const flag = name === 'waitReports' ? '--wait-reports' : '--wait-paused';
  throw wrong(flag, `"${String(flags[name])}" is no duration such as 60s or 10m.`);
}

function askedOf(context: Context, { flags }: Call, job: string): Omit<AskedLaunch, 'prepare'> {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : null);
  return {
    job,
    contacts: text('contacts'),
    rejectsPlace: (reads) => rejectsFlag(flags, { context, reads }),
    gsm: flags['gsm'] === true,
    again: flags['again'] === true,
    yes: flags['yes'] === true,
    partial: flags['partial'] === true,
    newLedger: flags['newLedger'] === true ? 'accept' : context.output.interactive ? 'ask' : 'refuse',
    warnings: (campaign) => rateWarnings(context, campaign),
    signal: context.signal,
    cancelMissing: flags['cancelMissing'] === true ? 'accept' : 'refuse',
    maxCostMicro: amountFlag(flags['maxCost'], { flag: '--max-cost', currency: context.config.currency }),
    startAt: startOf(context, text('at')),
    at: text('at') !== null,
  };
}

function startOf({ config, clock }: Context, at: string | null): (loaded: LoadedJob) => number | null {
  if (at === null) return ({ job }) => startOfJob(job, { zone: config.zone, now: clock.now() });
  const instant = parseLocalTime(at, config.zone);
  if (instant === null) throw wrong('--at', `"${at}" is no time such as 2026-11-27T09:00.`);
  return ({ job, file }) => {
    if (job.remind === null && job.every === null) return instant;
    throw new TumaError('usage', {
      message: `--at is for one start; this job has \`${job.remind === null ? 'every' : 'remind'}\`.`,
      where: file,
    });
  };
}

function wrong(flag: string, message: string): TumaError {
  return new TumaError('usage', { message, where: flag });
}

/** Reads the webhooks that a killed launch stored, so that the report knows of them. */
async function readLeftovers(context: Context): Promise<void> {
  const { clock, log } = context;
  const ledger = await context.ledger();
  const isLeft = (await ledger.newWebhooks(1)).length > 0;
  if (isLeft) await readStored({ clock, log, ledger }, await context.webhookReading());
}

/** Prints the report of a campaign, and returns the exit code of its state. */
async function showReport(context: Context, campaign: Campaign): Promise<number> {
  const { config, output, clock } = context;
  const report = await campaignReport({
    reader: await context.reader(),
    campaign,
    now: clock.now(),
    reportWaitMs: config.reportWaitMs,
  });
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    output.terminal ? styleText(style, text) : text;
  output.result(report, () => reportTable(report, { zone: config.zone, width: output.width, paint }));
  return exitCodeOf(report);
}
