import { Readable } from 'node:stream';
import { z } from 'zod';
import { campaignTexts } from '../../../domain/text/campaign-texts.ts';
import {
  EXPORT_DELIVERIES,
  EXPORT_STATES,
  type ExportRequest,
  exportPages,
  exportWorkbook,
  refusePurged,
} from '../../../reports/export.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { overviewOf } from '../look.ts';
import { ApiError } from '../problem.ts';
import { CampaignParams } from '../schemas/common.ts';
import { Flag } from '../schemas/given.ts';

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

const Query = z.object({
  format: z.enum(['csv', 'ndjson', 'xlsx']).default('csv'),
  as: z
    .enum(['messages', 'contacts'])
    .default('messages')
    .describe('contacts: the original rows, ready to be sent as contacts again; needs state or delivery.'),
  state: z.enum(EXPORT_STATES).optional().describe('Only of this state or delivery.'),
  delivery: z.enum(EXPORT_DELIVERIES).optional().describe('Only sent messages with this delivery.'),
  reason: z.string().max(500).optional().describe('Only with this reason, as the report shows it.'),
  with_text: Flag.optional().describe('true: with the text of each message.'),
  with_fields: Flag.optional().describe('true: with the columns of the contacts.'),
});

/** The messages of a campaign as a file, with full numbers. */
export function exportRoutes(api: Api, { web }: ApiEnv): void {
  api.get(
    '/campaigns/:id/export',
    {
      config: { may: 'operator' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The messages of a campaign as a file: CSV, NDJSON or a workbook',
        description: 'It is streamed, with full numbers, as `tuma export` writes it.',
        params: CampaignParams,
        querystring: Query,
        response: {
          200: {
            description: 'The file.',
            content: Object.fromEntries(
              Object.values(TYPES).map((type) => [type.split(';')[0] ?? type, { schema: z.string() }]),
            ),
          },
        },
      },
    },
    async ({ params, query }, reply) => {
      const wanted = await wantedOf(web, params.id, query);
      const { format } = query;
      const pages =
        format === 'xlsx'
          ? exportWorkbook(wanted, { zone: web.config.zone, counted: () => undefined })
          : exportPages({ ...wanted, format });
      const name = `${query.as}-${wanted.campaign.id}.${format}`;
      void reply.type(TYPES[format]).header('content-disposition', `attachment; filename="${name}"`);
      return reply.send(Readable.from(pages, { objectMode: false }) as never);
    },
  );
}

async function wantedOf(
  web: WebEnv,
  id: string,
  query: z.output<typeof Query>,
): Promise<Omit<ExportRequest, 'format'>> {
  const { as, state = null, delivery = null, reason = null } = query;
  if (as === 'contacts' && state === null && delivery === null)
    throw new ApiError('request_invalid', 'Which rows are wanted?', {
      errors: [{ path: ['state'], message: 'is needed for the rows of contacts, or `delivery`' }],
    });
  const reader = await web.reader();
  const { campaign } = await overviewOf(web, id);
  if (as === 'contacts') await refusePurged(reader, campaign);
  return {
    reader,
    campaign,
    as,
    state,
    delivery,
    reason,
    texts: query.with_text === true ? campaignTexts(campaign) : undefined,
    withFields: query.with_fields === true,
    unreportedBefore: web.clock.now() - web.config.reportWaitMs,
  };
}
