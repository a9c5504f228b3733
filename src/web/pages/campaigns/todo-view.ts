import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import { waitingOf } from '../../../campaign/operator/legal-orders.ts';
import { whole } from '../../../domain/money.ts';
import { strangersWords } from '../../../domain/text/mask.ts';
import type { CampaignOverview } from '../../../ledger/contracts/reader.ts';
import { answerWords, decisionParts } from '../../../reports/open-answers.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon, type IconName } from '../../views/icons.ts';
import { timeWords } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import { pauseWhy } from '../campaign/notices-view.ts';
import { waitingWords } from '../../views/amounts.ts';
import { NEW_CAMPAIGN } from '../new-campaign/steps.ts';
import type { CampaignsNow } from './read-campaigns.ts';

/** What waits for a person, each with the one thing to do about it. */
export function todoView(frame: Frame, now: CampaignsNow): Html {
  const { campaigns: words } = frame.words;
  const todos = [
    ...now.preparations
      .filter(({ state }) => state === 'asked')
      .map((each) => askedTodo(frame, each, now.approvers.get(each.id) ?? [])),
    ...now.paused.flatMap((overview) => pausedTodo(frame, overview)),
    ...now.uncertain.map((overview) => uncertainTodo(frame, overview)),
    ...questions(frame, now),
  ];
  const content =
    todos.length === 0 ? html`<p class="soft">${words.todoNone}</p>` : html`<ul class="todo">${todos}</ul>`;
  return html`<section aria-labelledby="todo"><h2 id="todo">${words.todo}</h2>
${content}</section>`;
}

/** What the provider and people said, and nobody has explained yet. */
function questions(frame: Frame, { answers, words: unknown, maybeStops }: CampaignsNow): Html[] {
  const { campaigns: words } = frame.words;
  const explain = { shape: 'question' as const, button: words.do.explain };
  return [
    ...decisionParts(answers).map((part) =>
      todo(frame, {
        ...explain,
        what: words.answer(whole(part.messages)),
        stake: words.answerHelp(answerWords(part).replaceAll('"', '')),
        to: `/decisions/answers/${part.answer}`,
      }),
    ),
    ...unknown.map(({ word, count }) =>
      todo(frame, {
        ...explain,
        what: html`${words.reportsSay(whole(count))} <q>${strangersWords(word)}</q>`,
        stake: words.reportsSayHelp,
        to: '/decisions',
      }),
    ),
    ...(maybeStops === 0
      ? []
      : [
          todo(frame, {
            shape: 'question',
            what: words.maybeStop(whole(maybeStops)),
            stake: words.maybeStopHelp,
            to: '/inbox',
            button: words.do.read,
          }),
        ]),
  ];
}

interface Todo {
  shape: IconName;
  what: Html | string;
  stake: string;
  to: string;
  button: string;
}

function todo(frame: Frame, { shape, what, stake, to, button }: Todo): Html {
  return html`<li>${icon(shape)}<div>${what}<small>${stake}</small></div>${isAllowed(frame.who, 'operator') && html`<a class="button" href="${to}">${button}</a>`}</li>
`;
}

/** A pause that ends by itself asks for nothing but credit, which the page of the campaign explains. */
function pausedTodo(frame: Frame, overview: CampaignOverview): Html[] {
  const { campaigns: words } = frame.words;
  const { campaign, reason, canary } = overview;
  if (reason === 'window' || (reason === 'canary' && canary?.verdict === 'waiting')) return [];
  const at = `/campaigns/${campaign.id}`;
  const [to, button] = way(overview, words.do);
  return [
    todo(frame, {
      shape: 'paused',
      what: html`<a href="${at}">${campaign.name}</a> ${words.paused(pauseWhy(frame, overview).toLowerCase())}`,
      stake: words.pausedWaits(waitingWords(frame, campaign, waitingOf(overview))),
      to: `${at}${to}`,
      button,
    }),
  ];
}

function way(
  { reason }: CampaignOverview,
  words: Frame['words']['campaigns']['do'],
): [to: string, button: string] {
  if (reason === 'budget') return ['/budget', words.budget];
  if (reason === 'sender') return ['/resume', words.sender];
  if (reason === 'operator') return ['/resume', words.resume];
  return ['', words.look];
}

function uncertainTodo(frame: Frame, { campaign, messages }: CampaignOverview): Html {
  const { campaigns: words } = frame.words;
  const at = `/campaigns/${campaign.id}`;
  return todo(frame, {
    shape: 'question',
    what: html`<a href="${at}">${campaign.name}</a> ${words.uncertain(whole(messages.uncertain - messages.written_off))}`,
    stake: words.uncertainHelp,
    to: `${at}/uncertain`,
    button: words.do.decide,
  });
}

function askedTodo(frame: Frame, { id, job, asked }: Preparation, approvers: readonly string[]): Html {
  const { campaigns: words } = frame.words;
  const name = typeof job.name === 'string' && job.name !== '' ? job.name : words.unnamed;
  const to = `${NEW_CAMPAIGN}/${id}/launch`;
  const who = approvers.length === 0 ? words.nobodyApproves : words.mayApprove(approvers.join(', '));
  return todo(frame, {
    shape: 'approval',
    what: html`<a href="${to}">${name}</a> ${words.approval}`,
    stake:
      asked === null ? '' : `${words.approvalHelp(asked.by, timeWords(frame, asked.at, frame.zone))} ${who}`,
    to,
    button: words.do.check,
  });
}
