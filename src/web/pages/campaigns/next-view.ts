import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import type { PlannedCost } from '../../../campaign/planning/credit-ahead.ts';
import type { Frame } from '../../frame.ts';
import { type Content, html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { NEW_CAMPAIGN } from '../new-campaign/steps.ts';
import type { CampaignsNow } from './read-campaigns.ts';

const MOST_SHOWN = 8;

/** What is planned, and what is being made. */
export function nextView(frame: Frame, now: CampaignsNow): Html {
  const { campaigns: words } = frame.words;
  const planned = now.ahead.planned.filter(({ at }) => at !== null).slice(0, MOST_SHOWN);
  return html`<section aria-labelledby="next"><h2 id="next">${words.next}</h2>
${planned.length === 0 ? html`<p class="soft">${words.nextNone}</p>` : plannedTable(frame, planned)}
${draftsView(frame, now)}</section>`;
}

function plannedTable(frame: Frame, planned: readonly PlannedCost[]): Html {
  const { campaigns: words } = frame.words;
  return table({
    caption: words.nextCaption,
    columns: [
      { name: words.campaign },
      { name: words.when, isBare: true },
      { name: words.cost(frame.currency), isNumber: true },
    ],
    rows: planned.map(({ campaign, at, messages, costMicro, afterMicro }) => [
      html`<a href="/campaigns/${campaign.id}">${campaign.name}</a><small>${words.messages(whole(messages))}</small>`,
      at === null ? null : timeOf(frame, at, campaign.zone),
      html`${costMicro === null ? frame.words.common.notKnown : grouped(formatMoney(costMicro))}${shortNote(frame, afterMicro)}`,
    ]),
  });
}

/** What the credit lacks by then. */
function shortNote({ words: { campaigns: words } }: Frame, afterMicro: number | null): Content {
  if (afterMicro === null || afterMicro >= 0) return null;
  return html`<small class="warn">${icon('warning')} ${words.short(grouped(formatMoney(-afterMicro)))}</small>`;
}

function draftsView(frame: Frame, { preparations }: CampaignsNow): Html | null {
  const { campaigns: words } = frame.words;
  const drafts = preparations.filter(({ state }) => state === 'open').slice(0, MOST_SHOWN);
  if (drafts.length === 0) return null;
  return html`<h3>${words.drafts}</h3>
${table({
  caption: words.draftsCaption,
  columns: [{ name: words.draft }, { name: words.draftBy }, { name: words.keptUntil }],
  rows: drafts.map((draft) => [
    html`<a href="${NEW_CAMPAIGN}/${draft.id}">${nameOf(frame, draft)}</a>`,
    draft.owner,
    timeOf(frame, draft.endsAt, frame.zone),
  ]),
})}`;
}

function nameOf({ words }: Frame, { job }: Preparation): string {
  return typeof job.name === 'string' && job.name !== '' ? job.name : words.campaigns.unnamed;
}
