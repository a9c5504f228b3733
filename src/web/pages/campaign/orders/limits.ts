import { formatMoney, grouped, parseAmount } from '../../../../domain/money.ts';
import { parseRate, rateWords } from '../../../../domain/pace/rate.ts';
import { legalOrder, waitingOf } from '../../../../campaign/operator/legal-orders.ts';
import { setRate } from '../../../../campaign/operator/orders.ts';
import { resumeCampaign } from '../../../../campaign/operator/resume.ts';
import type { Frame } from '../../../frame.ts';
import { textField } from '../../../views/field.ts';
import { html, type Html } from '../../../views/html.ts';
import type { FieldError } from '../../../views/notice.ts';
import { moneyOf, plainMoney, rateOf } from '../../../views/amounts.ts';
import { type Asked, orderForm, type OrderPage, sumTable } from './order-page.ts';

/** A higher budget; it lets a campaign go on that used up the old one. */
export const budgetPage: OrderPage = {
  path: 'budget',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { overview } = asked.now;
    const { campaign, reason } = overview;
    if (legalOrder(asked.now.orders, 'budget') === null) return null;
    return orderForm(frame, asked, {
      page: budgetPage,
      title: words.budgetTitle(campaign.name),
      what: budgetSum(frame, asked),
      fields: textField(frame, {
        name: 'budget',
        label: words.budgetField(campaign.settings.currency),
        hint: words.budgetHint,
        value: asked.fields['budget'] ?? '',
        errors: asked.errors,
        width: 'w2',
        required: true,
        inputMode: 'decimal',
      }),
      button: reason === 'budget' ? words.budgetButton : words.budgetButtonRunning,
    });
  },
  // While it is sent the number falls by itself, and only a higher budget was decided.
  count: ({ now: { overview } }) => waitingOf(overview),
  mayShrink: true,
  check: ({ words }, { now, fields }) => budgetErrors(words.orders, now, fields),
  act: (order, { fields, now }) => {
    const budgetMicro = parseAmount(fields['budget'] ?? '', now.overview.campaign.settings.currency);
    return resumeCampaign({ ...order, sender: null, budgetMicro });
  },
};

function budgetErrors(
  words: Frame['words']['orders'],
  { overview: { campaign, budgetMicro } }: Asked['now'],
  fields: Asked['fields'],
): FieldError[] {
  const amount = parseAmount(fields['budget'] ?? '', campaign.settings.currency);
  if (amount === null) return [{ field: 'budget', message: words.budgetWrong }];
  if (budgetMicro !== null && amount <= budgetMicro)
    return [{ field: 'budget', message: words.budgetLow(moneyOf(campaign, budgetMicro)) }];
  return [];
}

/** What was spent, and what the rest costs: the budget that lets all of it go. */
function budgetSum({ words: { orders: words, campaign: names } }: Frame, { now: { overview } }: Asked): Html {
  const { spentMicro, leftMicro = null, budgetMicro, campaign } = overview;
  const { currency } = campaign.settings;
  const now = html`<p>${words.budgetNow}: <b>${moneyOf(campaign, budgetMicro ?? 0)}</b></p>`;
  if (leftMicro === null) return html`${now}<p>${words.spent}: <b>${moneyOf(campaign, spentMicro)}</b></p>`;
  return html`${now}${sumTable(
    words.willHappen,
    [
      [words.spent, plainMoney(spentMicro)],
      [words.rest, plainMoney(leftMicro)],
    ],
    [`${names.estimate}, ${currency}`, grouped(formatMoney(spentMicro + leftMicro))],
  )}`;
}

const UNITS = ['s', 'min', 'h'] as const;

/** The highest speed of a campaign; the account's holds besides. */
export const ratePage: OrderPage = {
  path: 'rate',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { overview, look } = asked.now;
    const order = legalOrder(asked.now.orders, 'rate');
    if (order === null) return null;
    const is = order.perSecond === null ? words.rateFreeNow : words.rateNow(rateOf(frame, order.perSecond));
    const account = look.accountRate === null ? null : words.rateAccount(rateOf(frame, look.accountRate));
    return orderForm(frame, asked, {
      page: ratePage,
      title: words.rateTitle(overview.campaign.name),
      what: html`<p>${is} ${account}</p>`,
      fields: rateFields(frame, asked, order.perSecond),
      button: words.rateButton,
    });
  },
  count: () => null,
  check({ words }, { fields }) {
    return rateOfFields(fields) === null ? [{ field: 'number', message: words.orders.rateWrong }] : [];
  },
  act: (order, { fields }) => setRate({ ...order, ratePerSecond: rateOfFields(fields)?.perSecond ?? null }),
};

/** Null: it is no rate. */
function rateOfFields({ limit, number = '', unit = 's' }: Asked['fields']): ReturnType<typeof parseRate> {
  return parseRate(limit === 'none' ? 'unlimited' : `${number.trim()}/${unit}`);
}

function rateFields(frame: Frame, { fields, errors }: Asked, perSecond: number | null): Html {
  const { orders: words } = frame.words;
  const [number = '', unit = 's'] = perSecond === null ? [] : rateWords(perSecond).split('/');
  const isFree = (fields['limit'] ?? (perSecond === null ? 'none' : 'some')) === 'none';
  const chosen = fields['unit'] ?? unit;
  return html`<div class="choice"><input id="limited" type="radio" name="limit" value="some"${!isFree && html` checked`}><label for="limited">${words.rateLimited}</label></div>
<div class="inner row">${textField(frame, { name: 'number', label: words.rateNumber, value: fields['number'] ?? number, errors, width: 'w1', inputMode: 'decimal' })}
<div><label for="unit">${words.ratePer}</label><select class="w1" id="unit" name="unit">${UNITS.map(
    (each) =>
      html`<option value="${each}"${each === chosen && html` selected`}>${words.rateUnits[each]}</option>`,
  )}</select></div></div>
<div class="choice"><input id="free" type="radio" name="limit" value="none"${isFree && html` checked`}><label for="free">${words.rateFree}</label></div>`;
}
