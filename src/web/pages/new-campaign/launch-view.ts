import type { PlanDocument } from '../../../campaign/planning/plan-document.ts';
import type { LaunchQuestion } from '../../../campaign/launch/preview-launch.ts';
import type { DonePlan, Preparation } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import { MOST_REASON_CHARS } from '../../../domain/reason.ts';
import type { Frame } from '../../frame.ts';
import { html, type Content, type Html } from '../../views/html.ts';
import { csrfField } from '../../views/layout.ts';
import { buttonForm, errorSummary, notice, type FieldError } from '../../views/notice.ts';
import { beginWords, budgetWords, correction, costWords, endWords, messagesOf } from './check-view.ts';
import { inputField } from './fields.ts';
import { planStatus } from './plan-status.ts';
import { phoneOf } from './preview-view.ts';
import { addressOf, stepHeader } from './steps.ts';

/** What the fifth step shows. */
export interface LaunchPage {
  preparation: Preparation;
  errors: readonly FieldError[];
  /** The name as it was typed. */
  typedName: string;
  /** Whether a second person must say yes, and whether this one may. */
  approval: { isNeeded: boolean; mayApprove: boolean; approvers: readonly string[] };
  /** The text that the provider adds to it. */
  appended: string;
}

/** The questions that a person ticks; the cost is accepted by the button, which stands beside it. */
export const TICKED = ['new_ledger', 'loss', 'cancel_missing'] as const satisfies readonly LaunchQuestion[];

/** The fifth step: what will happen, and the name to type. */
export function launchView(frame: Frame, page: LaunchPage): Html {
  const { preparation, errors } = page;
  const { newCampaign: words, common } = frame.words;
  const { plan } = preparation;
  const { refused } = preparation;
  const header = html`${stepHeader(frame, preparation, 'launch')}
${refused !== null && notice({ look: 'warn', title: words.refusedBefore, text: refused })}
${errorSummary(frame, errors)}`;
  if (plan?.planning !== 'done')
    return html`${header}
${planStatus(frame, preparation)}
<p class="actions"><a href="${addressOf(preparation.id, 'check')}">${common.back}</a></p>`;
  return html`${header}
${plan.corrects !== null && correction(frame, plan.corrects, plan)}
<div class="two">
<div>
<section aria-labelledby="what"><h2 id="what">${words.willHappen}</h2>
${answers(frame, preparation, plan.document)}
<p class="soft">${words.canStill}</p>
</section>
${decision(frame, page, plan)}
</div>
<section aria-labelledby="get"><h2 id="get">${words.whatTheyGet}</h2>
${exampleOf(frame, page, plan.document)}
</section>
</div>`;
}

function answers(frame: Frame, { id, job }: Preparation, document: PlanDocument): Html {
  const { newCampaign: words } = frame.words;
  const { rows, reminders, campaign, cost, guards } = document;
  const rejected = rows.duplicate + rows.invalid + rows.suppressed;
  const people =
    reminders === null
      ? words.peopleEach(whole(messagesOf(document)))
      : words.peopleSeries(whole(messagesOf(document)));
  const first = guards.canary === null ? null : words.canaryShort(whole(guards.canary.first));
  const limit =
    job.budget === undefined ? words.noLimit : words.neverMore(budgetWords(job.budget, cost.currency));
  const ends = endWords(frame, document);
  return html`<dl class="answers">
${answer(frame, [words.people, html`<b>${people}</b>`, rejected > 0 && words.leftOutShort(whole(rejected))], { id, step: 'contacts', what: 'contacts' })}
${answer(frame, [words.fromSender, campaign.sender, null], { id, step: 'message', what: 'sender' })}
${answer(frame, [words.beginsPart, html`<b>${beginWords(frame, document)}</b>`, [first, first !== null && ends !== null && ', ', ends]], { id, step: 'when', what: 'time' })}
${answer(frame, [words.costs, html`<b>${cost.upper !== null && `${cost.currency} `}${costWords(frame, cost)}</b>`, limit], { id, step: 'when', what: 'limit' })}
</dl>`;
}

function answer(
  { words: { newCampaign: words } }: Frame,
  [label, value, note]: readonly [string, Content, Content],
  { id, step, what }: { id: string; step: string; what: keyof Frame['words']['newCampaign']['changeWhat'] },
): Html {
  return html`<div><dt>${label}</dt><dd>${value}${note !== null && note !== false && html`<small>${note}</small>`}</dd><dd><a href="${addressOf(id, step)}">${words.change}<span class="hear"> ${words.changeWhat[what]}</span></a></dd></div>
`;
}

/** The form of who may launch it now, or who may say yes. */
function decision(frame: Frame, page: LaunchPage, plan: DonePlan): Html {
  const { preparation, approval } = page;
  const { newCampaign: words } = frame.words;
  if (!approval.isNeeded) return launchForm(frame, page, plan);
  if (approval.mayApprove)
    return html`${launchForm(frame, page, plan)}
${refuseForm(frame, page)}`;
  const { asked, id } = preparation;
  if (asked !== null)
    return notice({
      look: 'warn',
      title: words.askedAlready(asked.by),
      text: html`${approversLine(frame, page)} ${words.askedHelp}`,
    });
  if (approval.approvers.length === 0)
    return notice({ look: 'warn', title: words.approvalNeeded, text: words.nobodyApproves });
  return html`<section aria-labelledby="ask"><h2 id="ask">${words.approvalNeeded}</h2>
<p>${approversLine(frame, page)} ${words.approvalHelp}</p>
${buttonForm(frame, { action: addressOf(id, 'ask'), words: words.ask, look: 'primary', fields: { revision: String(preparation.revision) } })}
</section>`;
}

/** Who may say yes by now: somebody may have been removed since it was asked. */
function approversLine({ words: { newCampaign: words } }: Frame, { approval }: LaunchPage): string {
  const { approvers } = approval;
  return approvers.length === 0 ? words.nobodyApproves : words.mayApprove(approvers.join(', '));
}

function launchForm(frame: Frame, page: LaunchPage, plan: DonePlan): Html {
  const { preparation, errors, typedName, approval } = page;
  const { newCampaign: words, common } = frame.words;
  const { questions, digest, document } = plan;
  const asked = TICKED.filter((each) => questions.includes(each));
  const more = html` autocomplete="off" autocapitalize="none" spellcheck="false" required`;
  const label = buttonWords(frame, plan);
  return html`<section aria-labelledby="launch"><h2 class="hear" id="launch">${words.launchIt}</h2>
<form class="form" method="post" action="${addressOf(preparation.id, 'launch')}">${csrfField(frame)}<input type="hidden" name="revision" value="${preparation.revision}"><input type="hidden" name="digest" value="${digest}">
${asked.map((each) => questionField(frame, { question: each, label: questionWords(frame, each, document) }, errors))}
${inputField({ id: 'name', label: words.typeName, hint: preparation.job.name ?? '', errors, value: typedName, width: 'w3', more })}
<div class="actions"><button class="primary">${approval.isNeeded ? words.approve(label) : label}</button>
<a href="${addressOf(preparation.id, 'check')}">${common.back}</a></div>
</form></section>`;
}

function buttonWords({ words: { newCampaign: words } }: Frame, { corrects, document }: DonePlan): string {
  if (corrects !== null) return words.correctIt;
  const count = whole(messagesOf(document));
  return document.reminders === null ? words.launchTo(count) : words.launchReminders(count);
}

function refuseForm(frame: Frame, { preparation, errors }: LaunchPage): Html {
  const { newCampaign: words } = frame.words;
  const more = html` maxlength="${MOST_REASON_CHARS}" required`;
  return html`<section aria-labelledby="refuse"><h2 id="refuse">${words.refuse}</h2>
<form class="form" method="post" action="${addressOf(preparation.id, 'refuse')}">${csrfField(frame)}<input type="hidden" name="revision" value="${preparation.revision}">
${inputField({ id: 'reason', label: words.refuseReason, hint: words.refuseHint, errors, value: '', width: 'w3', more })}
<div class="actions"><button>${words.refuseButton}</button></div>
</form></section>`;
}

type Ticked = (typeof TICKED)[number];

/** What a person says with a tick; the number of those who are canceled is that of the plan that the digest names. */
function questionWords(
  { words: { newCampaign: words } }: Frame,
  question: Ticked,
  { reminders }: PlanDocument,
): string {
  if (question !== 'cancel_missing') return words.questions[question];
  const { missing = 0, open = 0 } = reminders?.upload ?? {};
  return words.questions.cancel_missing(whole(missing), whole(open));
}

function questionField(
  { words: { newCampaign: words } }: Frame,
  { question, label }: { question: Ticked; label: string },
  errors: readonly FieldError[],
): Html {
  const wrong = errors.find(({ field }) => field === question);
  return html`<div${wrong && html` class="wrong"`}>${wrong && html`<p class="error">${wrong.message}</p>`}
<div class="choice"><input id="${question}" type="checkbox" name="${question}" value="true" aria-describedby="${question}-hint"><label for="${question}"><b>${label}</b></label><p class="hint" id="${question}-hint">${words.questions[`${question}_hint`]}</p></div></div>`;
}

function exampleOf(
  frame: Frame,
  { appended }: LaunchPage,
  { examples, campaign }: PlanDocument,
): Html | null {
  const [first] = examples;
  if (first === undefined) return null;
  return phoneOf(frame, { text: first.text, appended, segments: first.segments, sender: campaign.sender });
}
