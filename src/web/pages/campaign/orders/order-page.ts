import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Order } from '../../../../campaign/operator/orders.ts';
import { whole } from '../../../../domain/money.ts';
import { fieldsOf } from '../../../form-fields.ts';
import { frameOf, type Frame } from '../../../frame.ts';
import { sendPage } from '../../../send-page.ts';
import { type Content, html, type Html } from '../../../views/html.ts';
import { csrfField } from '../../../views/layout.ts';
import { errorSummary, type FieldError, notice } from '../../../views/notice.ts';
import type { WebEnv } from '../../../web-env.ts';
import { auditName } from '../../../who.ts';
import { type CampaignOrders, lookAtOrders } from '../../../campaign-orders.ts';

/** What a person is asked, or has answered. */
export interface Asked {
  now: CampaignOrders;
  /** Of the address, and of the form. */
  fields: Readonly<Record<string, string>>;
  errors: readonly FieldError[];
  /** The count that was shown, where another one holds now; null: the same. */
  was: number | null;
}

/** A page that asks before an order is given. */
export interface OrderPage {
  /** The last part of its address: `/campaigns/ID/cancel`. */
  path: string;
  /** The page, and the count that it shows; null: the order is not legal now. */
  ask(frame: Frame, asked: Asked): { title: string; main: Html } | null;
  /** How many people or messages the order is about: what was shown must still be so. Null: the order has no count. */
  count(asked: Asked): number | null;
  /** True: fewer than were shown may be meant, because sending goes on while the person decides. */
  mayShrink?: boolean;
  /** True: it harms nobody and can be taken back at once, so nobody is asked; there is only the order. */
  isAtOnce?: boolean;
  /** What is wrong with the answer; empty: nothing. */
  check(frame: Frame, asked: Asked): FieldError[];
  act(order: Order, asked: Asked, env: WebEnv): Promise<unknown>;
  /** Where the person is afterwards, below the campaign's page. */
  after?: string;
}

/** The page of an order by GET, where one asks, and the order itself by POST. */
export function orderRoutes(app: FastifyInstance, env: WebEnv, page: OrderPage): void {
  const path = `/campaigns/:id/${page.path}`;
  app.post(path, { config: { may: 'operator' } }, async (request, reply) => {
    const fields = fieldsOf(request);
    const now = await lookAtOrders(env, idOf(request), fields['reason'] ?? null);
    const asked = { now, fields, errors: [], was: null };
    return give(request, reply, { env, page, asked });
  });
  if (page.isAtOnce === true) return;
  app.get(path, { config: { may: 'operator' } }, async (request, reply) => {
    const fields = fieldsOf(request);
    const now = await lookAtOrders(env, idOf(request), fields['reason'] ?? null);
    const asked = { now, fields, errors: [], was: null };
    return send(reply, await frameOf(request, reply, env), { page, asked, status: 200 });
  });
}

function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

/** Asks again where the answer is wrong or the count is another one, else gives the order. */
async function give(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, page, asked }: Asking,
): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  if (page.ask(frame, asked) === null) return send(reply, frame, { page, asked, status: 409 });
  const was = otherCount(page, asked);
  if (was !== null) return send(reply, frame, { page, asked: { ...asked, was }, status: 409 });
  const errors = page.check(frame, asked);
  if (errors.length > 0) return send(reply, frame, { page, asked: { ...asked, errors }, status: 422 });
  const { campaign, state } = asked.now.overview;
  const order = {
    campaign,
    state,
    ledger: await env.ledger(),
    now: env.clock.now(),
    by: auditName(request.who),
  };
  await page.act(order, asked, env);
  return reply.redirect(`/campaigns/${campaign.id}${page.after ?? ''}`, 303);
}

interface Asking {
  env: WebEnv;
  page: OrderPage;
  asked: Asked;
}

/** The count that was shown, where another one holds now; null: the same, or the order has none. */
function otherCount(page: OrderPage, asked: Asked): number | null {
  const { mayShrink = false } = page;
  const is = page.count(asked);
  if (is === null) return null;
  const was = Number(asked.fields['shown']);
  const isSame = was === is || (mayShrink && is < was);
  return isSame ? null : was;
}

function send(
  reply: FastifyReply,
  frame: Frame,
  { page, asked, status }: Omit<Asking, 'env'> & { status: number },
): FastifyReply {
  const content = page.ask(frame, asked) ?? goneView(frame, asked);
  // What cannot be done is no success for a program either.
  const code = status === 200 && page.ask(frame, asked) === null ? 409 : status;
  return sendPage(reply, frame, { ...content, status: code });
}

/** The order became impossible while the person looked. */
function goneView({ words: { orders: words, common } }: Frame, { now: { overview } }: Asked) {
  const { campaign, state } = overview;
  const main = html`<h1>${words.gone}</h1>
<p>${words.goneHelp(campaign.name, common.states[state])}</p>
<p><a href="/campaigns/${campaign.id}">${words.back}</a></p>`;
  return { title: words.gone, main };
}

/** The parts of such a page. */
export interface OrderForm {
  page: Pick<OrderPage, 'path' | 'count'>;
  title: string;
  /** What will happen: a sum, sentences. */
  what: Content;
  /** More fields of the form. */
  fields?: Content;
  /** Fields that the person does not see. */
  hidden?: Readonly<Record<string, string>>;
  button: string;
  /** `danger`: it cannot be undone. */
  look?: 'primary' | 'danger';
  /** The way back, in the words of what stays. */
  keep?: string;
}

/** The page of an order: the question, what will happen, and the form. */
export function orderForm(frame: Frame, asked: Asked, form: OrderForm): { title: string; main: Html } {
  const { words } = frame;
  const { campaign } = asked.now.overview;
  const { page, title, what, fields, hidden = {}, button, look = 'primary', keep } = form;
  const shown = page.count(asked);
  const carried = { ...hidden, ...(shown === null ? {} : { shown: String(shown) }) };
  const main = html`<header><p class="crumb"><a href="/campaigns/${campaign.id}">${campaign.name}</a></p>
<h1>${title}</h1></header>
${changedNotice(frame, asked, shown)}
${errorSummary(frame, asked.errors)}
<section class="text flow" aria-labelledby="what"><h2 id="what">${words.orders.willHappen}</h2>
${what}</section>
<form class="form text" method="post" action="/campaigns/${campaign.id}/${page.path}">${csrfField(frame)}${Object.entries(
    carried,
  ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}
<div class="actions"><button class="${look}">${button}</button> <a href="/campaigns/${campaign.id}">${keep ?? words.orders.keep}</a></div></form>`;
  return { title, main };
}

function changedNotice({ words }: Frame, { was }: Asked, is: number | null): Html | null {
  if (was === null || is === null) return null;
  const before = Number.isFinite(was) ? whole(was) : '–';
  return notice({
    look: 'warn',
    title: words.orders.changed,
    text: words.orders.changedHelp(before, whole(is)),
  });
}

/** A row of a sum: its words and its number, already as text. */
export type SumRow = readonly [words: string, figure: string];

/** A sum with its total under a double rule. */
export function sumTable(caption: string, rows: readonly SumRow[], total: SumRow): Html {
  const cells = ([words, figure]: SumRow) => html`<th scope="row">${words}</th><td class="n">${figure}</td>`;
  return html`<table class="sum"><caption class="hear">${caption}</caption><tbody>
${rows.map(
  (row) => html`<tr>${cells(row)}</tr>
`,
)}<tr class="total">${cells(total)}</tr></tbody></table>`;
}
