import { z } from 'zod';
import type { LegalOrder } from '../../../campaign/operator/legal-orders.ts';
import { formatMoney, type MoneyMicro } from '../../../domain/money.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { lookAtOrders } from '../../campaign-orders.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { overviewOf } from '../look.ts';
import { orderTag } from '../order-tag.ts';
import { CampaignParams, Count, Money, Time } from '../schemas/common.ts';

const MINUTE_MS = 60_000;
const MOST_STEPS = 1_440;

const Order = z
  .object({
    verb: z.enum([
      'pause',
      'resume',
      'budget',
      'rate',
      'retry',
      'resolve',
      'skip',
      'cancel-person',
      'cancel',
    ]),
    messages: Count.optional().describe('How many messages it is about: what `messages` of the order names.'),
    cost: Money.nullable().optional().describe('What it may cost; null: not known.'),
    needs: z.enum(['budget', 'sender']).nullable().optional().describe('What a resume must be given.'),
    again: Count.optional().describe('Of resolve: those that may be called not sent now.'),
    again_from: Time.nullable().optional().describe('Of resolve: when all may; null: now.'),
    at: Time.optional().describe('Of skip: the firing that it leaves out.'),
    budget: Money.optional().describe('Of budget: the present one.'),
    rate_per_second: z.number().nullable().optional(),
  })
  .meta({ id: 'LegalOrder' });

/** What may be done about a campaign, and how it went minute by minute. */
export function courseRoutes(api: Api, { web }: ApiEnv): void {
  api.get(
    '/campaigns/:id/orders',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The orders that a campaign allows now, and what each would do',
        params: CampaignParams,
        response: { 200: z.object({ orders: z.array(Order), people_left: Count }) },
      },
    },
    async ({ params }, reply) => {
      const { orders, overview } = await lookAtOrders(web, params.id);
      void reply.header('etag', orderTag(overview));
      const reader = await web.reader();
      return { orders: orders.map(orderPart), people_left: await reader.peopleLeft(overview.campaign.n) };
    },
  );
  api.get(
    '/campaigns/:id/course',
    {
      config: { may: 'viewer' },
      schema: {
        tags: ['Campaigns'],
        summary: 'What happened in each step of time',
        params: CampaignParams,
        querystring: z.object({
          from: Time.optional().describe('Left out: the first message.'),
          minutes: z.coerce.number().int().min(1).max(1_440).default(1).describe('The length of a step.'),
        }),
        response: {
          200: z.object({
            steps: z
              .array(
                z.object({
                  at: Time,
                  sent: Count,
                  rejected: Count,
                  uncertain: Count,
                  delivered: Count,
                  undelivered: Count,
                }),
              )
              .describe(`At most ${MOST_STEPS}. Steps in which nothing happened are left out.`),
          }),
        },
      },
    },
    async ({ params, query }) => {
      const { campaign, startedAt } = await overviewOf(web, params.id);
      const stepMs = query.minutes * MINUTE_MS;
      const from = query.from === undefined ? (startedAt ?? 0) : Date.parse(query.from);
      const begin = Math.floor(from / stepMs) * stepMs;
      const span = { from: begin, to: begin + MOST_STEPS * stepMs, stepMs };
      const steps = await (await web.reader()).campaignSeries(campaign.n, span);
      return { steps: steps.map(({ at, ...counts }) => ({ ...counts, at: isoTime(at) })) };
    },
  );
}

type OrderPart = z.output<typeof Order>;

/** How each order is shown. */
const PARTS: {
  [Verb in LegalOrder['verb']]: (order: Extract<LegalOrder, { verb: Verb }>) => Omit<OrderPart, 'verb'>;
} = {
  pause: ({ waiting }) => ({ messages: waiting }),
  resume: ({ waiting, costMicro, needs }) => ({ messages: waiting, cost: money(costMicro), needs }),
  budget: ({ isMicro }) => ({ budget: formatMoney(isMicro) }),
  rate: ({ perSecond }) => ({ rate_per_second: perSecond }),
  retry: ({ messages, costMicro }) => ({ messages, cost: money(costMicro) }),
  resolve: ({ messages, again, from }) => {
    return { messages, again, again_from: from === null ? null : isoTime(from) };
  },
  skip: ({ at }) => ({ at: isoTime(at) }),
  cancel_person: () => ({}),
  cancel: ({ waiting }) => ({ messages: waiting }),
};

function orderPart(order: LegalOrder): OrderPart {
  const verb = order.verb === 'cancel_person' ? 'cancel-person' : order.verb;
  return { verb, ...PARTS[order.verb](order as never) };
}

function money(micro: MoneyMicro | null): string | null {
  return micro === null ? null : formatMoney(micro);
}
