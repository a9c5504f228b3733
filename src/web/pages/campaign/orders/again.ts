import { whole } from '../../../../domain/money.ts';
import { costOf, legalOrder, reasonsToRetry, toRetry } from '../../../../campaign/operator/legal-orders.ts';
import { retryRejected } from '../../../../campaign/operator/orders.ts';
import { resolveUncertain } from '../../../../campaign/operator/resolve.ts';
import { printableLine } from '../../../../domain/text/printable.ts';
import type { UncertainRow } from '../../../../ledger/contracts/reader.ts';
import type { Resolution } from '../../../../ledger/contracts/records.ts';
import type { Frame } from '../../../frame.ts';
import { html, type Html } from '../../../views/html.ts';
import { timeWords } from '../../../views/time.ts';
import { moneyOf } from '../../../views/amounts.ts';
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

function retried({ now, fields }: Asked): number {
  return toRetry(now.tallies.reasons, now.leftOut, fields['reason'] ?? null);
}

function retrySum({ words: { orders: words, campaign } }: Frame, asked: Asked): Html {
  const { named, tooYoung } = asked.now.leftOut;
  const rows = reasonsToRetry(asked.now.tallies.reasons, asked.fields['reason'] ?? null).map(
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
      hidden: { decision, ...(asked.fields['seq'] === undefined ? {} : { seq: asked.fields['seq'] }) },
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
      line: oneOf(asked)?.line ?? null,
      mobile: oneOf(asked)?.mobile ?? null,
      resolveAfterMs: config.resolveAfterMs,
    }),
  after: '#live-uncertain',
};

/** What can go wrong, and who is left out. */
function notSentWarning(frame: Frame, { now, fields }: Asked): Html {
  const { orders: words } = frame.words;
  const order = legalOrder(now.orders, 'resolve');
  const from = order?.from ?? null;
  const isOne = fields['seq'] !== undefined;
  const young = order === null || isOne ? 0 : order.messages - order.again;
  const { zone } = now.overview.campaign.settings;
  return html`<p class="bad">${words.resolveText.not_sent}</p>
${from !== null && young > 0 && html`<p>${words.resolveYoung(whole(young), timeWords(frame, from, zone))}</p>`}
${!isOne && html`<p>${words.resolveNamed}</p>`}`;
}

function decisionOf({ fields: { decision } }: Asked): Decision | null {
  return decision === 'sent' || decision === 'not_sent' || decision === 'write_off' ? decision : null;
}

/** The only message that is meant; null: all are. */
function oneOf({ now, fields: { seq } }: Asked): UncertainRow | null {
  return now.uncertain.rows.find((row) => String(row.seq) === seq && !row.writtenOff) ?? null;
}

/** `not_sent` means only those that are old enough. A message that is decided by now is none. */
function resolved(asked: Asked): number | null {
  const order = legalOrder(asked.now.orders, 'resolve');
  if (order === null) return null;
  const isAgain = decisionOf(asked) === 'not_sent';
  if (asked.fields['seq'] === undefined) return isAgain ? order.again : order.messages;
  const one = oneOf(asked);
  if (one === null) return 0;
  const isYoung = one.settledAt + asked.now.resolveAfterMs > asked.now.now;
  return isAgain && (isYoung || asked.now.overview.state === 'canceled') ? 0 : 1;
}
