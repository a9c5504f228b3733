import { whole } from '../../../../domain/money.ts';
import { totalOf } from '../../../../domain/message.ts';
import { JOB_LIMITS } from '../../../../domain/job.ts';
import { sendingHours } from '../../../../domain/time/window.ts';
import { legalOrder } from '../../../../campaign/operator/legal-orders.ts';
import { cancelCampaign, pauseCampaign } from '../../../../campaign/operator/orders.ts';
import { resumeCampaign } from '../../../../campaign/operator/resume.ts';
import { skipFiring } from '../../../../campaign/operator/skip-firing.ts';
import type { Frame } from '../../../frame.ts';
import { textField } from '../../../views/field.ts';
import { html, type Html } from '../../../views/html.ts';
import { timeWords } from '../../../views/time.ts';
import { countedOf, moneyOf, waitingWords } from '../../../views/amounts.ts';
import { type Asked, orderForm, type OrderPage, sumTable, type SumRow } from './order-page.ts';

/** A pause asks no question. */
export const pausePage: OrderPage = {
  path: 'pause',
  ask(frame, asked) {
    const { campaign: words } = frame.words;
    const order = legalOrder(asked.now.orders, 'pause');
    if (order === null) return null;
    const waiting = waitingWords(frame, asked.now.overview.campaign, order.waiting);
    return orderForm(frame, asked, {
      page: pausePage,
      title: words.orders.pause,
      what: html`<p>${words.orders.pauseDoes(waiting)}</p>`,
      button: words.orders.pause,
    });
  },
  count: () => null,
  isAtOnce: true,
  check: () => [],
  act: (order) => pauseCampaign(order),
};

/** A paused campaign goes on, under another sender where this one was refused. */
export const resumePage: OrderPage = {
  path: 'resume',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { overview } = asked.now;
    const order = legalOrder(asked.now.orders, 'resume');
    if (order === null || order.needs === 'budget') return null;
    return orderForm(frame, asked, {
      page: resumePage,
      title: words.resumeTitle(overview.campaign.name),
      what: goesOn(frame, asked),
      fields: order.needs === 'sender' && senderField(frame, asked),
      button: waitsAgain(asked)
        ? frame.words.campaign.orders.resume.replace('…', '')
        : words.resumeButton[countedOf(overview.campaign)](
            waitingWords(frame, overview.campaign, order.waiting),
          ),
    });
  },
  count: ({ now }) => legalOrder(now.orders, 'resume')?.waiting ?? null,
  check({ words }, { now, fields }) {
    if (legalOrder(now.orders, 'resume')?.needs !== 'sender' || senderOf(fields) !== null) return [];
    return [{ field: 'sender', message: words.orders.senderWrong }];
  },
  act: (order, { now, fields }) => {
    const needs = legalOrder(now.orders, 'resume')?.needs;
    return resumeCampaign({
      ...order,
      sender: needs === 'sender' ? senderOf(fields) : null,
      budgetMicro: null,
    });
  },
};

/** A recurring job waits for its next moment, and a campaign that was paused before its start for that. */
function waitsAgain({ now: { overview, now } }: Asked): boolean {
  const { settings, startAt } = overview.campaign;
  return settings.every !== undefined || (startAt !== null && startAt > now);
}

/** Who gets it, what it costs, and when it begins. */
function goesOn(frame: Frame, asked: Asked): Html {
  const { orders: words } = frame.words;
  const { settings, startAt } = asked.now.overview.campaign;
  const { window, zone } = settings;
  if (settings.every !== undefined) return html`<p>${words.resumeWaits}</p>`;
  const hours = sendingHours(window, zone, asked.now.now);
  const when =
    startAt !== null && startAt > asked.now.now
      ? words.resumeStarts(timeWords(frame, startAt, zone))
      : hours.open
        ? null
        : words.resumeHours(timeWords(frame, hours.opensAt, zone));
  return html`${sumOf(frame, asked, 'get')}${costOf(frame, asked)}${when !== null && html`<p>${when}</p>`}`;
}

function senderField(frame: Frame, { fields, errors }: Asked): Html {
  const { orders: words } = frame.words;
  return textField(frame, {
    name: 'sender',
    label: words.sender,
    hint: words.senderHint,
    value: fields['sender'] ?? '',
    errors,
    width: 'w2',
    required: true,
  });
}

/** As `--sender` takes it; null: it is none. */
function senderOf(fields: Asked['fields']): string | null {
  const sender = (fields['sender'] ?? '').trim();
  return /^\P{Cc}+$/u.test(sender) && sender.length <= JOB_LIMITS.senderLength ? sender : null;
}

/** All of the campaign by what the order does to them: people, or messages where one may get several. */
function sumOf(frame: Frame, { now: { overview } }: Asked, waiting: 'never' | 'get'): Html {
  const { orders: words } = frame.words;
  const { messages, campaign } = overview;
  const counted = countedOf(campaign);
  const rows: SumRow[] = [
    [words.have[counted], whole(messages.sent)],
    ...(messages.sending > 0 ? [[words.wire, whole(messages.sending)] as const] : []),
    [words[waiting][counted], whole(messages.queued)],
    ...(messages.rejected + messages.uncertain > 0
      ? [[words.asNow, whole(messages.rejected + messages.uncertain)] as const]
      : []),
    ...(messages.skipped + messages.canceled > 0
      ? [[words.leftOut, whole(messages.skipped + messages.canceled)] as const]
      : []),
  ];
  return sumTable(words.willHappen, rows, [words.all[counted], whole(totalOf(overview))]);
}

/** What the rest costs, where a price is known. */
function costOf({ words }: Frame, { now: { overview } }: Asked): Html | null {
  const { leftMicro = null, campaign } = overview;
  if (leftMicro === null) return null;
  return html`<p>${words.orders.costs(moneyOf(campaign, leftMicro))}</p>`;
}

/** A cancel cannot be taken back, so the name is typed. */
export const cancelPage: OrderPage = {
  path: 'cancel',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { campaign } = asked.now.overview;
    const order = legalOrder(asked.now.orders, 'cancel');
    if (order === null) return null;
    const people = waitingWords(frame, campaign, asked.now.overview.messages.queued);
    const recurs = campaign.settings.every !== undefined;
    return orderForm(frame, asked, {
      page: cancelPage,
      title: words.cancelTitle(campaign.name),
      what: html`${!recurs && sumOf(frame, asked, 'never')}
<p>${recurs ? words.cancelRecurringText : words.cancelText(people)} <a href="/campaigns/${campaign.id}#do">${words.pauseInstead}</a></p>`,
      fields: textField(frame, {
        name: 'name',
        label: words.typeName,
        hint: campaign.name,
        value: asked.fields['name'] ?? '',
        errors: asked.errors,
        required: true,
      }),
      button: recurs ? words.cancelRecurringButton : words.cancelButton[countedOf(campaign)](people),
      look: 'danger',
      keep: asked.now.overview.state === 'running' ? words.keepRunning : words.keep,
    });
  },
  count: ({ now: { overview } }) => overview.messages.queued,
  mayShrink: true,
  check({ words }, { now, fields }) {
    const isName = (fields['name'] ?? '').trim() === now.overview.campaign.name.trim();
    return isName ? [] : [{ field: 'name', message: words.orders.wrongName }];
  },
  act: (order) => cancelCampaign(order),
};

/** The next moment of a recurring job is left out: the one that was shown, in milliseconds. */
export const skipPage: OrderPage = {
  path: 'skip',
  ask(frame, asked) {
    const { orders: words } = frame.words;
    const { campaign } = asked.now.overview;
    const order = legalOrder(asked.now.orders, 'skip');
    if (order === null) return null;
    return orderForm(frame, asked, {
      page: skipPage,
      title: words.skipTitle(campaign.name),
      what: html`<p>${words.skipText(timeWords(frame, order.at, campaign.settings.zone))}</p>`,
      hidden: { at: String(order.at) },
      button: words.skipButton,
    });
  },
  count: () => null,
  check: () => [],
  act: (order, { fields }) => skipFiring({ ...order, nextAt: Number(fields['at']) }),
};
