import { canaryWords } from '../../domain/pace/canary.ts';
import { formatMoney, grouped, type MoneyMicro, whole } from '../../domain/money.ts';
import type { PauseReason } from '../../domain/campaign.ts';
import { sendingHours } from '../../domain/time/window.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { whyWords } from '../../reports/network-words.ts';
import { totalOf } from '../../domain/message.ts';
import { isoTime } from '../../reports/campaign-report.ts';
import { clock, pauseWords, saidWords } from '../../reports/report-words.ts';
import { missingCredit, type Paused } from '../../reports/pause-help.ts';
import { resumeCommand } from './advice-text.ts';
import { pauseFacts } from '../../reports/pause-facts.ts';

/** Why a campaign is paused, and what makes it go on: one line for whoever watches it. */
export function pauseAdvice(paused: Paused): string {
  const words = pauseWords(pauseFacts({ ...paused.overview, reason: paused.reason }));
  const facts = FACTS[paused.reason]?.(paused) ?? '';
  const said = saidWords(paused.overview.pauseSaid);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${facts}${said}. ${whatHelps(paused)}`;
}

/** The way on from a pause, as a sentence: the helpful command, or that nothing is needed. */
export function whatHelps(paused: Paused): string {
  return HELP[paused.reason](paused);
}

const HELP: Readonly<Record<PauseReason, (paused: Paused) => string>> = {
  operator: ({ overview }) => goOn(overview),
  balance: topUp,
  budget: ({ overview }) => `Raise it and it goes on: ${resume(overview, 'budget')}`,
  window: reopens,
  errors: ({ overview }) =>
    `${(overview.networks ?? []).length > 0 ? 'Ask the provider about it' : 'Look at it with tuma doctor'}. ${goOn(overview)}`,
  canary: canaryHelp,
  credentials: ({ overview }) =>
    `Correct TUMA_API_KEY and TUMA_API_SECRET and start serve again. ${goOn(overview)}`,
  sender: ({ overview }) => `Go on under another: ${resume(overview, 'sender')}`,
  start: (paused) => cutOffHelp(paused) + sendOrDrop(paused),
};

/** What is known of the pause, to follow its words. */
const FACTS: Partial<Readonly<Record<PauseReason, (paused: Paused) => string>>> = {
  balance: ({ overview, creditMicro }) =>
    creditMicro === null ? '' : ` (${money(overview, creditMicro)} left)`,
  budget: ({ overview }) =>
    overview.budgetMicro === null ? '' : ` (${money(overview, overview.budgetMicro)})`,
  errors: ({ overview }) => {
    const [network] = overview.networks ?? [];
    return network === undefined ? '' : `: network ${network.network}: ${whyWords(network)}`;
  },
  canary: ({ overview: { canary = null }, now }) => (canary === null ? '' : `: ${canaryWords(canary, now)}`),
};

function goOn(overview: CampaignOverview): string {
  return `Go on: ${resume(overview, null)}`;
}

function resume({ campaign }: CampaignOverview, needs: 'budget' | 'sender' | null): string {
  return resumeCommand({ campaign: campaign.id, needs });
}

function sendOrDrop({ overview: { campaign, cutOffAt } }: Paused): string {
  if (campaign.settings.every !== undefined)
    return `Correct the file, then send: tuma resume ${campaign.id}; or stop it: tuma cancel ${campaign.id}`;
  const send = cutOffAt === undefined ? 'Send now all the same' : 'Send the rest';
  return `${send}: tuma resume ${campaign.id}; or drop it: tuma cancel ${campaign.id}`;
}

/** When it was cut off and how far it went; empty: it was not. */
function cutOffHelp(paused: Paused): string {
  const { campaign, cutOffAt, messages } = paused.overview;
  if (cutOffAt === undefined) return '';
  const when = clock(isoTime(cutOffAt), campaign.settings.zone);
  const known = `${whole(messages.sent)} of ${whole(totalOf(paused.overview))} sent`;
  return `Cut off at ${when}: this ledger knows of ${known}, and a machine that was restored may have sent more. ${explained(paused)}`;
}

/** The credit that the ledger explains, for a person to hold against the one of now. */
function explained({ overview, lastReading = null }: Paused): string {
  if (lastReading === null) return '';
  const { at, creditMicro, chargedSinceMicro } = lastReading;
  const when = clock(isoTime(at), overview.campaign.settings.zone);
  const left = money(overview, creditMicro - chargedSinceMicro);
  return `It last read a credit of ${money(overview, creditMicro)} at ${when}, which leaves ${left} by what it knows: compare that with tuma balance. `;
}

function canaryHelp({ overview }: Paused): string {
  if (overview.canary?.verdict === 'waiting') return 'It goes on by itself when they are delivered.';
  return `Look at tuma report ${overview.campaign.id}. ${goOn(overview)}`;
}

function topUp(paused: Paused): string {
  const missing = missingCredit(paused);
  return missing === null
    ? 'Top up and it goes on by itself.'
    : `About ${money(paused.overview, missing)} short: top up and it goes on by itself.`;
}

function reopens({ overview: { campaign }, now }: Paused): string {
  const { window, zone } = campaign.settings;
  const state = sendingHours(window, zone, now);
  if (state.open) return 'It goes on by itself now.';
  return `It goes on by itself at ${clock(isoTime(state.opensAt), zone)}.`;
}

function money({ campaign }: CampaignOverview, amount: MoneyMicro): string {
  return `${campaign.settings.currency} ${grouped(formatMoney(amount))}`;
}

/** What makes a paused campaign go on, and how much credit it lacks, as `--json` shows it. */
export function pausePart(paused: Paused | null) {
  const missing = paused === null ? null : missingCredit(paused);
  return {
    what_helps: paused === null ? null : whatHelps(paused),
    short_of: missing === null ? null : formatMoney(missing),
  };
}
