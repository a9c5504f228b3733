import { whole } from '../../../domain/money.ts';
import { someUnmatched, type UnmatchedReports } from '../../../domain/unmatched-reports.ts';
import type { AnswerRow, Contradiction } from '../../../ledger/contracts/answers.ts';
import type {
  MismatchedReports,
  RepeatedIds,
  UnknownWord,
  WebhookShape,
} from '../../../ledger/contracts/replies.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { shownText } from '../../views/number.ts';
import { table } from '../../views/table.ts';
import { timeOf } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';

/** All that waits for a decision, and what does not fit. */
export interface Decisions {
  answers: AnswerRow[];
  words: (UnknownWord & { address: string })[];
  mismatched: MismatchedReports;
  unmatched: UnmatchedReports;
  repeated: RepeatedIds;
  contradictions: Contradiction[];
  shapes: WebhookShape[];
}

/** The decisions: what nobody knows comes first. */
export function decisionsView(frame: Frame, decisions: Decisions): Html {
  const { decisions: words } = frame.words;
  const { answers, words: reportWords } = decisions;
  const isOpen =
    answers.some(({ meaning }) => meaning === null) || reportWords.some(({ mapped }) => mapped === null);
  return html`<header class="head"><div><h1>${words.title}</h1></div></header>
${!isOpen && html`<section class="text"><h2>${words.none}</h2><p>${words.noneHelp}</p></section>`}
${answers.length > 0 && answerTable(frame, answers)}
${reportWords.length > 0 && wordTable(frame, reportWords)}
${oddPart(frame, decisions)}`;
}

function answerTable(frame: Frame, answers: AnswerRow[]): Html {
  const { decisions: words } = frame.words;
  return html`<section aria-labelledby="answers"><h2 id="answers">${words.answers}</h2><p class="soft">${words.answersHelp}</p>
${table({
  caption: words.answers,
  columns: [
    { name: words.answer },
    { name: words.waiting, isNumber: true },
    { name: words.came, isNumber: true },
    { name: words.last },
    { name: words.means },
  ],
  rows: answers.map((row) => [
    answerName(frame, row),
    whole(row.messages),
    whole(row.count),
    timeOf(frame, row.lastAt, frame.zone),
    meaningCell(frame, row),
  ]),
})}</section>`;
}

/** An answer by its words, its code and its status. */
export function answerName(frame: Frame, { words: said, code, httpStatus }: AnswerRow): Html {
  const { decisions: words } = frame.words;
  const facts = [
    httpStatus === null ? '' : words.http(String(httpStatus)),
    code === null ? '' : words.code(code),
  ]
    .filter((part) => part !== '')
    .join(', ');
  if (said === '') return html`${shownText(frame, facts)}`;
  return html`<q>${shownText(frame, said)}</q> <small>${shownText(frame, facts)}</small>`;
}

function meaningCell(frame: Frame, { answer, meaning, mappedBy }: AnswerRow): Content {
  const { decisions: words } = frame.words;
  const link = (name: string) =>
    isAllowed(frame.who, 'operator') &&
    html`<small><a href="/decisions/answers/${answer}">${name}</a></small>`;
  if (meaning === null) return html`<b class="warn">${words.nobodyKnows}</b>${link(words.decide)}`;
  return html`${words.meanings[meaning]}${mappedBy !== null && html`<small>${words.by(shownText(frame, mappedBy))}</small>`}${link(words.change)}`;
}

function wordTable(frame: Frame, rows: Decisions['words']): Html {
  const { decisions: words } = frame.words;
  const mayDecide = isAllowed(frame.who, 'operator');
  return html`<section aria-labelledby="words"><h2 id="words">${words.reportWords}</h2><p class="soft">${words.reportWordsHelp}</p>
${table({
  caption: words.reportWords,
  columns: [
    { name: words.word },
    { name: words.came, isNumber: true },
    { name: words.last },
    { name: words.means },
  ],
  rows: rows.map(({ word, count, lastAt, mapped, webhook, address }) => [
    html`<q>${shownText(frame, word)}</q>`,
    whole(count),
    html`${timeOf(frame, lastAt, frame.zone)}<small><a href="/webhooks/${webhook}">${words.raw(String(webhook))}</a></small>`,
    html`${mapped === null ? html`<b class="warn">${words.nobodyKnows}</b>` : words.deliveries[mapped]}${mayDecide && html`<small><a href="${address}">${mapped === null ? words.decide : words.change}</a></small>`}`,
  ]),
})}</section>`;
}

function oddPart(frame: Frame, decisions: Decisions): Html {
  const { decisions: words } = frame.words;
  const rows = oddRows(frame, decisions);
  if (rows.length === 0) return html`<section><h2>${words.odd}</h2><p>${words.oddNone}</p></section>`;
  return html`<section aria-labelledby="odd"><h2 id="odd">${words.odd}</h2>
${table({
  caption: words.odd,
  columns: [{ name: words.what }, { name: words.count, isNumber: true }, { name: words.webhooks }],
  rows,
})}</section>`;
}

function oddRows(
  frame: Frame,
  { mismatched, unmatched, repeated, contradictions, shapes }: Decisions,
): Content[][] {
  const { decisions: words } = frame.words;
  const rows: [name: string, count: number, webhooks: number[]][] = [
    [words.mismatched, mismatched.count, mismatched.webhooks],
    ...(someUnmatched(unmatched)
      ? ([
          [words.unmatched, unmatched.count, unmatched.example === null ? [] : [unmatched.example.webhook]],
          [words.ambiguous, unmatched.ambiguous, []],
        ] as [string, number, number[]][])
      : []),
    [words.repeated, repeated.total, []],
    ...contradictions.map(({ campaign, messages }): [string, number, number[]] => {
      return [words.contradictions(campaign), messages, []];
    }),
    ...shapes.map(({ kind, count, webhook }): [string, number, number[]] => {
      return [kind === 'other' ? words.other : words.notUnderstood, count, [webhook]];
    }),
  ];
  return rows
    .filter(([, count]) => count > 0)
    .map(([name, count, webhooks]) => [
      name,
      whole(count),
      webhooks.map((id) => html`<a href="/webhooks/${id}">${id}</a> `),
    ]);
}
