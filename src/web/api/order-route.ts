import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Order } from '../../campaign/operator/orders.ts';
import type { CampaignOverview, LedgerReader } from '../../ledger/contracts/reader.ts';
import { pauseFacts } from '../../reports/pause-facts.ts';
import type { WebEnv } from '../web-env.ts';
import { askerOf } from './actor.ts';
import type { Api, ApiEnv } from './api-env.ts';
import { overviewOf } from './look.ts';
import { done } from './once.ts';
import { orderTag, requireMatch } from './order-tag.ts';
import { ApiError } from './problem.ts';
import { CampaignPart } from './schemas/campaign.ts';
import { CampaignParams, Count, MATCH_HEADERS, ORDER_HEADERS } from './schemas/common.ts';

/** An order, what the campaign had come to before it, and where to read more. */
export interface OrderNow extends Order {
  overview: CampaignOverview;
  reader: LedgerReader;
}

/** A verb about one campaign. */
export interface Verb<Body extends z.ZodType, Counts extends z.ZodRawShape> {
  name: string;
  summary: string;
  description?: string;
  body: Body;
  /** Its own part of the answer, which is kept: no texts and no full numbers. */
  answer: Counts;
  run: (order: OrderNow, body: z.output<Body>) => Promise<z.output<z.ZodObject<Counts>>>;
}

/** Adds `POST /campaigns/{id}/{verb}`, which may carry an `Idempotency-Key` and an `If-Match`. */
export function orderRoute<Body extends z.ZodType, Counts extends z.ZodRawShape>(
  api: Api,
  { web, repeats }: ApiEnv,
  verb: Verb<Body, Counts>,
): void {
  const { name, summary, description, body, answer, run } = verb;
  // Types of a generic body cannot be computed; the schemas check body and answer when they come.
  const plain = api as unknown as FastifyInstance;
  plain.post(
    `/campaigns/:id/${name}`,
    {
      config: { may: 'operator' },
      schema: {
        tags: ['Campaigns'],
        summary,
        ...(description === undefined ? {} : { description }),
        params: CampaignParams,
        headers: z.looseObject({ ...ORDER_HEADERS, ...MATCH_HEADERS }),
        body,
        response: { 200: z.object({ campaign: CampaignPart, ...answer }) },
      },
    },
    async (request) => {
      const { id } = request.params as z.output<typeof CampaignParams>;
      const { document } = await repeats.once(request, async () => {
        const order = await orderOf(web, request, id);
        requireMatch(request, orderTag(order.overview));
        const own = await run(order, request.body as z.output<Body>);
        return done({ campaign: partOf(await order.reader.overview(order.campaign.n)), ...own });
      });
      return document;
    },
  );
}

async function orderOf(web: WebEnv, request: FastifyRequest, id: string): Promise<OrderNow> {
  const overview = await overviewOf(web, id);
  const { campaign, state } = overview;
  const [ledger, reader] = [await web.ledger(), await web.reader()];
  return { campaign, state, overview, ledger, reader, now: web.clock.now(), ...askerOf(request) };
}

function partOf(overview: CampaignOverview): z.output<typeof CampaignPart> {
  const { id, name } = overview.campaign;
  return { id, name, state: overview.state, ...pauseFacts(overview) };
}

/** The count that whoever gives an order has seen; another one refuses it. */
export function seenCount(what: string) {
  return Count.optional().describe(`${what} that was shown: another one is refused (count_changed).`);
}

/** Throws ApiError `count_changed`; `shown` left out: nobody looked. */
export function requireCount(now: number, shown: number | undefined): void {
  if (shown === undefined || shown === now) return;
  throw new ApiError('count_changed', 'It would be another number by now. Nothing was done.', { now });
}
