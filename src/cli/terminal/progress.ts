import { type Look, outageOf, paceOf } from '../../reports/campaign-pace.ts';
import { outageWords } from '../../reports/outage-words.ts';
import { livingWorkers } from '../../campaign/operator/living-workers.ts';
import { totalOf } from '../../domain/message.ts';
import { styleText } from 'node:util';
import { formatMoney, grouped, whole } from '../../domain/money.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { duration, pauseWords, percent } from '../../reports/report-words.ts';
import { pauseFacts } from '../../reports/pause-facts.ts';
import type { Context } from '../context.ts';
import type { Output } from './output.ts';
import { displayWidth, shortened } from '../text/table.ts';

const MOST_BAR = 30;
const LEAST_BAR = 8;
const LEAST_NAME = 8;

/** A look by the clock, the settings and the workers of now. */
export async function lookNow(context: Context): Promise<Look> {
  const { clock, config } = context;
  const living = await livingWorkers(context);
  return { now: clock.now(), accountRate: config.ratePerSecond, ...living };
}

/** Where a campaign stands, in one line for `output.progress`; without a terminal in words. */
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
    const done = `${campaign.name}: ${whole(settled)} of ${whole(total)} settled (${percent(share)})`;
    return [done, ...facts].join(', ');
  }
  const parts = [`${whole(settled)}/${whole(total)} ${percent(share)}`, ...facts];
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
  const { queued, sending } = overview.messages;
  const facts = [];
  // With nothing left a rate of zero tells nothing.
  if (perSecond !== null && queued + sending > 0) facts.push(shortRate(perSecond));
  facts.push(spentFact(overview));
  const outage = outageOf(overview, look);
  if (outage !== null)
    facts.push(outageWords(outage, { now: look.now, zone: overview.campaign.settings.zone }));
  else if (overview.state === 'paused') facts.push(pauseWords(pauseFacts(overview)));
  else if (leftMs !== null && leftMs > 0)
    facts.push(`${leftMs < 1_000 ? 'less than 1 s' : duration(leftMs)} left`);
  return facts;
}

/** Messages a second, or a minute where that is more telling: `12.0/s`, `0.6/min`. */
export function shortRate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 0.1) return `${(perSecond * 60).toFixed(1)}/min`;
  return `${perSecond < 100 ? perSecond.toFixed(1) : whole(Math.round(perSecond))}/s`;
}

interface Drawing {
  name: string;
  share: number;
  parts: string[];
  width: number;
}

/** Never wider than the terminal: first the bar shrinks, then the name, then the last facts go. */
function drawn({ name, share, parts, width }: Drawing): string {
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

function cut(text: string, width: number): string {
  let kept = text;
  while (displayWidth(kept) > Math.max(0, width)) kept = kept.slice(0, -1);
  return kept.toWellFormed();
}
