import { totalOf } from '../../domain/message.ts';
import { styleText } from 'node:util';
import { formatMoney } from '../../domain/money.ts';
import { jointRate } from '../../domain/pace/rate.ts';
import type { CampaignOverview } from '../../ledger/reader.ts';
import { duration, pauseWords, percent } from '../../reports/report-words.ts';
import { grouped, whole } from '../../domain/text/number-words.ts';
import type { Context } from '../context.ts';
import type { Output } from './output.ts';
import { displayWidth } from '../text/table.ts';

const RATE_SPAN_MS = 10_000;
/** A campaign that has sent nothing for so long is shown as sending nothing. */
const STALE_MS = 15_000;
const MOST_BAR = 30;
const LEAST_BAR = 8;
const LEAST_NAME = 8;

/** How fast a campaign sends now, and how long that takes for the rest; null: not known. */
export interface Pace {
  perSecond: number | null;
  leftMs: number | null;
}

/** When a campaign is looked at, and the limit of its account: messages a second, null: none. */
export interface Look {
  now: number;
  accountRate: number | null;
  /** How many workers are alive; left out: whoever looks is one. */
  workers?: number;
}

/** A look by the clock and the settings of now. */
export function lookNow({ clock, config }: Pick<Context, 'clock' | 'config'>): Look {
  return { now: clock.now(), accountRate: config.ratePerSecond };
}

/** The pace by what was sent in the last ten seconds of activity, never above the rates of campaign and account. */
export function paceOf(overview: CampaignOverview, { now, accountRate, workers }: Look): Pace {
  const { campaign, startedAt, lastSentAt, sentLast10s, messages, state } = overview;
  if (state !== 'running' || startedAt === null || lastSentAt === null)
    return { perSecond: null, leftMs: null };
  if (workers === 0) return { perSecond: 0, leftMs: null };
  const most = jointRate(accountRate, campaign.settings.ratePerSecond) ?? Number.POSITIVE_INFINITY;
  // Two messages of a slow rate are further apart than that.
  if (now - lastSentAt > Math.max(STALE_MS, 2_000 / most)) return { perSecond: 0, leftMs: null };
  const spanMs = Math.min(RATE_SPAN_MS, Math.max(1000, now - startedAt));
  // One message in the first second is no pace where one a minute may be sent.
  const perSecond = Math.min(most, sentLast10s / (spanMs / 1000));
  // What is left of a reminder job waits for its days.
  if (perSecond === 0 || campaign.settings.remind !== undefined) return { perSecond, leftMs: null };
  return { perSecond, leftMs: ((messages.queued + messages.sending) / perSecond) * 1000 };
}

/**
 * Where a campaign stands, in one line for `output.progress`: bar, sent of total, rejected, uncertain, messages a second,
 * spent, time left. Without a terminal the same in words.
 */
export function progressLine(output: Output, overview: CampaignOverview, look: Look): string {
  return lineOf(output, overview, [...countFacts(overview), ...paceFacts(overview, look)]);
}

/** The same when every message is settled and only delivery reports are awaited. */
export function waitingLine(output: Output, overview: CampaignOverview, pending: number): string {
  const waiting = `waiting for ${whole(pending)} delivery ${pending === 1 ? 'report' : 'reports'}`;
  return lineOf(output, overview, [...countFacts(overview), spentFact(overview), waiting]);
}

function lineOf(output: Output, overview: CampaignOverview, facts: string[]): string {
  const { messages, campaign } = overview;
  const total = totalOf(overview);
  const settled = total - messages.queued - messages.sending;
  const share = total === 0 ? 1 : settled / total;
  if (!output.liveProgress) {
    const sent = `${campaign.name}: sent ${whole(messages.sent)} of ${whole(total)} (${percent(share)})`;
    return [sent, ...facts].join(', ');
  }
  const parts = [`${whole(messages.sent)}/${whole(total)} ${percent(share)}`, ...facts];
  return drawn({ name: campaign.name, share, parts, width: output.progressWidth });
}

function countFacts({ messages }: CampaignOverview): string[] {
  const facts = [];
  if (messages.rejected > 0) facts.push(`${whole(messages.rejected)} rejected`);
  if (messages.uncertain > 0) facts.push(`${whole(messages.uncertain)} uncertain`);
  return facts;
}

function spentFact({ campaign, spentMicro, unpriced = 0 }: CampaignOverview): string {
  if (unpriced > 0) return 'cost not known';
  return `${campaign.settings.currency} ${grouped(formatMoney(spentMicro))}`;
}

function paceFacts(overview: CampaignOverview, look: Look): string[] {
  const { perSecond, leftMs } = paceOf(overview, look);
  const facts = [];
  if (perSecond !== null) facts.push(shortRate(perSecond));
  facts.push(spentFact(overview));
  if (overview.state === 'paused') facts.push(pauseWords(overview.reason, overview.cutOffAt !== undefined));
  else if (leftMs !== null && leftMs > 0) facts.push(`${duration(leftMs)} left`);
  return facts;
}

/** A slow one by the minute. */
function shortRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return `${(perSecond * 60).toFixed(1)}/min`;
  return `${perSecond < 100 ? perSecond.toFixed(1) : whole(Math.round(perSecond))}/s`;
}

/**
 * Never wider than the terminal: a line that wraps cannot be taken back. The bar shrinks first, then the name, then the last
 * facts are left out: half of a number would be another one.
 */
function drawn({
  name,
  share,
  parts,
  width,
}: {
  name: string;
  share: number;
  parts: string[];
  width: number;
}): string {
  const nameWidth = displayWidth(name);
  const text = fitting(parts, width - Math.min(nameWidth, LEAST_NAME) - 2);
  const textWidth = displayWidth(text);
  const room = width - nameWidth - textWidth - 3;
  if (room < LEAST_BAR) return cut(`${shortened(name, width - textWidth - 2)} ${text}`, width - 1);
  const bar = Math.min(MOST_BAR, room);
  const filled = Math.floor(share * bar);
  const done = styleText('green', '█'.repeat(filled), { stream: process.stderr });
  return `${name} ${done}${styleText('dim', '░'.repeat(bar - filled), { stream: process.stderr })} ${text}`;
}

/** As many of the parts as there is room for; the first in any case. */
function fitting(parts: string[], width: number): string {
  let kept = parts;
  while (kept.length > 1 && displayWidth(kept.join(' · ')) > width) kept = kept.slice(0, -1);
  return kept.join(' · ');
}

function shortened(name: string, most: number): string {
  return displayWidth(name) <= most ? name : `${cut(name, most - 1)}…`;
}

function cut(text: string, width: number): string {
  let kept = text;
  while (displayWidth(kept) > Math.max(0, width)) kept = kept.slice(0, -1);
  return kept.toWellFormed();
}
