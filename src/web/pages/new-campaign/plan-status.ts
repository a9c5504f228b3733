import type { Preparation, PreparationPart, PreparationPlan } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { buttonForm, notice } from '../../views/notice.ts';
import { problemText } from '../../views/problem.ts';
import { addressOf, type Step } from './steps.ts';

/** Why a plan is not there, and the button that makes it: nobody asked for one, it is being made, it failed, or it is a campaign. */
export function planStatus(frame: Frame, preparation: Preparation): Html {
  const { newCampaign: words } = frame.words;
  const { plan, id, revision } = preparation;
  const button = (label: string) => {
    const fields = { revision: String(revision) };
    return buttonForm(frame, { action: addressOf(id, 'plan'), words: label, look: 'primary', fields });
  };
  if (plan === null)
    return html`${notice({ look: 'info', title: words.planNone })}
${button(words.planMake)}`;
  if (plan.planning === 'failed' && preparation.missing.length > 0) return missingParts(frame, preparation);
  return html`${planNotice(frame, plan)}
${plan.planning === 'failed' && button(words.forecastAgain)}`;
}

/** The fields that are still empty, each with the way to it. */
function missingParts({ words: { newCampaign: words } }: Frame, { id, missing }: Preparation): Html {
  const text = missing.map(
    (part, index) =>
      html`${index > 0 && html`<br>`}<a href="${addressOf(id, STEP_OF[part])}">${words.missingParts[part]}</a>`,
  );
  return notice({ look: 'bad', title: words.planFailed, text });
}

/** Where each part is typed. */
const STEP_OF: Readonly<Record<PreparationPart, Step>> = {
  name: 'contacts',
  kind: 'contacts',
  contacts: 'contacts',
  message: 'message',
  sender: 'message',
};

/** Why a plan cannot be shown. */
export function planNotice(frame: Frame, plan: PreparationPlan): Html | null {
  const { newCampaign: words } = frame.words;
  if (plan.planning === 'running')
    return html`<div class="notice" role="status">${icon('scheduled')}<div><h2>${plan.what === 'launch' ? words.launching : words.planning}</h2><p>${words.planningRows(whole(plan.rows))} ${words.planningHelp}</p></div></div>`;
  if (plan.planning === 'failed')
    return notice({ look: 'bad', title: words.planFailed, text: failureWords(frame, plan) });
  if (plan.planning === 'known')
    return notice({
      look: 'warn',
      title: words.planKnown,
      text: plan.settled ? words.planKnownSettled : words.planKnownOpen,
      action: html`<a class="button" href="/campaigns/${plan.campaign}">${words.toCampaign}</a>`,
    });
  return null;
}

/** A place in the list helps; nobody has seen the job that the steps write. */
function failureWords(frame: Frame, failed: Extract<PreparationPlan, { planning: 'failed' }>): Html {
  const { newCampaign: words } = frame.words;
  const { where } = failed;
  const isShown = where !== null && !where.startsWith('job:');
  return html`${problemText(frame, failed)}${isShown && html`<br>${words.planWhere}<code>${where}</code>`}`;
}
