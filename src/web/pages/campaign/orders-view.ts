import { whole } from '../../../domain/money.ts';
import type { LegalOrder } from '../../../campaign/operator/legal-orders.ts';
import type { Frame } from '../../frame.ts';
import { type Content, html, type Html } from '../../views/html.ts';
import { icon } from '../../views/icons.ts';
import { csrfField } from '../../views/layout.ts';
import { timeWords } from '../../views/time.ts';
import { isAllowed } from '../../who.ts';
import type { CampaignNow } from './campaign-now.ts';
import { moneyOf, rateOf, waitingWords } from '../../views/amounts.ts';

/** What may be done with a campaign now, and what each order will do. A viewer may do nothing. */
export function ordersView(frame: Frame, now: CampaignNow): Html {
  const { campaign: words } = frame.words;
  const buttons = isAllowed(frame.who, 'operator')
    ? now.orders.map((order) => buttonOf(frame, now, order))
    : [];
  const shown = buttons.filter((button) => button !== null);
  if (shown.length === 0) return html`<section id="live-orders" hidden></section>`;
  return html`<section id="live-orders" aria-labelledby="do"><h2 id="do">${words.do}</h2>
<div class="verbs">
${shown.map(
  (button) => html`<div>${button}</div>
`,
)}</div></section>`;
}

/** The button of each order, and what it does. Uncertain messages are decided in their own section. */
const BUTTONS: {
  [Verb in LegalOrder['verb']]: (frame: Frame, now: CampaignNow, order: Of<Verb>) => Html | null;
} = {
  pause: pauseButton,
  resume: resumeButton,
  budget: ({ words: { campaign } }, now, { isMicro }) =>
    link(now, {
      to: 'budget',
      words: campaign.orders.budget,
      does: campaign.orders.budgetDoes(moneyOf(now.overview.campaign, isMicro)),
    }),
  rate: (frame, now, { perSecond }) =>
    link(now, { to: 'rate', words: frame.words.campaign.orders.rate, does: rateDoes(frame, now, perSecond) }),
  retry: (frame, now, order) =>
    link(now, {
      to: 'retry',
      words: frame.words.campaign.orders.retry(whole(order.messages)),
      does: retryDoes(frame, now, order),
    }),
  skip: (frame, now, { at }) => {
    const { orders: words } = frame.words.campaign;
    const when = timeWords(frame, at, now.overview.campaign.settings.zone);
    return link(now, { to: 'skip', words: words.skip, does: words.skipDoes(when) });
  },
  cancel_person: ({ words: { campaign } }, now) =>
    link(now, { to: 'people', words: campaign.orders.cancelPerson, does: campaign.orders.cancelPersonDoes }),
  cancel: (frame, now, { waiting }) => cancelButton(frame, now, waiting),
  resolve: () => null,
};

function buttonOf<Verb extends LegalOrder['verb']>(
  frame: Frame,
  now: CampaignNow,
  order: Of<Verb> & { verb: Verb },
) {
  return BUTTONS[order.verb](frame, now, order);
}

type Of<Verb extends LegalOrder['verb']> = Extract<LegalOrder, { verb: Verb }>;

/** A pause harms nobody and can be taken back at once, so it asks no question. */
function pauseButton(frame: Frame, { overview }: CampaignNow, { waiting }: Of<'pause'>): Html {
  const { orders: words } = frame.words.campaign;
  const { campaign, state } = overview;
  const isPaused = state === 'paused';
  const does =
    state === 'scheduled'
      ? words.pauseBefore
      : isPaused
        ? words.holdDoes
        : words.pauseDoes(waitingWords(frame, campaign, waiting));
  return html`<form method="post" action="/campaigns/${campaign.id}/pause">${csrfField(frame)}<button>${icon('paused')} ${isPaused ? words.hold : words.pause}</button></form><small>${does}</small>`;
}

function resumeButton(frame: Frame, now: CampaignNow, { waiting, needs }: Of<'resume'>): Html | null {
  const { orders: words } = frame.words.campaign;
  const { campaign, reason, cutOffAt } = now.overview;
  // The raised budget lets it go on: that order stands beside.
  if (needs === 'budget') return null;
  const people = words.resumeDoes(waitingWords(frame, campaign, waiting));
  if (needs === 'sender')
    return link(now, { to: 'resume', words: words.otherSender, does: words.otherSenderDoes });
  if (reason === 'balance')
    return link(now, { to: 'resume', words: words.retryBalance, does: words.retryBalanceDoes });
  const isRest = reason === 'canary' || cutOffAt !== undefined;
  return link(now, { to: 'resume', words: isRest ? words.sendAll : words.resume, does: people });
}

function rateDoes(frame: Frame, { look }: CampaignNow, perSecond: number | null): string {
  const { orders: words } = frame.words.campaign;
  const is = perSecond === null ? words.rateFree : words.rateNow(rateOf(frame, perSecond));
  return look.accountRate === null ? is : `${is} ${words.rateAccount(rateOf(frame, look.accountRate))}`;
}

function retryDoes(
  { words: { campaign } }: Frame,
  { overview }: CampaignNow,
  { costMicro }: Of<'retry'>,
): string {
  const { orders: words } = campaign;
  return costMicro === null
    ? words.retryDoes
    : `${words.retryDoes} ${words.cost(moneyOf(overview.campaign, costMicro))}`;
}

function cancelButton(frame: Frame, now: CampaignNow, waiting: number): Html {
  const { orders: words } = frame.words.campaign;
  const { campaign } = now.overview;
  const does =
    campaign.settings.every === undefined
      ? words.cancelDoes(waitingWords(frame, campaign, waiting))
      : words.cancelRecurring;
  return link(now, { to: 'cancel', words: words.cancel, does, look: 'button danger' });
}

interface OrderLink {
  to: string;
  words: Content;
  does: string;
  look?: string;
}

function link(
  { overview: { campaign } }: CampaignNow,
  { to, words, does, look = 'button' }: OrderLink,
): Html {
  return html`<a class="${look}" href="/campaigns/${campaign.id}/${to}">${words}</a><small>${does}</small>`;
}
