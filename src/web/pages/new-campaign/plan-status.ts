import type { Preparation, PreparationPlan } from '../../../campaign/prepare/preparation.ts';
import { whole } from '../../../domain/money.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { notice } from '../../views/notice.ts';
import { addressOf } from './steps.ts';

/** Why a plan is not there: it is being made, it failed, the campaign exists, or nobody asked for one. */
export function planStatus(frame: Frame, preparation: Preparation): Html {
  const { newCampaign: words } = frame.words;
  const { plan } = preparation;
  if (plan === null)
    return html`${notice({ look: 'info', title: words.planNone })}
<form method="post" action="${addressOf(preparation.id, 'plan')}"><input type="hidden" name="_csrf" value="${frame.csrf}"><input type="hidden" name="revision" value="${preparation.revision}"><p class="actions"><button class="primary">${words.planMake}</button></p></form>`;
  return planNotice(frame, plan);
}

function planNotice(frame: Frame, plan: PreparationPlan): Html {
  const { newCampaign: words } = frame.words;
  if (plan.planning === 'running')
    return html`<div class="notice" role="status">${icon('scheduled')}<div><h2>${plan.what === 'launch' ? words.launching : words.planning}</h2><p>${words.planningRows(whole(plan.rows))} ${words.planningHelp}</p></div></div>`;
  if (plan.planning === 'failed')
    return notice({
      look: 'bad',
      title: words.planFailed,
      text: html`${plan.message} ${plan.hint}${plan.where !== null && html`<br>${words.planWhere}<code>${plan.where}</code>`}`,
    });
  if (plan.planning === 'known')
    return notice({
      look: 'warn',
      title: words.planKnown,
      text: plan.settled ? words.planKnownSettled : words.planKnownOpen,
      action: html`<a class="button" href="/campaigns/${plan.campaign}">${words.toCampaign}</a>`,
    });
  return html``;
}
