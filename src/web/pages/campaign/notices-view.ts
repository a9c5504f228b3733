import { whole } from '../../../domain/money.ts';
import { sendingHours } from '../../../domain/time/window.ts';
import { waitingOf } from '../../../campaign/operator/legal-orders.ts';
import type { HeldNetwork } from '../../../ledger/contracts/reader.ts';
import { outageOf } from '../../../reports/campaign-pace.ts';
import { answerWords, decisionParts } from '../../../reports/open-answers.ts';
import { missingCredit } from '../../../reports/pause-help.ts';
import type { Frame } from '../../frame.ts';
import { inEnglish } from '../../views/english.ts';
import { html, type Html } from '../../views/html.ts';
import { networkWords } from '../../views/network.ts';
import { notice } from '../../views/notice.ts';
import { timeOf, timeWords } from '../../views/time.ts';
import type { CampaignNow } from './campaign-now.ts';
import { moneyOf, waitingWords } from '../../views/amounts.ts';

/** What is not as it should be, and what makes it go on. Nothing is good news. */
export function noticesView(frame: Frame, now: CampaignNow): Html {
  const notices = [
    ...pauseNotice(frame, now),
    ...senderNotices(frame, now),
    ...networkNotices(frame, now),
    ...decisionNotices(frame, now),
  ];
  return html`<section class="flow" id="live-notices"${notices.length === 0 && html` hidden`}>${notices}</section>`;
}

/** Why a campaign is paused, in a few words. */
export function pauseWhy(
  { words: { campaign } }: Pick<Frame, 'words'>,
  { reason, cutOffAt, filesUnread }: Pick<CampaignNow['overview'], 'reason' | 'cutOffAt' | 'filesUnread'>,
): string {
  if (cutOffAt !== undefined) return campaign.pauses.cutOff;
  if (filesUnread === true) return campaign.pauses.filesUnread;
  return campaign.pauses[reason ?? 'operator'];
}

function pauseNotice(frame: Frame, now: CampaignNow): Html[] {
  const { overview } = now;
  if (overview.state !== 'paused') return [];
  const { campaign: words } = frame.words;
  const { campaign, pauseSaid } = overview;
  const waiting = waitingWords(frame, campaign, waitingOf(overview));
  const said = pauseSaid === undefined ? null : html` ${words.pauseHelp.said(pauseSaid)}`;
  return [
    notice({
      look: 'warn',
      title: words.pauseTitle(pauseWhy(frame, overview), waiting),
      text: html`${pauseHelp(frame, now)}${said}`,
    }),
  ];
}

/** What makes it go on, in a sentence. */
export function pauseHelp(frame: Frame, now: CampaignNow): string {
  const { pauseHelp: help } = frame.words.campaign;
  const { reason, cutOffAt, filesUnread, canary, campaign } = now.overview;
  if (cutOffAt !== undefined) return help.cutOff(timeWords(frame, cutOffAt, campaign.settings.zone));
  if (filesUnread === true) return help.filesUnread;
  if (reason === 'balance') return balanceHelp(frame, now);
  if (reason === 'budget') return budgetHelp(frame, now);
  if (reason === 'window') return windowHelp(frame, now);
  if (reason === 'canary') return canary?.verdict === 'failed' ? help.canaryFailed : help.canaryWaiting;
  return help[reason ?? 'operator'];
}

function balanceHelp({ words }: Frame, { overview: { campaign }, paused }: CampaignNow): string {
  const { pauseHelp: help } = words.campaign;
  const missing = paused === null ? null : missingCredit(paused);
  const left = paused?.creditMicro == null ? '' : `${help.left(moneyOf(campaign, paused.creditMicro))} `;
  return left + (missing === null ? help.topUp : help.topUpAbout(moneyOf(campaign, missing)));
}

function budgetHelp(
  { words }: Frame,
  { overview: { campaign, spentMicro, budgetMicro } }: CampaignNow,
): string {
  return words.campaign.pauseHelp.budget(moneyOf(campaign, spentMicro), moneyOf(campaign, budgetMicro ?? 0));
}

function windowHelp(frame: Frame, { overview: { campaign }, now }: CampaignNow): string {
  const { pauseHelp: help } = frame.words.campaign;
  const { window, zone } = campaign.settings;
  const hours = sendingHours(window, zone, now);
  return hours.open ? help.windowNow : help.window(timeWords(frame, hours.opensAt, zone));
}

/** Nothing leaves without a worker, or while the service does not answer. */
function senderNotices(frame: Frame, { overview, look }: CampaignNow): Html[] {
  const { campaign: words } = frame.words;
  if (overview.state !== 'running' || waitingOf(overview) === 0) return [];
  if (look.workers === 0) return [notice({ look: 'bad', title: words.noWorker, text: words.noWorkerHelp })];
  const outage = outageOf(overview, look);
  if (outage === null) return [];
  const since = timeWords(frame, outage.since, overview.campaign.settings.zone);
  return [notice({ look: 'warn', title: words.outage(since), text: words.outageHelp })];
}

function networkNotices(frame: Frame, { overview, networks }: CampaignNow): Html[] {
  const { campaign: words } = frame.words;
  const { zone } = overview.campaign.settings;
  const again = ({ probing, until }: HeldNetwork) =>
    probing ? words.heldProbing : words.heldUntil(timeWords(frame, until, zone));
  return (overview.networks ?? []).map((held) =>
    notice({
      look: 'warn',
      title: words.heldNetwork(networkWords(frame, held.network, networks)),
      text: html`${held.why === null ? words.heldWhy[held.cause] : inEnglish(frame, held.why)} ${again(held)} ${timeOf(frame, held.since, zone)}`,
    }),
  );
}

function decisionNotices({ words: { campaign } }: Frame, { decisions }: CampaignNow): Html[] {
  return decisionParts(decisions).map((part) =>
    notice({
      look: 'warn',
      title: campaign.decision(whole(part.messages)),
      text: campaign.decisionHelp(answerWords(part).replaceAll('"', '')),
      action: html`<a class="button" href="/decisions">${campaign.decide}</a>`,
    }),
  );
}
