import type { Preparation } from '../../../campaign/prepare/preparation.ts';
import type { Frame } from '../../frame.ts';
import { html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { dayOf } from './moments.ts';

/** The steps to a campaign, in order; each has an address of its own. */
export const STEPS = ['contacts', 'message', 'when', 'check', 'launch'] as const;
/** One of STEPS. */
export type Step = (typeof STEPS)[number];

/** Where a preparation begins. */
export const NEW_CAMPAIGN = '/campaigns/new';

/** The address of a step, or of something else of a preparation. */
export function addressOf(id: string, place: string): string {
  return `${NEW_CAMPAIGN}/${encodeURIComponent(id)}/${place}`;
}

/** The head of a step: where it is on the way, and the way back to those before it. Null: nothing is kept yet. */
export function stepHeader(frame: Frame, preparation: Preparation | null, step: Step): Html {
  const { campaigns, newCampaign: words } = frame.words;
  const name = preparation?.job.name ?? '';
  return html`<header>
<p class="crumb"><a href="/campaigns">${campaigns.title}</a></p>
<h1>${words.titles[step]}</h1>
<p class="soft">${words.newCampaign} ${name === '' ? words.noName : html`<b>${name}</b>`}, ${words.place(STEPS.indexOf(step) + 1)}${
    preparation !== null && html` ${words.keptUntil(dayOf(frame, preparation.endsAt))}`
  }</p>
<ol class="steps">
${STEPS.map((each) => stepOf(frame, preparation, { each, step }))}</ol>
</header>`;
}

function stepOf(
  { words: { newCampaign: words } }: Frame,
  preparation: Preparation | null,
  { each, step }: { each: Step; step: Step },
): Html {
  const [at, present] = [STEPS.indexOf(each), STEPS.indexOf(step)];
  const label = `${at + 1}. ${words.steps[each]}`;
  if (at === present)
    return html`<li aria-current="step">${label}</li>
`;
  if (at > present || preparation === null)
    return html`<li><span>${label}</span></li>
`;
  return html`<li class="done"><a href="${addressOf(preparation.id, each)}"><span>${label}</span></a> <span>${icon('done')}<span class="hear">${words.done}</span></span></li>
`;
}
