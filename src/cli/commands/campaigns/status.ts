import { ledgerThere } from '../../../config/ledger-there.ts';
import { canaryWords } from '../../../domain/pace/canary.ts';
import { counted, formatMoney, whole } from '../../../domain/money.ts';
import type { CampaignOverview, LedgerReader } from '../../../ledger/contracts/reader.ts';
import { contradictionParts } from '../../../reports/contradictions.ts';
import { decisionParts } from '../../../reports/open-answers.ts';
import { contradictionNote, decisionNote } from '../../text/decision-text.ts';
import { duration, pauseWords, saidWords } from '../../../reports/report-words.ts';
import { pauseFacts } from '../../../reports/pause-facts.ts';
import type { Agenda } from '../../../ledger/contracts/schedules.ts';
import { agendaRows } from '../../text/agenda-text.ts';
import type { CommandModule } from '../../command.ts';
import type { Context } from '../../context.ts';
import { EXIT } from '../../exit.ts';
import { findCampaign } from '../../arguments/find-campaign.ts';
import { noteFullDisk, noteWithoutWorker } from '../../doctor/workers-alive.ts';
import { networkRows } from '../../../reports/network-words.ts';
import type { Paused } from '../../../reports/pause-help.ts';
import { pausePart, whatHelps } from '../../text/pause-text.ts';
import { totalOf } from '../../../domain/message.ts';
import { lookNow, shortRate } from '../../terminal/progress.ts';
import { type Look, outageOf, paceOf } from '../../../reports/campaign-pace.ts';
import { outageWords } from '../../../reports/outage-words.ts';
import { pauseOf, servicePart, statusDocument } from '../../../reports/campaign-status.ts';
import { campaignTable } from '../../text/status-list.ts';
import { renderTable } from '../../text/table.ts';
import { someUnmatched, type UnmatchedReports, unmatchedWords } from '../../../domain/unmatched-reports.ts';
import { recentlyUnmatched } from '../../../reports/recently-unmatched.ts';
import { unmatchedPart } from '../../../reports/webhook-list.ts';
import { watchStatus } from '../../terminal/watch-status.ts';

/** `tuma status [CAMPAIGN] [--watch]` */
export const command: CommandModule = {
  stopsItself: true,
  declare: (command) =>
    void command
      .argument('[campaign]', 'only this one: id, unique prefix of one, or name')
      .option('--watch', 'stay until it is settled (one campaign), or until Ctrl-C (all)'),
  async run(context, { args, flags }) {
    if (args[0] === undefined && !ledgerThere(context.config)) return nothingYet(context);
    const reader = await context.reader();
    const only = args[0] === undefined ? null : (await findCampaign(reader, args[0], { beginning: true })).n;
    if (flags['watch'] === true) {
      const look = await lookNow(context);
      const settledText = (last: CampaignOverview) =>
        oneText(context, last, { agenda: NOTHING_AHEAD, paused: null, look });
      return watchStatus(context, { only, settledText });
    }
    const overviews = only === null ? await reader.campaigns() : [await reader.overview(only)];
    const look = await lookNow(context);
    const shown = overviews.map((overview) => statusDocument(overview, look));
    const agenda = only === null ? NOTHING_AHEAD : await reader.agenda(only);
    const questions = await questionsOf(reader, only);
    const paused = only === null ? null : await pauseOf({ reader, now: look.now }, overviews[0]);
    const unmatched = await recentlyUnmatched(reader, look.now);
    const inDoubt = await reader.repliesInDoubt();
    const beside = {
      workers: look.workers,
      service: servicePart(look.outage),
      ...questions,
      maybe_stop: inDoubt,
      unmatched_reports: unmatchedPart(unmatched, (text) => context.output.words(text)),
    };
    const one = { ...shown[0], ...agendaPart(agenda), ...pausePart(paused), ...beside };
    context.output.result(only === null ? { campaigns: shown, ...beside } : one, () =>
      only === null ? listText(context, overviews) : oneText(context, overviews[0], { agenda, paused, look }),
    );
    noteQuestions(context, questions);
    noteUnmatched(context, unmatched);
    noteRepliesInDoubt(context, inDoubt);
    await noteTrouble(context, overviews, look);
    return EXIT.done;
  },
};

/** What only a person can decide or find out, as `--json` shows it. */
async function questionsOf(reader: LedgerReader, only: number | null) {
  return {
    decisions: decisionParts(await reader.openAnswers(only)),
    contradictions: contradictionParts(await reader.contradictions(only)),
  };
}

function noteQuestions(
  { output }: Context,
  { decisions, contradictions }: Awaited<ReturnType<typeof questionsOf>>,
): void {
  for (const part of decisions) output.note(decisionNote(part));
  for (const part of contradictions) output.note(contradictionNote(part));
}

const NOTHING_AHEAD: Agenda = { nextDueAt: null, due: [], firedBy: null, schedule: null };

/** The next due times, as `--json` shows them. */
function agendaPart({ nextDueAt, due, schedule }: Agenda) {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  if (schedule === null) {
    const moments = due.map(({ at, messages }) => ({ at: time(at), messages }));
    return { next_due_at: time(nextDueAt), due: moments, schedule: null };
  }
  const { nextAt, fired, missed, latest } = schedule;
  const firings = latest.map(({ at, campaign, leftOut }) => ({
    at: time(at),
    campaign,
    ...(leftOut ? { left_out: true } : {}),
  }));
  return { next_due_at: null, due: [], schedule: { next_at: time(nextAt), fired, missed, latest: firings } };
}

function noteUnmatched({ output }: Context, unmatched: UnmatchedReports): void {
  if (someUnmatched(unmatched)) output.note(`${unmatchedWords(unmatched)}: tuma webhooks list`);
}

/** Replies that a person has to read. */
function noteRepliesInDoubt({ output }: Context, inDoubt: number): void {
  if (inDoubt > 0) output.note(`${counted(inDoubt, 'reply')} may ask to stop: tuma inbox --maybe-stop`);
}

async function noteTrouble(context: Context, overviews: CampaignOverview[], look: Look): Promise<void> {
  if (!overviews.some(({ state }) => state === 'running')) return;
  await noteWithoutWorker(context);
  if (look.outage != null)
    context.output.note(outageWords(look.outage, { now: look.now, zone: context.config.zone }));
  noteFullDisk(context);
}

/** "31, 2 of them written off, 29 wait for a decision: tuma resolve ID --evidence". */
function uncertainWords({ campaign, messages }: CampaignOverview): string {
  const { uncertain, written_off: writtenOff } = messages;
  const waiting = uncertain - writtenOff;
  const parts = [whole(uncertain)];
  if (writtenOff > 0) parts.push(`${whole(writtenOff)} of them written off`);
  if (waiting > 0)
    parts.push(
      `${whole(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a decision: tuma resolve ${campaign.id} --evidence`,
    );
  return parts.join(', ');
}

/** A home without a ledger is not a mistake: nothing was launched there yet. */
function nothingYet(context: Context): number {
  context.output.result({ campaigns: [], workers: 0 }, () => listText(context, []));
  return EXIT.done;
}

function listText({ output, config, clock }: Context, overviews: CampaignOverview[]): string {
  if (overviews.length === 0) return 'Nothing has been launched here yet. Start with: tuma plan JOB.yaml';
  const now = clock.now();
  const width = output.terminal ? output.width : null;
  const held = overviews.flatMap((overview) =>
    networkRows(overview, now).map(([network, words]) => `\n${overview.campaign.name}: ${network} ${words}`),
  );
  return campaignTable(overviews, { zone: config.zone, now, width }) + held.join('');
}

function oneText(
  context: Context,
  overview: CampaignOverview | undefined,
  { agenda, paused, look }: { agenda: Agenda; paused: Paused | null; look: Look },
): string {
  if (overview === undefined) return '';
  const { campaign, reason, messages } = overview;
  const { output } = context;
  const rows = [
    ['campaign', `${campaign.name} (${campaign.id}), ${campaign.kind}`],
    ['state', stateWords(overview)],
    // The row of the hours says it, but for reminders, which have none.
    ...(paused === null || (reason === 'window' && campaign.settings.remind === undefined)
      ? []
      : [['what helps', whatHelps(paused)]]),
    [
      'messages',
      `${whole(messages.sent)} of ${whole(totalOf(overview))} sent, ${whole(messages.queued)} queued`,
    ],
    ...canaryRow(overview, context.clock.now()),
    ...networkRows(overview, context.clock.now()),
    ['in flight', whole(messages.sending)],
    ...(messages.skipped === 0 ? [] : [['skipped', whole(messages.skipped)]]),
    ['rejected', whole(messages.rejected)],
    ['uncertain', uncertainWords(overview)],
    ...(overview.takenBack === 0 ? [] : [['taken back', `${whole(overview.takenBack)}, never sent`]]),
    ...paceRows(overview, look),
    ['spent', spentWords(overview)],
    ...agendaRows(overview, agenda, look),
  ];
  const shown = rows.filter(([name]) => isTold(name ?? '', overview));
  return renderTable([{ heading: '' }, { heading: '' }], shown, { padded: output.terminal }).replace(
    /^.*\n/,
    '',
  );
}

function stateWords(overview: CampaignOverview): string {
  const { state, pauseSaid } = overview;
  return state === 'paused' ? pauseWords(pauseFacts(overview)) + saidWords(pauseSaid) : state;
}

/** Nothing would be a lie where messages left before any price was known. */
function spentWords({ campaign, spentMicro, unpriced = 0, budgetMicro }: CampaignOverview): string {
  if (unpriced > 0) return `not known: no price is known for ${counted(unpriced, 'message')}`;
  const spent = `${campaign.settings.currency} ${formatMoney(spentMicro)}`;
  return budgetMicro === null ? spent : `${spent} of ${formatMoney(budgetMicro)}`;
}

/** While the service does not answer, any rate and time would be a guess. */
function paceRows(overview: CampaignOverview, look: Look): string[][] {
  const outage = outageOf(overview, look);
  const { zone } = overview.campaign.settings;
  if (outage !== null)
    return [['service', outageWords(outage, { now: look.now, zone }).replace('the service ', '')]];
  const { perSecond, leftMs } = paceOf(overview, look);
  return [
    ['rate', rateWords(perSecond)],
    ['time left', leftMs === null ? 'not known' : duration(leftMs)],
  ];
}

function rateWords(perSecond: number | null): string {
  return perSecond === null ? 'not sending' : shortRate(perSecond);
}

function canaryRow({ canary }: CampaignOverview, now: number): string[][] {
  return canary === undefined || canary === null ? [] : [['canary', canaryWords(canary, now)]];
}

/** Only a running campaign has a rate and a time left. Messages in flight always have a row. */
function isTold(name: string, { state, messages }: CampaignOverview): boolean {
  if (state === 'running' || (name === 'in flight' && messages.sending > 0)) return true;
  return name !== 'rate' && name !== 'time left' && name !== 'in flight';
}
