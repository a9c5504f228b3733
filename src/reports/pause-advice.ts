import { canaryWords } from '../domain/pace/canary.ts';
import { formatMoney, type MoneyMicro, grouped, whole } from '../domain/money.ts';
import type { PauseReason } from '../domain/campaign.ts';
import { sendingHours } from '../domain/time/window.ts';
import type { CampaignOverview, LastReading } from '../ledger/reader.ts';
import { whyWords } from './network-words.ts';
import { totalOf } from '../domain/message.ts';
import { isoTime } from './campaign-report.ts';
import { clock, pauseWords, saidWords } from './report-words.ts';
import { pauseFacts } from './pause-facts.ts';

/** What an advice about a pause is drawn from. Money in millionths, times in milliseconds. */
export interface Paused {
  overview: CampaignOverview;
  reason: PauseReason;
  /** The latest credit that was read; null: none was. */
  creditMicro: MoneyMicro | null;
  /** For a cut-off campaign: the last reading of its account, of any age; left out or null: none. */
  lastReading?: LastReading | null;
  now: number;
}

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

/** The account's missing credit for the remaining messages, at the launch price; null: none, or unknown. */
export function missingCredit({ overview, reason, creditMicro }: Paused): MoneyMicro | null {
  const { leftMicro = null } = overview;
  if (reason !== 'balance' || leftMicro === null || creditMicro === null) return null;
  return leftMicro > creditMicro ? leftMicro - creditMicro : null;
}

const HELP: Readonly<Record<PauseReason, (paused: Paused) => string>> = {
  operator: ({ overview }) => goOn(overview),
  balance: topUp,
  budget: ({ overview }) => `Raise it and it goes on: tuma resume ${overview.campaign.id} --budget AMOUNT`,
  window: reopens,
  errors: ({ overview }) =>
    `${(overview.networks ?? []).length > 0 ? 'Ask the provider about it' : 'Look at it with tuma doctor'}. ${goOn(overview)}`,
  canary: canaryHelp,
  credentials: ({ overview }) =>
    `Correct TUMA_API_KEY and TUMA_API_SECRET and start serve again. ${goOn(overview)}`,
  sender: ({ overview }) => `Go on under another: tuma resume ${overview.campaign.id} --sender NAME`,
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

function goOn({ campaign }: CampaignOverview): string {
  return `Go on: tuma resume ${campaign.id}`;
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
