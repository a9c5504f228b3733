import type { Campaign } from '../../../domain/campaign.ts';
import { whole } from '../../../domain/money.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { CampaignOverview, MessageRow } from '../../../ledger/contracts/reader.ts';
import type { Frame } from '../../frame.ts';
import { inEnglish } from '../../views/english.ts';
import { html, type Html } from '../../views/html.ts';
import type { PageContent } from '../../views/layout.ts';
import { messageState } from '../../views/message-state.ts';
import { coveredNumber, shownText } from '../../views/number.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** One page of the people of a campaign. */
export interface PeoplePage {
  campaign: Campaign;
  state: CampaignOverview['state'];
  rows: readonly MessageRow[];
  /** The place after which the next page begins; null: this is the last. */
  next: number | null;
  isFirst: boolean;
}

/** Who gets what, and when, by the line of the contacts. */
export function peopleView(frame: Frame, content: PeoplePage): PageContent {
  const { orders: words } = frame.words;
  const { campaign, rows, next, isFirst } = content;
  const title = words.peopleTitle(campaign.name);
  const isReread = campaign.settings.every?.reread !== undefined;
  const main = html`<header><p class="crumb"><a href="/campaigns/${campaign.id}">${campaign.name}</a></p>
<h1>${title}</h1>
<p class="soft">${isReread ? words.reread : html`${words.personText} <a href="/find">${words.personFind}</a>`}</p></header>
${rows.length === 0 ? html`<p>${words.peopleNone}</p>` : peopleTable(frame, content)}
<p class="actions">${!isFirst && html`<a href="/campaigns/${campaign.id}/people">${words.first}</a>`}${next !== null && html` <a href="/campaigns/${campaign.id}/people?after=${next}">${words.next}</a>`}</p>`;
  return { title, main };
}

function peopleTable(frame: Frame, content: PeoplePage): Html {
  const { orders: words } = frame.words;
  const { campaign, state, rows } = content;
  const mayOrder = isAllowed(frame.who, 'operator') && state !== 'canceled' && state !== 'finished';
  const isKeyed = rows.some(({ key }) => key !== '');
  const isDated = rows.some(({ occurrence }) => occurrence !== '');
  return table({
    caption: words.peopleCaption,
    columns: [
      { name: words.line },
      { name: words.number },
      ...(isKeyed ? [{ name: words.key }] : []),
      ...(isDated ? [{ name: words.date }] : []),
      { name: words.due },
      { name: words.state },
      ...(mayOrder ? [{ name: words.cancelPerson, isBare: true }] : []),
    ],
    rows: rows.map((row) => [
      html`<a href="/messages/${campaign.id}/${row.seq}">${words.lineOf(whole(row.line))}</a>`,
      coveredNumber(frame, row.mobile),
      ...(isKeyed ? [shownText(frame, row.key)] : []),
      ...(isDated ? [row.occurrence] : []),
      whenOf(frame, campaign, row),
      stateOfRow(frame, row),
      ...(mayOrder ? [cancelLink(frame, campaign, row)] : []),
    ]),
  });
}

function cancelLink(
  { words: { orders: words } }: Frame,
  { id }: Campaign,
  { state, seq, line }: MessageRow,
): Html | null {
  if (state !== 'queued') return null;
  return html`<a href="/messages/${id}/${seq}/cancel">${words.cancelPerson}<span class="hear">, ${words.lineOf(whole(line))}</span></a>`;
}

/** When it left, or from when it may. */
function whenOf(
  frame: Frame,
  { settings, startAt }: Campaign,
  { sentAt, notBefore }: MessageRow,
): Html | null {
  const at = sentAt ?? (notBefore === 0 ? startAt : notBefore);
  return at === null ? null : timeOf(frame, at, settings.zone);
}

function stateOfRow(frame: Frame, row: MessageRow): Html {
  return html`${messageState(frame, row)}${row.reason !== null && html`<small>${inEnglish(frame, printableLine(row.reason))}</small>`}`;
}
