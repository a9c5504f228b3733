import type { FastifyInstance } from 'fastify';
import type { Frame } from '../../frame.ts';
import { answerPage } from '../../send-page.ts';
import { html, type Html } from '../../views/html.ts';
import type { WebEnv } from '../../web-env.ts';
import { isAllowed } from '../../who.ts';
import { whole } from '../../../domain/money.ts';
import type { UncertainRow } from '../../../ledger/contracts/reader.ts';
import { type CampaignOrders, lookAtOrders } from '../../campaign-orders.ts';
import { type CampaignNow, evidenceOf } from './campaign-now.ts';
import { decisions, decisionsOfOne, evidenceNotice, uncertainTable } from './uncertain-view.ts';
import { NoSuchPage } from '../../no-such-page.ts';

/** All uncertain messages of a campaign with the raw answers, and the decision. */
export function uncertainRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id/uncertain', { config: { may: 'viewer' } }, async (request, reply) => {
    const orders = await lookAtOrders(env, (request.params as { id: string }).id);
    const now = { ...orders, evidence: await evidenceOf(env, orders) };
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: frame.words.orders.uncertainTitle(now.overview.campaign.name),
        main: uncertainPage(frame, now),
      }),
    });
  });
  app.get('/campaigns/:id/uncertain/:seq', { config: { may: 'operator' } }, async (request, reply) => {
    const { id, seq } = request.params as { id: string; seq: string };
    const now = await lookAtOrders(env, id);
    const row = now.uncertain.rows.find((each) => String(each.seq) === seq && !each.writtenOff);
    if (row === undefined) throw new NoSuchPage();
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: frame.words.orders.lineOf(whole(row.line)),
        main: onePage(frame, now, row),
      }),
    });
  });
}

/** The decision about one message alone, also where a delivery report names its number. */
function onePage(frame: Frame, now: CampaignOrders, row: UncertainRow): Html {
  const { orders: words } = frame.words;
  const { campaign } = now.overview;
  return html`<header><p class="crumb"><a href="/campaigns/${campaign.id}/uncertain">${words.uncertainTitle(campaign.name)}</a></p>
<h1>${words.lineOf(whole(row.line))}</h1></header>
${uncertainTable(frame, now, { rows: [row], raw: true })}
<section>${decisionsOfOne(frame, now, row)}</section>`;
}

function uncertainPage(frame: Frame, now: CampaignOrders & Pick<CampaignNow, 'evidence'>): Html {
  const { words } = frame;
  const { campaign } = now.overview;
  const { rows, total } = now.uncertain;
  return html`<header><p class="crumb"><a href="/campaigns/${campaign.id}">${campaign.name}</a></p>
<h1>${words.orders.uncertainTitle(campaign.name)}</h1></header>
<p class="text">${words.campaign.uncertainWhy}</p>
${evidenceNotice(frame, now)}
${uncertainTable(frame, now, { rows, raw: true })}
${total > rows.length && html`<p>${words.orders.uncertainMore(whole(rows.length))}</p>`}
<section>${isAllowed(frame.who, 'operator') && decisions(frame, now)}</section>`;
}
