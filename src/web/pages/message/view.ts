import { isPurged } from '../../../domain/message.ts';
import { formatMoney, grouped, whole } from '../../../domain/money.ts';
import type { EvidenceRow, ReportRow } from '../../../ledger/contracts/finding.ts';
import type { LifeEvent, MessageStory } from '../../../reports/message-life.ts';
import type { NetworkNames } from '../../../reports/network-words.ts';
import { payloadLines, type PayloadLine } from '../../../reports/payload.ts';
import type { RawWebhookRow } from '../../../ledger/contracts/replies.ts';
import type { Frame } from '../../frame.ts';
import { inEnglish } from '../../views/english.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { messageState } from '../../views/message-state.ts';
import { shownNumber, shownText } from '../../views/number.ts';
import { networkWords } from '../../views/network.ts';
import { facts } from '../../views/parts.ts';
import { exactTimeOf } from '../../views/time.ts';
import { isAllowed, seesNumbers } from '../../who.ts';

/** One message with what its page shows beside its story. */
export interface ShownMessage extends MessageStory {
  networks: NetworkNames;
  /** The raw webhooks of its reports. */
  webhooks: RawWebhookRow[];
  /** The addresses of its number. */
  found: string;
  standingAt: string;
  eraseAt: string;
}

/** The page of one message: its life, its text, its evidence, and what can be done. */
export function messageView(frame: Frame, shown: ShownMessage): Html {
  const { life: words, find: findWords } = frame.words;
  const {
    campaign,
    life: { message },
  } = shown;
  return html`<header class="head"><div>
<p class="crumb"><a href="/find">${findWords.title}</a></p>
<h1>${shownNumber(frame, message.mobile)}</h1>
${messageState(frame, message)}
<p class="soft">${words.of} <a href="/campaigns/${campaign.id}">${campaign.name}</a></p>
</div></header>
${facts(factsOf(frame, shown))}
<div class="two">
<section aria-labelledby="events"><h2 id="events">${words.events}</h2>
<ol class="life">${shown.events.map(
    (
      event,
    ) => html`<li>${exactTimeOf(frame, event.at, campaign.settings.zone)}<div>${eventWords(frame, shown, event)}</div></li>
`,
  )}</ol>
${evidence(frame, shown)}
</section>
<div>
${textPart(frame, shown)}
${verbs(frame, shown)}
</div>
</div>`;
}

function factsOf(frame: Frame, { campaign, life: { message }, networks }: ShownMessage) {
  const { life: words } = frame.words;
  const { messageId, network, segments, costMicro, key, occurrence } = message;
  const cost = costMicro === null ? null : `${campaign.settings.currency} ${grouped(formatMoney(costMicro))}`;
  const all: (readonly [string, Content])[] = [
    [
      words.messageId,
      messageId === null ? null : html`<span class="id">${shownText(frame, messageId)}</span>`,
    ],
    [words.network, network === null ? null : networkWords(frame, network, networks)],
    [words.cost, cost],
    [words.key, key === '' ? null : shownText(frame, key)],
    [words.about, occurrence === '' ? null : occurrence],
  ];
  return [
    ...all.filter(([, value]) => value !== null),
    [words.length, words.segments(whole(segments), segments === 1)] as const,
  ];
}

function eventWords(frame: Frame, { life: { message } }: ShownMessage, event: LifeEvent): Content {
  const { life: words } = frame.words;
  if (event.what === 'planned') return words.planned(whole(event.line));
  if (event.what === 'due') return words.due;
  if (event.what === 'tried') return words.tried(whole(event.attempt));
  if (event.what === 'reported') return reportWords(frame, event.report);
  if (event.what === 'decided') {
    const { state, reason, basis } = event;
    const said = [words.decided[state], basis === null ? '' : words.basis[basis]].filter(
      (part) => part !== '',
    );
    return html`<b>${said.join(' ')}</b>${reason !== null && html`<small>${inEnglish(frame, shownText(frame, reason))}</small>`}`;
  }
  return answerWords(frame, event, message.segments);
}

function answerWords(frame: Frame, event: Extract<LifeEvent, { what: 'answered' }>, segments: number): Html {
  const { life: words } = frame.words;
  const { outcome, seen, reason } = event;
  const said = seen?.words ?? null;
  return html`<b>${words.outcomes[outcome]}</b> ${answerFacts(frame, event, segments)}${reason !== null && html`<small>${inEnglish(frame, shownText(frame, reason))}</small>`}${said !== null && html`<small><q>${inEnglish(frame, shownText(frame, said))}</q></small>`}`;
}

function answerFacts(
  { words: { life: words } }: Frame,
  { outcome, sendMs, seen }: Extract<LifeEvent, { what: 'answered' }>,
  segments: number,
): string {
  const status = seen?.httpStatus ?? null;
  return [
    sendMs === null ? '' : words.took(whole(sendMs)),
    outcome === 'sent' ? words.segments(whole(segments), segments === 1) : '',
    status === null ? '' : words.http(String(status)),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function reportWords(frame: Frame, { word, delivery, reason }: ReportRow): Html {
  const { life: words } = frame.words;
  const means = delivery === null ? words.meansNothing : words.means[delivery];
  return html`<b>${words.report}</b> <q>${inEnglish(frame, shownText(frame, word))}</q>, ${means}${reason !== null && html`<small>${inEnglish(frame, shownText(frame, reason))}</small>`}`;
}

function textPart(frame: Frame, { text, campaign, events }: ShownMessage): Html {
  const { life: words } = frame.words;
  if (text === null)
    return html`<section aria-labelledby="text"><h2 id="text">${words.text}</h2><p class="soft">${words.gone}</p></section>`;
  const [first] = events;
  return html`<section aria-labelledby="text"><h2 id="text">${words.text}</h2>
<div class="phone"><p class="from">${campaign.sender}</p>
<p class="bubble">${shownText(frame, text.text)}${text.appended !== '' && html` <span class="soft" title="${words.appended}">${text.appended}</span>`}</p>
${first !== undefined && html`<small>${exactTimeOf(frame, first.at, campaign.settings.zone)}</small>`}</div></section>`;
}

function verbs(
  frame: Frame,
  { life: { message }, campaign, found, standingAt, eraseAt }: ShownMessage,
): Html {
  const { life: words, find: findWords, removal } = frame.words;
  const mayCancel =
    isAllowed(frame.who, 'operator') &&
    campaign.state !== 'canceled' &&
    campaign.settings.every?.reread === undefined;
  return html`<section aria-labelledby="person"><h2 id="person">${findWords.person}</h2>
<p><a href="${found}">${findWords.toNumber(shownNumber(frame, message.mobile))}</a></p>
<div class="verbs">
${mayCancel && html`<div><a class="button danger" href="/messages/${campaign.id}/${message.seq}/cancel">${words.cancel}</a><small>${words.cancelHelp}</small></div>`}
${isAllowed(frame.who, 'operator') && html`<div><a class="button" href="${standingAt}">${findWords.optOut}</a><small>${findWords.optOutHelp}</small></div>`}
${!isPurged(message.mobile) && isAllowed(frame.who, 'admin') && html`<div><a class="button danger" href="${eraseAt}">${removal.erase}</a><small>${removal.eraseHelp}</small></div>`}
</div></section>`;
}

function evidence(frame: Frame, { life: { evidence: answers }, webhooks }: ShownMessage): Html {
  const { life: words } = frame.words;
  if (answers.length + webhooks.length === 0) return html`<p class="soft">${words.noRaw}</p>`;
  return html`<details><summary>${words.raw(whole(answers.length), whole(webhooks.length))}</summary>
${answers.map((answer) => answerPart(frame, answer))}
${webhooks.map((webhook) => webhookPart(frame, webhook))}
</details>`;
}

function answerPart(frame: Frame, { attempt, httpStatus, code, raw, at }: EvidenceRow): Html {
  const { life: words } = frame.words;
  const name = words.answer(whole(attempt));
  const head = [httpStatus === null ? '' : words.http(String(httpStatus)), code ?? '']
    .filter((part) => part !== '')
    .join(', ');
  return html`<h3>${name}, ${exactTimeOf(frame, at, frame.zone)}</h3>
<pre tabindex="0" role="region" aria-label="${name}">${head}
${raw === null ? words.removed : shownText(frame, raw)}</pre>`;
}

function webhookPart(frame: Frame, webhook: RawWebhookRow): Html {
  const name = frame.words.life.webhook(String(webhook.webhook));
  const showNumbers = frame.who !== null && seesNumbers(frame.who);
  const lines = payloadLines(webhook, { showNumbers });
  return html`<h3>${name}, ${exactTimeOf(frame, webhook.receivedAt, frame.zone)}</h3>
<pre tabindex="0" role="region" aria-label="${name}">${lines.map(lineText).join('\n')}</pre>`;
}

function lineText({ path, value }: PayloadLine): string {
  return `${path}  ${value}`;
}
