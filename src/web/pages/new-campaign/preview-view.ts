import type { PreviewMessage } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import {
  costlyCharacters,
  markCostly,
  type CostlyCharacter,
} from '../../../domain/text/costly-characters.ts';
import { gsmSafe } from '../../../domain/text/gsm-safe.ts';
import { countSegments } from '../../../domain/text/segments.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { notice } from '../../views/notice.ts';
import { problemLine, type ShownError } from '../../views/problem.ts';
import { addressOf } from './steps.ts';
import { reasonWords } from './rejected-rows.ts';

/** What a preview found: a message, why there is none, or nothing to look at yet. */
export interface Previewed {
  message: PreviewMessage | null;
  /** Why the text cannot be used, with what to do; null: it can. */
  problem: ShownError | null;
  /** True: there are contacts to make a message from. */
  hasContacts: boolean;
  sender: string;
}

/** Different characters that are listed. */
const MOST_COSTLY = 8;

/** The facts about the text below its field: its problem, its size, and what costs more. */
export function textFacts(frame: Frame, { message, problem }: Previewed): Html | null {
  const { newCampaign: words } = frame.words;
  if (problem !== null) return html`<p class="error" role="status">${problemLine(frame, problem)}</p>`;
  if (message === null || message.problem !== null) return null;
  const { text, appended, segments } = message;
  const count = whole((text + appended).length);
  const size =
    appended === ''
      ? words.characters(count, words.segments(segments))
      : words.charactersWithEnd(count, words.segments(segments));
  return html`<p class="hint"${segments > 1 && html` role="status"`}><b class="${segments > 1 && 'warn'}">${size}</b></p>
${costlyPart(frame, message)}`;
}

function costlyPart(frame: Frame, { text, appended, segments, encoding }: PreviewMessage): Html | null {
  const { newCampaign: words } = frame.words;
  const costly = costlyCharacters(text, MOST_COSTLY);
  if (encoding === 'gsm7' || costly.length === 0) return null;
  const without = countSegments(gsmSafe(text) + appended).segments;
  const isDearer = without < segments;
  const title = isDearer
    ? words.costly(costly.length, words.segments(segments), String(without))
    : words.costlySame(costly.length);
  const replaceable = costly.filter(({ replacement }) => replacement !== null).length;
  const body = html`<div><h3>${title}</h3><p>${words.costlyHelp}</p>
<ul>${costly.map((each) => costlyItem(frame, each))}</ul>
${
  replaceable > 0 &&
  html`<p class="actions"><button name="do" value="replace" formnovalidate>${words.replaceAll(replaceable)}</button></p>`
}</div>`;
  return html`<div class="notice warn" role="status">${icon('warning')}${body}</div>`;
}

function costlyItem(frame: Frame, { character, replacement, before, after }: CostlyCharacter): Html {
  return html`<li>${before}<mark>${shownCharacter(character)}</mark>${after}${replacementWords(frame, replacement)}</li>
`;
}

/** A character that nobody sees by its number. */
function shownCharacter(character: string): string {
  const isSeen = /^[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
  return isSeen
    ? character
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function replacementWords(
  { words: { newCampaign: words } }: Frame,
  replacement: string | null,
): Html | string {
  if (replacement === null) return words.noReplacement;
  if (replacement === '') return words.leaveOut;
  return html`${words.writeInstead}<code>${replacement}</code>${words.instead}`;
}

/** What a person of the list gets. The buttons that show another one stay where they are, and so does the focus. */
export function previewPart(
  frame: Frame,
  id: string,
  { message, problem, hasContacts, sender }: Previewed,
): Html {
  const { newCampaign: words } = frame.words;
  if (!hasContacts)
    return html`<h2 id="preview-title">${words.getsTitle}</h2>
<p>${words.noContactsYet} <a href="${addressOf(id, 'contacts')}">${words.toContacts}</a></p>`;
  const title = message === null ? words.getsTitle : words.gets(whole(message.line));
  return html`<h2 id="preview-title">${title}</h2>
${message === null ? problem === null && html`<p class="soft">${words.noPreview}</p>` : shownMessage(frame, message, sender)}
<input type="hidden" name="line" value="${message?.line ?? ''}">`;
}

/** The buttons that show the message of another row. */
export function previewButtons(frame: Frame, id: string): Html {
  const { newCampaign: words } = frame.words;
  const live = html` hx-post="${addressOf(id, 'preview')}" hx-target="#preview" hx-swap="innerHTML"`;
  const each = [
    ['before', words.before],
    ['next', words.next],
    ['longest', words.longest],
    ['here', words.preview],
  ] as const;
  return html`<div class="row light" role="group" aria-label="${words.whose}">
${each.map(
  ([
    show,
    label,
  ]) => html`<button class="${show === 'here' && 'scriptless'}" name="show" value="${show}" formnovalidate${live}>${label}</button>
`,
)}</div>`;
}

function shownMessage(frame: Frame, message: PreviewMessage, sender: string): Html {
  const { newCampaign: words } = frame.words;
  if (message.problem !== null)
    return notice({ look: 'warn', title: words.rowProblem, text: reasonWords(frame, message.problem) });
  return phoneOf(frame, { ...message, sender });
}

/** A message as it stands on a phone. */
export function phoneOf(
  { words: { newCampaign: words } }: Frame,
  { text, appended, segments, sender }: { text: string; appended: string; segments: number; sender: string },
): Html {
  return html`<div class="phone">
<p class="from">${sender}</p>
<p class="bubble">${markCostly(text).map(({ text, isCostly }) => (isCostly ? html`<mark>${text}</mark>` : text))}${
    appended !== '' && html`<span class="soft">${appended}</span>`
  }</p>
<small>${words.segments(segments)}.${appended !== '' && ` ${words.appended}`}</small>
</div>`;
}
