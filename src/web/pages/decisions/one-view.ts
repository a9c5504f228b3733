import type { WordAsked } from '../../../campaign/inbound/map-word.ts';
import { ANSWER_MEANINGS, type AnswerMeaning, effectOf } from '../../../domain/answer-meaning.ts';
import { DELIVERIES } from '../../../domain/message.ts';
import { whole } from '../../../domain/money.ts';
import type { AnswerEvidence, AnswerRow } from '../../../ledger/contracts/answers.ts';
import type { RawWebhookRow } from '../../../ledger/contracts/replies.ts';
import { payloadLines } from '../../../reports/payload.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { shownText } from '../../views/number.ts';
import { facts } from '../../views/parts.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { seesNumbers } from '../../who.ts';
import { answerName } from './view.ts';

/** What a page of one decision has beside what it is about. */
export interface Asked {
  errors: readonly FieldError[];
  /** True: the numbers are not those that were shown before. */
  hasChanged: boolean;
}

/** One answer: what a meaning would change, or the meaning that it has. The form carries the number that was shown. */
export function answerView(frame: Frame, row: AnswerRow, asked: Asked & { evidence: AnswerEvidence }): Html {
  const { decisions: words } = frame.words;
  const { meaning, answer, messages, mappedBy } = row;
  return html`${heading(frame, words.answerTitle, answerName(frame, row))}
${errorSummary(frame, asked.errors)}
${asked.hasChanged && notice({ look: 'warn', title: words.changed })}
${meaning === null ? html`<p><b>${words.wait(whole(messages), messages === 1)}</b> ${words.later}</p>` : html`<p>${words.mappedTo(words.meanings[meaning], mappedBy ?? '')}</p>`}
${evidencePart(frame, asked.evidence)}
${meaning === null ? meaningForm(frame, row, asked) : unmapForm(frame, answer)}`;
}

function heading(frame: Frame, title: string, about: Html): Html {
  const { decisions: words } = frame.words;
  return html`<header><p class="crumb"><a href="/decisions">${words.title}</a></p><h1>${title}</h1><p>${about}</p></header>`;
}

function evidencePart(frame: Frame, { examples, provedSent, namedByReports }: AnswerEvidence): Html {
  const { decisions: words } = frame.words;
  return html`${provedSent > 0 && notice({ look: 'info', title: words.proved(whole(provedSent)) })}
${namedByReports > 0 && notice({ look: 'warn', title: words.named(whole(namedByReports)) })}
${
  examples.length > 0 &&
  html`<section aria-labelledby="examples"><h2 id="examples">${words.examples}</h2>
${examples.map((example) => html`<pre tabindex="0" role="region" aria-label="${words.answer}">${shownText(frame, example)}</pre>`)}</section>`
}`;
}

function meaningForm(frame: Frame, { answer, messages }: AnswerRow, { errors }: Asked): Html {
  const { decisions: words } = frame.words;
  return html`<form class="form text" method="post" action="/decisions/answers/${answer}">${csrfField(frame)}<input type="hidden" name="messages" value="${messages}">
${choices(frame, { legend: words.meaning, name: 'meaning', errors, options: ANSWER_MEANINGS.map((meaning) => [meaning, words.meanings[meaning], effectWords(frame, meaning, messages)]) })}
<div class="actions"><button class="primary">${words.decideFor(whole(messages), messages === 1)}</button><a href="/decisions">${words.keep}</a></div></form>`;
}

function effectWords(frame: Frame, meaning: AnswerMeaning, messages: number): string {
  const { decisions: words } = frame.words;
  const { becomes, retryHelps } = effectOf(meaning);
  const effect = words.becomes[becomes](whole(messages), messages === 1);
  return retryHelps ? `${effect} ${words.retryHelps}` : effect;
}

interface Choices {
  legend: string;
  name: string;
  errors: readonly FieldError[];
  options: readonly (readonly [value: string, name: string, effect: string])[];
}

function choices(frame: Frame, { legend, name, errors, options }: Choices): Html {
  const error = errors.find(({ field }) => field === `${name}-${options[0]?.[0] ?? ''}`)?.message ?? null;
  return html`<fieldset class="${error === null ? '' : 'wrong'}"><legend>${legend}</legend>
${error !== null && html`<p class="error">${error}</p>`}
${options.map(
  ([
    value,
    label,
    effect,
  ]) => html`<div class="choice"><input id="${name}-${value}" type="radio" name="${name}" value="${value}" aria-describedby="${name}-${value}-hint"><label for="${name}-${value}"><b>${label}</b></label><p class="hint" id="${name}-${value}-hint">${effect}</p></div>
`,
)}</fieldset>`;
}

function unmapForm(frame: Frame, answer: number): Html {
  const { decisions: words } = frame.words;
  return html`<section><h2>${words.unmap}</h2><p>${words.unmapHelp}</p>
<form method="post" action="/decisions/answers/${answer}/unmap">${csrfField(frame)}<button class="danger">${words.unmap}</button></form></section>`;
}

/** Of the other spellings of a word. */
const MOST_SPELLINGS = 5;

/** One word of reports, and what a meaning would change. */
export function wordView(
  frame: Frame,
  { word, decides, address, spellings }: WordAsked & { address: string },
  { errors, hasChanged }: Asked,
): Html {
  const { decisions: words } = frame.words;
  const others = spellings.filter((each) => each !== word).slice(0, MOST_SPELLINGS);
  const deliveries = DELIVERIES.toReversed();
  return html`${heading(frame, words.wordTitle, html`<q>${shownText(frame, word)}</q>`)}
${errorSummary(frame, errors)}
${hasChanged && notice({ look: 'warn', title: words.changed })}
<p>${words.wordCount(whole(decides), decides === 1)} ${words.later}</p>
${others.length > 0 && html`<p>${words.sameLetters} ${others.map((each, index) => html`${index > 0 && ', '}<q>${shownText(frame, each)}</q>`)}${spellings.length - 1 > others.length && ' …'}</p>`}
<form class="form text" method="post" action="${address}">${csrfField(frame)}<input type="hidden" name="count" value="${decides}">
${choices(frame, { legend: words.meaning, name: 'meaning', errors, options: deliveries.map((each) => [each, words.deliveries[each], words.effectOnDelivery[each]]) })}
<div class="actions"><button class="primary">${words.mapWord}</button><a href="/decisions">${words.keep}</a></div></form>`;
}

/** One raw webhook: its values by their paths. */
export function webhookView(frame: Frame, raw: RawWebhookRow): Html {
  const { decisions: words } = frame.words;
  const showNumbers = frame.who !== null && seesNumbers(frame.who);
  return html`${heading(frame, words.raw(String(raw.webhook)), html`${timeOf(frame, raw.receivedAt, frame.zone)}, ${words.rawFrom(raw.ip)}`)}
${raw.voidedAt !== null && notice({ look: 'warn', title: words.voided })}
${facts([
  [words.times, whole(raw.times)],
  [words.last, timeOf(frame, raw.lastAt, frame.zone)],
])}
${table({
  caption: words.raw(String(raw.webhook)),
  columns: [{ name: words.field }, { name: words.value }],
  rows: payloadLines(raw, { showNumbers }).map(({ path, value }) => [
    html`<code>${path}</code>`,
    html`<code>${value}</code>`,
  ]),
})}`;
}
