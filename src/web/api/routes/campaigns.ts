import { z } from 'zod';
import type { Agenda } from '../../../ledger/contracts/schedules.ts';
import type { CampaignOverview, LedgerReader } from '../../../ledger/contracts/reader.ts';
import { campaignReport, isoTime } from '../../../reports/campaign-report.ts';
import { pauseOf, pausePart, servicePart, statusDocument } from '../../../reports/campaign-status.ts';
import { decisionParts } from '../../../reports/open-answers.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { lookNow, overviewOf } from '../look.ts';
import { orderTag } from '../order-tag.ts';
import { CampaignDetail, CampaignStatus, SHOWN_STATES } from '../schemas/campaign.ts';
import { CampaignParams, Next, pageQuery } from '../schemas/common.ts';
import { Report } from '../schemas/report.ts';

const READ = { may: 'viewer' } as const;
const tags = ['Campaigns'];

/** What was launched, and how it goes. */
export function campaignRoutes(api: Api, { web }: ApiEnv): void {
  listRoute(api, web);
  api.get(
    '/campaigns/:id',
    {
      config: READ,
      schema: {
        tags,
        summary: 'One campaign',
        description: 'The `ETag` changes with each order, not with the progress.',
        params: CampaignParams,
        response: { 200: CampaignDetail },
      },
    },
    async (request, reply) => {
      const overview = await overviewOf(web, request.params.id);
      void reply.header('etag', orderTag(overview));
      return detailOf(web, overview);
    },
  );
  api.get(
    '/campaigns/:id/report',
    {
      config: READ,
      schema: {
        tags,
        summary: 'The report of a campaign',
        params: CampaignParams,
        response: { 200: Report },
      },
    },
    async ({ params }) => {
      const { campaign } = await overviewOf(web, params.id);
      const { reportWaitMs } = web.config;
      return campaignReport({ reader: await web.reader(), campaign, now: web.clock.now(), reportWaitMs });
    },
  );
}

function listRoute(api: Api, web: WebEnv): void {
  const states = z.enum(SHOWN_STATES);
  api.get(
    '/campaigns',
    {
      config: READ,
      schema: {
        tags,
        summary: 'Campaigns, the newest first',
        querystring: z.object({
          state: z
            .union([states, z.array(states)])
            .optional()
            .describe('Only in this state; may be given several times.'),
          name: z.string().max(100).optional().describe('Only whose name has this part, in any case.'),
          ...pageQuery(200, 50),
        }),
        response: { 200: z.object({ campaigns: z.array(CampaignStatus), next: Next }) },
      },
    },
    async ({ query }) => {
      const { state, name = null, cursor, limit } = query;
      const { campaigns, next } = await (await web.reader()).campaignsPage({
        states: state === undefined ? null : [state].flat(),
        name,
        cursor: placeOf(cursor, z.int()),
        limit,
      });
      const look = await lookNow(web);
      return {
        campaigns: campaigns.map((overview) => statusDocument(overview, look)),
        next: next === null ? null : cursorOf(next),
      };
    },
  );
}

/** All that is known about a campaign now. */
async function detailOf(web: WebEnv, overview: CampaignOverview): Promise<z.output<typeof CampaignDetail>> {
  const { n, sender, settings, template } = overview.campaign;
  const [reader, look] = [await web.reader(), await lookNow(web)];
  const paused = await pauseOf({ reader, now: look.now }, overview);
  return {
    ...statusDocument(overview, look),
    ...(await aheadOf(reader, n)),
    ...pausePart(paused),
    sender,
    message: template,
    rate_per_second: settings.ratePerSecond,
    people_left: await reader.peopleLeft(n),
    workers: look.workers,
    service: servicePart(look.outage),
    decisions: decisionParts(await reader.openAnswers(n)),
  };
}

async function aheadOf(reader: LedgerReader, campaign: number) {
  const agenda = await reader.agenda(campaign);
  return {
    next_due_at: agenda.nextDueAt === null ? null : isoTime(agenda.nextDueAt),
    due: agenda.due.map(({ at, messages }) => ({ at: isoTime(at), messages })),
    schedule: agenda.schedule === null ? null : schedulePart(agenda.schedule),
  };
}

function schedulePart({ nextAt, fired, missed, latest }: NonNullable<Agenda['schedule']>) {
  return {
    next_at: nextAt === null ? null : isoTime(nextAt),
    fired,
    missed,
    latest: latest.map(({ at, campaign, leftOut }) => ({
      at: isoTime(at),
      campaign,
      ...(leftOut ? { left_out: true as const } : {}),
    })),
  };
}
