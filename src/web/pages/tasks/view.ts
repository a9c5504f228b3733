import type { Task, TaskResult } from '../../../campaign/tasks/task.ts';
import type { Campaign } from '../../../domain/campaign.ts';
import { TASK_KEPT_MS } from '../../../campaign/tasks/task-files.ts';
import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import type { PageContent } from '../../views/layout.ts';
import { buttonForm, notice } from '../../views/notice.ts';
import { problemText } from '../../views/problem.ts';
import { timeOf } from '../../views/time.ts';

/** One task: how far it is, or what came of it. `campaign`: null where it is about none. */
export function taskView(
  frame: Frame,
  task: Task,
  campaign: Pick<Campaign, 'id' | 'name'> | null,
): PageContent {
  const { tasks: words, common } = frame.words;
  const title = words.kinds[task.kind];
  const main = html`<header>${campaign !== null && html`<p class="crumb"><a href="/campaigns/${campaign.id}">${campaign.name}</a></p>`}
<h1>${title}</h1>
<p class="soft">${task.by}, ${timeOf(frame, task.begunAt, frame.zone)}</p></header>
${stateView(frame, task)}
<p class="actions">${campaign === null ? html`<a href="/campaigns">${common.errors.toCampaigns}</a>` : html`<a href="/campaigns/${campaign.id}">${words.toCampaign}</a>`}</p>`;
  return { title, main };
}

function stateView(frame: Frame, task: Task): Html {
  const { tasks: words } = frame.words;
  if (task.state === 'working') return workingView(frame, task);
  if (task.state === 'stopped') {
    const action = buttonForm(frame, {
      action: `/tasks/${task.id}/again`,
      words: words.again,
      look: 'primary',
    });
    return notice({ look: 'warn', title: words.stopped, text: words.stoppedHelp, action });
  }
  if (task.state === 'failed') return failedView(frame, task);
  return doneView(frame, task);
}

function workingView({ words: { tasks: words } }: Frame, { kind, done, total }: Task): Html {
  const isKnown = total !== null && total > 0;
  const so =
    kind !== 'export' ? '' : isKnown ? words.rowsOf(whole(done), whole(total)) : words.rows(whole(done));
  const bar =
    isKnown &&
    html`<progress value="${Math.min(done, total)}" max="${total}" aria-label="${words.progress}"></progress>`;
  return html`<div class="notice" role="status">${icon('scheduled')}<div><h2>${words.working}</h2><p>${so} ${words.workingHelp}</p>${bar}</div></div>`;
}

function failedView(frame: Frame, { failure }: Task): Html {
  const text = failure === null ? null : problemText(frame, failure);
  return notice({ look: 'bad', title: frame.words.tasks.failed, text });
}

function doneView(frame: Frame, { id, result, endedAt }: Task): Html {
  const { tasks: words } = frame.words;
  if (result === null || endedAt === null) return html``;
  if (result.kind === 'export_erased') return notice({ look: 'info', title: words.fileErased });
  if (result.kind !== 'export') return removedView(frame, result);
  const until = timeOf(frame, endedAt + TASK_KEPT_MS, frame.zone);
  return html`<section class="text" aria-labelledby="ready"><h2 id="ready">${words.fileReady}</h2>
<p>${words.fileHolds(whole(result.rows), sizeWords(result.bytes))}</p>
<p class="actions"><a class="button primary" href="/tasks/${id}/file" download>${words.download(result.name)}</a></p>
<p class="soft">${words.keptUntil}: ${until}</p></section>`;
}

/** What a purge or the removal of one person has come to. */
function removedView(
  { words: { tasks, removal: words } }: Frame,
  result: Extract<TaskResult, { kind: 'purge' | 'erase' }>,
): Html {
  const { messages, replies, reports, webhooks, rewritten } = result;
  const lines =
    result.kind === 'purge'
      ? [
          words.purgeDone(whole(messages), whole(result.campaigns)),
          words.traced(whole(webhooks), whole(reports), whole(replies)),
          ...(result.left > 0 ? [words.purgeLeft(whole(result.left))] : []),
        ]
      : [
          words.eraseDone(whole(messages), whole(replies)),
          words.eraseTraced(whole(webhooks), whole(reports)),
          ...(result.shared > 0 ? [words.eraseShared(whole(result.shared))] : []),
        ];
  return html`<section class="text" aria-labelledby="done"><h2 id="done">${tasks.removed}</h2>
${lines.map((line) => html`<p>${line}</p>`)}
${!rewritten && html`<p class="soft">${words.notRewritten}</p>`}</section>`;
}

/** A size for people: `3.4 MB`. */
function sizeWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The files of a campaign that this person asked for; null: none. */
export function filesView(frame: Frame, files: readonly Task[]): Html | null {
  const { tasks: words } = frame.words;
  if (files.length === 0) return null;
  return html`<h3>${words.filesTitle}</h3>
<ul>${files.map(
    (
      task,
    ) => html`<li><a href="/tasks/${task.id}">${formatOf(task)}</a> – ${words.states[task.result?.kind === 'export_erased' ? 'erased' : task.state]}, ${words.fileFrom} ${timeOf(frame, task.begunAt, frame.zone)}</li>
`,
  )}</ul>`;
}

function formatOf({ asked }: Task): string {
  return asked.kind === 'export' ? `${asked.as}.${asked.format}` : '';
}
