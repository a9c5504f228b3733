import { share as shareOf, whole } from '../../../domain/money.ts';
import { totalOf } from '../../../domain/message.ts';
import { forecast } from '../../../campaign/planning/estimate.ts';
import { legalOrder, waitingOf } from '../../../campaign/operator/legal-orders.ts';
import { paceOf } from '../../../reports/campaign-pace.ts';
import { percent } from '../../../reports/report-words.ts';
import type { Frame } from '../../frame.ts';
import { type Content, html, type Html } from '../../views/html.ts';
import { facts, type Part, partsThatAddUp } from '../../views/parts.ts';
import { timeOf } from '../../views/time.ts';
import type { CampaignNow } from './campaign-now.ts';
import { countedOf, durationOf, moneyOf, rateOf } from '../../views/amounts.ts';

/** Where every message is: a strip, the same numbers, and the facts below. */
export function numbersView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const { overview } = now;
  const all = {
    words: countedOf(overview.campaign) === 'people' ? words.all : words.allMessages,
    count: totalOf(overview),
  };
  return html`<section id="live-numbers" aria-labelledby="where"><h2 class="hear" id="where">${words.where}</h2>
${partsThatAddUp(partsOf(frame, now), all)}
${facts(factsOf(frame, now))}</section>`;
}

/** Where every message of a campaign is: these parts come to all of them. Empty parts are left out but two. */
export function partsOf(frame: Frame, now: CampaignNow): Part[] {
  const { campaign: words } = frame.words;
  const { messages, delivery } = now.tallies;
  const parts: Part[] = [
    { words: words.delivered, count: delivery.delivered, look: 'good', note: deliveredNote(frame, now) },
    { words: words.waiting, count: delivery.pending + delivery.unreported, look: 'wait' },
    {
      words: words.failed,
      count: delivery.undelivered + messages.rejected,
      look: 'bad',
      note: failedNote(frame, now),
    },
    { words: words.uncertain, count: messages.uncertain, look: 'unsure', note: uncertainNote(frame, now) },
    { words: words.leftOut, count: messages.skipped, look: 'rest' },
    { words: words.canceled, count: messages.canceled, look: 'rest' },
    {
      words: words.toSend,
      count: messages.queued + messages.sending,
      look: 'rest',
      note: restNote(frame, now),
    },
  ];
  // Of a settled campaign it goes without saying that nothing is left.
  const isOver = now.overview.state === 'finished' || now.overview.state === 'canceled';
  const told = [words.delivered, ...(isOver ? [] : [words.toSend])];
  return parts.filter(({ words: name, count }) => count > 0 || told.includes(name));
}

function deliveredNote({ words }: Frame, { tallies: { messages, delivery } }: CampaignNow): Content {
  if (messages.sent === 0) return null;
  return words.campaign.ofSent(percent(delivery.delivered / messages.sent));
}

function failedNote({ words: { campaign } }: Frame, { orders }: CampaignNow): Content {
  const retry = legalOrder(orders, 'retry');
  return html`<a href="#live-failed">${retry === null ? campaign.why : campaign.canRetry(whole(retry.messages))}</a>`;
}

function uncertainNote({ words: { campaign } }: Frame, { tallies: { messages } }: CampaignNow): Content {
  return messages.uncertain > messages.written_off
    ? html`<a href="#live-uncertain">${campaign.toDecide}</a>`
    : campaign.closed;
}

function restNote(frame: Frame, { overview, look }: CampaignNow): Content {
  const { campaign: words } = frame.words;
  if (waitingOf(overview) === 0) return null;
  const { leftMs } = paceOf(overview, look);
  if (leftMs !== null) return words.about(durationOf(frame, leftMs));
  if (overview.messages.sending > 0) return words.onWire(whole(overview.messages.sending));
  return overview.state === 'paused' ? words.nothingLost : null;
}

type Fact = readonly [words: string, value: Content];

function factsOf(frame: Frame, now: CampaignNow): Fact[] {
  const { overview } = now;
  const { state } = overview;
  return [
    ...(state === 'running' ? pace(frame, now) : []),
    ...(state === 'paused' ? pausedSince(frame, now) : []),
    ...(state === 'scheduled' ? starts(frame, now) : []),
    ...(state === 'finished' ? ended(frame, now) : []),
    ...(state === 'scheduled' ? [] : [spent(frame, now)]),
    ...money(frame, now),
    ...beside(frame, now),
  ];
}

/** How fast, until when, and what is then left of the balance. */
function pace(frame: Frame, now: CampaignNow): Fact[] {
  const { campaign: words } = frame.words;
  const { overview, look } = now;
  const { perSecond } = paceOf(overview, look);
  const { window, zone, remind } = overview.campaign.settings;
  const rows: Fact[] = perSecond === null ? [] : [[words.speed, rateOf(frame, perSecond)]];
  if (perSecond === null || perSecond === 0 || remind !== undefined) return rows;
  const course = { messages: waitingOf(overview), account: perSecond, campaign: null, measured: true };
  const { finishesAt } = forecast({ ...course, window, zone, startsAt: now.now });
  if (finishesAt !== null) rows.push([words.ends, timeOf(frame, finishesAt, zone)]);
  return rows;
}

function pausedSince(frame: Frame, { overview, trail }: CampaignNow): Fact[] {
  const { zone } = overview.campaign.settings;
  const paused = trail.entries.findLast(({ verb }) => verb === 'pause' || verb === 'miss_start');
  return paused === undefined ? [] : [[frame.words.campaign.pausedSince, timeOf(frame, paused.at, zone)]];
}

function starts(frame: Frame, { overview: { campaign }, agenda }: CampaignNow): Fact[] {
  const at = agenda.schedule?.nextAt ?? campaign.startAt;
  return at === null ? [] : [[frame.words.campaign.starts, timeOf(frame, at, campaign.settings.zone)]];
}

function ended(frame: Frame, { overview: { startedAt, finishedAt, campaign } }: CampaignNow): Fact[] {
  const { campaign: words } = frame.words;
  const { zone } = campaign.settings;
  return [
    ...(startedAt === null ? [] : [[words.started, timeOf(frame, startedAt, zone)] as const]),
    ...(finishedAt === null ? [] : [[words.ended, timeOf(frame, finishedAt, zone)] as const]),
  ];
}

function spent(frame: Frame, { overview }: CampaignNow): Fact {
  const { campaign: words } = frame.words;
  const { campaign, spentMicro, unpriced = 0 } = overview;
  if (unpriced > 0) return [words.spent, words.notPriced(whole(unpriced))];
  const amount = moneyOf(campaign, spentMicro);
  const { estimatedMicro } = campaign;
  return [
    words.spent,
    estimatedMicro === null ? amount : words.spentOf(amount, moneyOf(campaign, estimatedMicro)),
  ];
}

function money(frame: Frame, now: CampaignNow): Fact[] {
  const { campaign, state, budgetMicro } = now.overview;
  const { campaign: words } = frame.words;
  const rows: Fact[] = budgetMicro === null ? [] : [[words.budget, moneyOf(campaign, budgetMicro)]];
  if (state === 'scheduled' && campaign.estimatedMicro !== null)
    rows.push([words.estimate, moneyOf(campaign, campaign.estimatedMicro)]);
  if (state === 'running') rows.push(...balanceThen(frame, now));
  if (state === 'finished') rows.push(...perDelivered(frame, now));
  return rows;
}

/** What is left of the balance after the rest of this campaign. */
function balanceThen({ words }: Frame, { overview, ahead }: CampaignNow): Fact[] {
  const { campaign, leftMicro = null } = overview;
  if (leftMicro === null || ahead.creditMicro === null) return [];
  return [[words.campaign.balanceThen, moneyOf(campaign, ahead.creditMicro - leftMicro)]];
}

function perDelivered({ words }: Frame, { overview, tallies }: CampaignNow): Fact[] {
  const { chargedMicro, unknownCost, delivery } = tallies;
  if (delivery.delivered === 0 || unknownCost > 0) return [];
  return [
    [words.campaign.perDelivered, moneyOf(overview.campaign, shareOf(chargedMicro, delivery.delivered))],
  ];
}

function beside(frame: Frame, { overview: { canary, takenBack } }: CampaignNow): Fact[] {
  const { campaign: words } = frame.words;
  const rows: Fact[] = [];
  if (canary !== undefined && canary !== null) {
    const { counts, rule } = canary;
    const judged = counts.messages - counts.skipped - counts.canceled - counts.uncertain;
    const needed = percent(rule.delivered);
    rows.push([words.canary, words.canaryOf(whole(counts.delivered), whole(judged), needed)]);
  }
  if (takenBack > 0) rows.push([words.takenBack, whole(takenBack)]);
  return rows;
}
