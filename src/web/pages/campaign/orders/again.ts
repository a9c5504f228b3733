import { whole } from '../../../../domain/money.ts';
import { costOf, legalOrder } from '../../../../campaign/operator/legal-orders.ts';
import { retryRejected } from '../../../../campaign/operator/orders.ts';
import { resolveUncertain } from '../../../../campaign/operator/resolve.ts';
import { printableLine } from '../../../../domain/text/printable.ts';
import type { Resolution } from '../../../../ledger/records.ts';
import type { Frame } from '../../../frame.ts';
import { html, type Html } from '../../../views/html.ts';
import { timeWords } from '../../../views/time.ts';
import { moneyOf } from '../shown.ts';
import { type Asked, orderForm, type OrderPage, sumTable } from './order-page.ts';

/** Rejected messages that a retry can help are queued again: all, or those of one reason. */
export const retryPage: OrderPage = {
  path: 'retry',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { campaign } = asked.now.overview;
    const messages = retried(asked);
    if (messages <= 0 || legalOrder(asked.now.orders, 'retry') === null) return null;
    const { named, tooYoung } = asked.now.leftOut;
    return orderForm(frame, asked, {
      page: retryPage,
      title: words.retryTitle(whole(messages)),
      what: html`<p>${words.retryText}</p>
${retrySum(frame, asked)}
${named > 0 && html`<p>${words.retryNamed(whole(named))}</p>`}${tooYoung > 0 && html`<p>${words.retryYoung(whole(tooYoung))}</p>`}
${campaign.settings.remind !== undefined && html`<p>${words.reminders}</p>`}
${retryCost(frame, asked)}`,
      hidden: asked.fields['reason'] === undefined ? {} : { reason: asked.fields['reason'] },
      button: words.retryButton(whole(messages)),
    });
  },
  count: retried,
  check: () => [],
  act: (order, { fields }, { config }) =>
    retryRejected({ ...order, reason: fields['reason'] ?? null, resolveAfterMs: config.resolveAfterMs }),
  after: '#live-failed',
};

/** The reasons that are meant, with their counts. */
function reasonsOf({ now, fields }: Asked): { reason: string; count: number }[] {
  const { reason } = fields;
  return now.tallies.reasons.filter(
    (each) =>
      each.state === 'rejected' &&
      (reason === undefined ? each.retryHelps : each.reason.toLowerCase() === reason.toLowerCase()),
  );
}

function retried(asked: Asked): number {
  const { named, tooYoung } = asked.now.leftOut;
  return reasonsOf(asked).reduce((sum, { count }) => sum + count, 0) - named - tooYoung;
}

function retrySum({ words: { orders: words, campaign } }: Frame, asked: Asked): Html {
  const { named, tooYoung } = asked.now.leftOut;
  const rows = reasonsOf(asked).map(
    ({ reason, count }) => [reason === '' ? campaign.noReason : printableLine(reason), whole(count)] as const,
  );
  const less = named + tooYoung > 0 ? [[`− ${campaign.leftOut}`, whole(named + tooYoung)] as const] : [];
  return sumTable(words.retryReason, [...rows, ...less], [words.messages, whole(retried(asked))]);
}

function retryCost({ words }: Frame, asked: Asked): Html | null {
  const { overview } = asked.now;
  const costMicro = costOf(overview, retried(asked));
  if (costMicro === null) return null;
  return html`<p>${words.orders.costs(moneyOf(overview.campaign, costMicro))}</p>`;
}

type Decision = Resolution['decision'];

/** What a person says about all open uncertain messages. */
export const resolvePage: OrderPage = {
  path: 'resolve',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const decision = decisionOf(asked);
    const count = resolved(asked);
    if (decision === null || count === null || count === 0) return null;
    return orderForm(frame, asked, {
      page: resolvePage,
      title: words.resolveTitle[decision](whole(count)),
      what:
        decision === 'not_sent' ? notSentWarning(frame, asked) : html`<p>${words.resolveText[decision]}</p>`,
      hidden: { decision },
      button: words.resolveButton[decision](whole(count)),
      look: decision === 'not_sent' ? 'danger' : 'primary',
    });
  },
  count: resolved,
  check: () => [],
  act: (order, asked, { config }) =>
    resolveUncertain({
      ...order,
      decision: decisionOf(asked) ?? 'write_off',
      line: null,
      mobile: null,
      resolveAfterMs: config.resolveAfterMs,
    }),
  after: '#live-uncertain',
};

/** What can go wrong, and who is left out. */
function notSentWarning(frame: Frame, { now }: Asked): Html {
  const { orders: words } = frame.words;
  const order = legalOrder(now.orders, 'resolve');
  const from = order?.from ?? null;
  const young = order === null ? 0 : order.messages - order.again;
  const { zone } = now.overview.campaign.settings;
  return html`<p class="bad">${words.resolveText.not_sent}</p>
${from !== null && young > 0 && html`<p>${words.resolveYoung(whole(young), timeWords(frame, from, zone))}</p>`}
<p>${words.resolveNamed}</p>`;
}

function decisionOf({ fields: { decision } }: Asked): Decision | null {
  return decision === 'sent' || decision === 'not_sent' || decision === 'write_off' ? decision : null;
}

/** `not_sent` means only those that are old enough. */
function resolved(asked: Asked): number | null {
  const order = legalOrder(asked.now.orders, 'resolve');
  if (order === null) return null;
  return decisionOf(asked) === 'not_sent' ? order.again : order.messages;
}
