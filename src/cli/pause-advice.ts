import { canaryWords } from '../domain/canary.ts';
import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { PauseReason } from '../domain/campaign.ts';
import { sendingHours } from '../domain/window.ts';
import type { CampaignOverview } from '../ledger/reader.ts';
import { whyWords } from './network-text.ts';
import { clock, grouped, pauseWords } from '../reports/report-words.ts';

/** What an advice about a pause is drawn from. Money in millionths, times in milliseconds. */
export interface Paused {
  overview: CampaignOverview;
  reason: PauseReason;
  /** The latest credit that was read; null: none was. */
  creditMicro: MoneyMicro | null;
  now: number;
}

/** Why a campaign is paused, and what makes it go on: one line for whoever watches it. */
export function pauseAdvice(paused: Paused): string {
  const words = pauseWords(paused.reason);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${ADVICE[paused.reason](paused)}`;
}

const ADVICE: Readonly<Record<PauseReason, (paused: Paused) => string>> = {
  operator: ({ overview }) => `. ${goOn(overview)}`,
  balance: shortOfCredit,
  budget: ({ overview }) =>
    overview.budgetMicro === null
      ? '.'
      : ` (${money(overview, overview.budgetMicro)}). Raise it and it goes on: tuma resume ${overview.campaign.id} --budget AMOUNT`,
  window: reopens,
  errors: errorsAdvice,
  canary: canaryAdvice,
  credentials: ({ overview }) => `. Correct TUMA_API_KEY and TUMA_API_SECRET. ${goOn(overview)}`,
  sender: ({ overview }) => `. Go on under another: tuma resume ${overview.campaign.id} --sender NAME`,
  start: ({ overview }) => `. ${goOn(overview)}`,
};

function goOn({ campaign }: CampaignOverview): string {
  return `Go on: tuma resume ${campaign.id}`;
}

function errorsAdvice({ overview }: Paused): string {
  const [network] = overview.networks ?? [];
  if (network === undefined) return `. Look at it with tuma doctor. ${goOn(overview)}`;
  return `: network ${network.network}: ${whyWords(network)}. Ask the provider about it. ${goOn(overview)}`;
}

function canaryAdvice({ overview, now }: Paused): string {
  const { canary, campaign } = overview;
  const held = `. Look at tuma report ${campaign.id}. ${goOn(overview)}`;
  if (canary === undefined || canary === null) return held;
  const words = `: ${canaryWords(canary, now)}`;
  return canary.verdict === 'waiting'
    ? `${words}. It goes on by itself when they are delivered.`
    : words + held;
}

/** By the estimate of the launch: what is left of it, and what the account holds. */
function shortOfCredit({ overview, creditMicro }: Paused): string {
  const { estimatedMicro } = overview.campaign;
  const held = creditMicro === null ? '' : ` (${money(overview, creditMicro)} left)`;
  const missing = (estimatedMicro ?? 0) - overview.spentMicro - (creditMicro ?? 0);
  const short =
    estimatedMicro === null || creditMicro === null || missing <= 0
      ? ''
      : ` about ${money(overview, missing)} short;`;
  return `${held}:${short} top up and it goes on by itself.`;
}

function reopens({ overview: { campaign }, now }: Paused): string {
  const { window, zone } = campaign.settings;
  const state = sendingHours(window, zone, now);
  if (state.open) return '.';
  return `. It goes on by itself at ${clock(new Date(state.opensAt).toISOString(), zone)}.`;
}

function money({ campaign }: CampaignOverview, amount: MoneyMicro): string {
  return `${campaign.settings.currency} ${grouped(formatMoney(amount))}`;
}
