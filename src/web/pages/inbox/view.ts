import { whole } from '../../../domain/money.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { ReplyRow } from '../../../ledger/contracts/replies.ts';
import type { Conversation, Said } from '../../../reports/conversation.ts';
import { mediaOf } from '../../../reports/inbox-rows.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { csrfField, type PageContent } from '../../views/layout.ts';
import { messageState } from '../../views/message-state.ts';
import { coveredNumber, shownNumber, shownText } from '../../views/number.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** What the inbox shows. */
export interface Inbox {
  /** The latest replies that may ask to stop, and how many there are. */
  inDoubt: { shown: ReplyRow[]; total: number };
  /** The latest reply of each number. */
  people: ReplyRow[];
  /** The address of the next page; null: this is the last one. */
  older: string | null;
  isFirst: boolean;
  /** The conversation that is open; null: none is. */
  open: OpenConversation | null;
}

/** An open conversation. */
export interface OpenConversation extends Conversation {
  /** Its latest reply. */
  latest: ReplyRow;
  /** The addresses of its number, on Find and among the opt-outs. */
  found: string;
  standingAt: string;
}

/** The inbox: what waits, the list of conversations, and the open one. */
export function inboxView(frame: Frame, inbox: Inbox): Html {
  const { inbox: words } = frame.words;
  const heading = html`<header class="head"><div><h1>${words.title}</h1></div>
${isAllowed(frame.who, 'operator') && html`<a class="button" href="/inbox.csv" download>${words.download}</a>`}</header>`;
  if (inbox.people.length === 0 && inbox.isFirst)
    return html`${heading}
<section class="text"><h2>${words.nobody}</h2><p>${words.nobodyHelp}</p></section>`;
  return html`${heading}
${waits(frame, inbox)}
<div class="${inbox.open === null ? 'talks' : 'talks open'}">
${people(frame, inbox)}
${inbox.open === null ? html`<section class="text"><p class="soft">${words.choose}</p></section>` : conversation(frame, inbox.open)}
</div>`;
}

function waits(frame: Frame, { inDoubt: { shown, total } }: Inbox): Html | null {
  const { inbox: words } = frame.words;
  if (shown.length === 0) return null;
  const more = total - shown.length;
  return html`<section aria-labelledby="maybe"><h2 class="hear" id="maybe">${words.waits}</h2>
<ul class="todo">${shown.map((reply) => doubt(frame, reply))}</ul>
${more > 0 && html`<p class="soft">${words.moreWait(whole(more))}</p>`}
</section>`;
}

function doubt(frame: Frame, reply: ReplyRow): Html {
  const { inbox: words } = frame.words;
  return html`<li>${icon('question')}<div>${words.maybe} <a href="/inbox/${reply.id}">${coveredNumber(frame, reply.mobile)}</a>: <q>${shownText(frame, reply.text)}</q><small>${words.maybeHelp}</small></div>${decision(frame, reply)}</li>
`;
}

function decision(frame: Frame, { id }: ReplyRow): Html | null {
  const { inbox: words } = frame.words;
  if (!isAllowed(frame.who, 'operator')) return null;
  return html`<form class="actions" method="post" action="/inbox/${id}/decision">${csrfField(frame)}<button name="stop" value="yes">${words.optOut}</button><button name="stop" value="no">${words.notStop}</button></form>`;
}

function people(frame: Frame, { people: rows, older, isFirst, open }: Inbox): Html {
  const { inbox: words, common } = frame.words;
  return html`<section class="list" aria-labelledby="people"><h2 class="hear" id="people">${words.conversations}</h2>
<ul class="people">
${rows.map((row) => person(frame, row, row.mobile === open?.mobile))}
${older !== null && html`<li><a href="${older}">${common.older}</a></li>`}
${!isFirst && html`<li><a href="/inbox">${common.newest}</a></li>`}
</ul></section>`;
}

function person(frame: Frame, reply: ReplyRow, isOpen: boolean): Html {
  const { mobile, writtenAt, wish } = reply;
  return html`<li><a href="/inbox/${reply.id}"${isOpen && html` aria-current="true"`}><b>${coveredNumber(frame, mobile)}</b>, ${timeOf(frame, writtenAt, frame.zone)}<small>${wish !== null && wishOf(frame, wish)} ${printableLine(textOf(frame, reply))}</small></a></li>
`;
}

function wishOf({ words }: Frame, wish: NonNullable<ReplyRow['wish']>): Html {
  const shape = wish === 'maybe_stop' ? 'question' : wish === 'stop' ? 'canceled' : 'done';
  return html`<b class="${wish === 'maybe_stop' ? 'warn' : ''}">${icon(shape)} ${words.inbox.wishes[wish]}</b>`;
}

/** The text, or what came in its place. */
function textOf(frame: Frame, reply: ReplyRow): string {
  const media = mediaOf(reply);
  const file = media === null ? '' : frame.words.inbox.file(media);
  return [file, shownText(frame, reply.text)].filter((part) => part !== '').join(' ');
}

function conversation(frame: Frame, open: OpenConversation): Html {
  const { inbox: words } = frame.words;
  const { campaign } = open.latest;
  return html`<section class="text" aria-labelledby="who">
<p class="crumb back"><a href="/inbox">${words.all}</a></p>
<h2 id="who">${shownNumber(frame, open.mobile)}</h2>
<p class="soft">${campaign !== null && words.fromLine(whole(campaign.line), campaign.name)} <a href="${open.found}">${words.allMessages}</a></p>
${open.older !== null && html`<p class="soft">${words.cut}</p>`}
<div>
${open.said.map((each) => said(frame, each))}</div>
${standing(frame, open)}
<p class="soft">${words.noAnswer}</p>
</section>`;
}

function said(frame: Frame, each: Said): Html {
  const { inbox: words } = frame.words;
  if (each.by === 'them') {
    const { reply, at } = each;
    return html`<p class="bubble">${textOf(frame, reply)}${fileLink(frame, reply)}</p>
<small>${timeOf(frame, at, frame.zone)}, ${words.to(reply.addressee)}${reply.wish !== null && html`, ${wishOf(frame, reply.wish)}`}</small>
`;
  }
  const { text, campaign, message, at } = each;
  const shown =
    text === null
      ? html`<i>${words.purged}</i>`
      : html`${shownText(frame, text.text)}${text.appended !== '' && html` <span class="soft">${text.appended}</span>`}`;
  return html`<p class="bubble ours">${shown}</p>
<small><a href="/messages/${campaign.id}/${message.seq}">${campaign.name}</a>, ${timeOf(frame, at, campaign.settings.zone)}, ${messageState(frame, message)}</small>
`;
}

/** The file that came with a reply, for who may have it. Nothing of it is ever shown on a page. */
function fileLink(frame: Frame, reply: ReplyRow): Html | null {
  const { inbox: words } = frame.words;
  if (mediaOf(reply) === null || reply.recordId === null || !isAllowed(frame.who, 'operator')) return null;
  return html` <a href="/inbox/${reply.id}/file" title="${words.fileWarning}">${words.getFile}</a>`;
}

/** Why a file could not be downloaded. */
export function noFileView(
  frame: Frame,
  { id, problem, said }: { id: number; problem: keyof Frame['words']['inbox']['fileProblems']; said: string },
): PageContent {
  const { inbox: words } = frame.words;
  const main = html`<h1>${words.fileFailed}</h1>
<p>${words.fileProblems[problem]}</p>
${said !== '' && html`<p class="soft">${words.fileSaid} <q>${shownText(frame, said)}</q></p>`}
<p><a href="/inbox/${id}">${words.fileBack}</a></p>`;
  return { title: words.fileFailed, main };
}

function standing(frame: Frame, { standing: { optOuts }, standingAt }: OpenConversation): Html | null {
  const { inbox: words } = frame.words;
  const [row] = optOuts;
  if (row === undefined) return null;
  const isDead = row.kind === 'dead number';
  return html`<div class="notice">${icon('canceled')}<div><h3>${isDead ? words.dead : words.optedOut}, ${timeOf(frame, row.at, frame.zone)}</h3>
<p>${isDead ? words.deadHelp : words.optedOutHelp}</p>
<p class="actions"><a href="${standingAt}">${words.letBack}</a></p></div></div>`;
}
