import type { PurgeLook } from '../../../campaign/maintenance/purge.ts';
import type { Task } from '../../../campaign/tasks/task.ts';
import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { textField } from '../../views/field.ts';
import { html, type Html } from '../../views/html.ts';
import { csrfField, type PageContent } from '../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../views/notice.ts';
import { timeOf } from '../../views/time.ts';

/** What the page of the purge shows. */
export interface PurgePage {
  /** As it was typed. */
  days: string;
  least: string;
  look: PurgeLook | null;
  /** The count that the form carries; null: there is no form. */
  shown: string | null;
  hasChanged: boolean;
  errors: readonly FieldError[];
  /** Removals of the last day. */
  tasks: readonly Task[];
}

/** How old, what goes, what stays, and the word to type. */
export function purgeView(frame: Frame, page: PurgePage): PageContent {
  const { removal: words, health } = frame.words;
  const { days, least, look, hasChanged, errors, tasks } = page;
  const title = words.purgeTitle;
  const main = html`<header><p class="crumb"><a href="/checks">${health.title}</a></p>
<h1>${title}</h1><p class="soft">${words.purgeIntro}</p></header>
${hasChanged && notice({ look: 'warn', title: words.changed })}
${errorSummary(frame, errors)}
<form class="form text" method="get" action="/purge">
${textField(frame, { name: 'days', label: words.age, hint: words.ageHint(least), value: days, errors, width: 'w1', required: true })}
<div class="actions"><button>${words.look}</button></div></form>
${look !== null && whatGoes(frame, look)}
${look !== null && staysList(frame, words.purgeStays)}
${look !== null && order(frame, page, look)}
${tasks.length > 0 && tasksList(frame, tasks)}`;
  return { title, main };
}

function whatGoes(frame: Frame, { before, campaigns, messages, uncertain }: PurgeLook): Html {
  const { removal: words } = frame.words;
  return html`<section class="text flow" aria-labelledby="what"><h2 id="what">${words.willHappen}</h2>
<p>${words.before} ${timeOf(frame, before, frame.zone)}.</p>
<dl class="facts"><div><dt>${words.campaigns}</dt> <dd>${whole(campaigns.length)}</dd></div>
<div><dt>${words.messages}</dt> <dd>${whole(messages)}</dd></div></dl>
${campaigns.length === 0 ? html`<p>${words.purgeNothing}</p>` : html`<p>${words.traces}</p>`}
${uncertain > 0 && html`<p><b class="warn">${words.uncertain(whole(uncertain), uncertain === 1)}</b></p>`}</section>`;
}

/** What a removal does not touch. */
export function staysList({ words: { removal: words } }: Frame, stays: readonly string[]): Html {
  return html`<section class="text" aria-labelledby="stays"><h2 id="stays">${words.stays}</h2>
<ul>${stays.map((each) => html`<li>${each}</li>`)}</ul></section>`;
}

function order(frame: Frame, { days, shown, errors }: PurgePage, { before, messages }: PurgeLook): Html {
  const { removal: words } = frame.words;
  const button = words.purgeButton(whole(messages), messages === 1);
  return html`<form class="form text" method="post" action="/purge">${csrfField(frame)}<input type="hidden" name="days" value="${days}"><input type="hidden" name="before" value="${before}"><input type="hidden" name="shown" value="${shown}">
<p>${words.noWay}</p>
${wordField(frame, errors)}
<div class="actions"><button class="danger">${button}</button> <a href="/checks">${words.keep}</a></div></form>`;
}

/** The word that a person types, so that nobody removes anything by a slip. */
export function wordField(frame: Frame, errors: readonly FieldError[]): Html {
  const { removal: words } = frame.words;
  return textField(frame, {
    name: 'word',
    label: words.typeWord,
    hint: words.word,
    value: '',
    errors,
    width: 'w2',
    required: true,
  });
}

function tasksList(frame: Frame, tasks: readonly Task[]): Html {
  const { removal: words, tasks: taskWords } = frame.words;
  return html`<section aria-labelledby="tasks"><h2 id="tasks">${words.underWay}</h2>
<ul>${tasks.map((task) => html`<li><a href="/tasks/${task.id}">${taskWords.kinds[task.kind]}</a>, ${timeOf(frame, task.begunAt, frame.zone)}</li>`)}</ul></section>`;
}
