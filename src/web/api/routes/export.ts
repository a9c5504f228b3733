import { Readable } from 'node:stream';
import { z } from 'zod';
import { beginExport, MOST_STREAMED_ROWS, rowsToRead } from '../../../campaign/tasks/begin-export.ts';
import type { ExportAsked } from '../../../campaign/tasks/task.ts';
import { whole } from '../../../domain/money.ts';
import type { CampaignOverview } from '../../../ledger/contracts/reader.ts';
import {
  EXPORT_DELIVERIES,
  EXPORT_STATES,
  exportContent,
  EXPORT_FORMATS,
  refusePurged,
} from '../../../reports/export.ts';
import { fileTypeOf, sendFile } from '../../send-file.ts';
import type { WebEnv } from '../../web-env.ts';
import { taskActorOf } from '../../who.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { overviewOf } from '../look.ts';
import { ApiError } from '../problem.ts';
import { CampaignParams, ORDER_HEADERS } from '../schemas/common.ts';
import { Flag } from '../schemas/given.ts';
import { Task, taskDocument } from '../schemas/task.ts';

/** The media types of an export, as the document of the API names them. */
export const FILE_CONTENT = Object.fromEntries(
  EXPORT_FORMATS.map((format) => [fileTypeOf(`.${format}`).split(';')[0] ?? '', { schema: z.string() }]),
);

/** The wanted messages and their form; flags of an address are texts. */
const wanted = <FlagOf extends z.ZodType<boolean>>(flag: FlagOf) => ({
  format: z.enum(EXPORT_FORMATS).default('csv'),
  as: z
    .enum(['messages', 'contacts'])
    .default('messages')
    .describe('contacts: the original rows, ready to be sent as contacts again; needs state or delivery.'),
  state: z.enum(EXPORT_STATES).optional().describe('Only of this state or delivery.'),
  delivery: z.enum(EXPORT_DELIVERIES).optional().describe('Only sent messages with this delivery.'),
  reason: z.string().max(500).optional().describe('Only with this reason, as the report shows it.'),
  with_text: flag.optional().describe('true: with the text of each message.'),
  with_fields: flag.optional().describe('true: with the columns of the contacts.'),
});
const Query = z.object(wanted(Flag));
const Body = z.strictObject(wanted(z.boolean()));

/** The messages of a campaign as a file, with full numbers. */
export function exportRoutes(api: Api, env: ApiEnv): void {
  streamRoute(api, env);
  beginRoute(api, env);
}

function streamRoute(api: Api, { web }: ApiEnv): void {
  api.get(
    '/campaigns/:id/export',
    {
      config: { may: 'operator' },
      schema: {
        tags: ['Campaigns'],
        summary: 'The messages of a campaign as a file: CSV, NDJSON or a workbook',
        description: `It is streamed, with full numbers: at most ${whole(MOST_STREAMED_ROWS)} rows. \`POST /campaigns/{id}/exports\` makes a larger one.`,
        params: CampaignParams,
        querystring: Query,
        response: { 200: { description: 'The file.', content: FILE_CONTENT } },
      },
    },
    async ({ params, query }, reply) => {
      const { overview, asked } = await wantedOf(web, params.id, query);
      const rows = rowsToRead(overview, asked);
      if (rows > MOST_STREAMED_ROWS)
        throw new ApiError('too_many_rows', `This file may have ${whole(rows)} rows.`, {
          hint: `POST /campaigns/${params.id}/exports makes it apart; then ask GET /tasks/{id}.`,
        });
      const { clock, config } = web;
      const place = { ...config, reader: await web.reader(), now: clock.now() };
      const pages = exportContent(place, { ...asked, campaign: overview.campaign });
      const content = Readable.from(pages, { objectMode: false });
      const name = nameOf(asked);
      return sendFile(reply, { name, content }) as never;
    },
  );
}

function beginRoute(api: Api, { web, repeats }: ApiEnv): void {
  api.post(
    '/campaigns/:id/exports',
    {
      config: { may: 'operator' },
      schema: {
        tags: ['Campaigns'],
        summary: 'Make a file of the messages of a campaign, of any size',
        description:
          'It is made in a process of its own: `GET /tasks/{id}` says how far it is, and `GET /tasks/{id}/file` has it for a day.',
        params: CampaignParams,
        headers: z.looseObject(ORDER_HEADERS),
        body: Body,
        response: { 202: Task },
      },
    },
    async (request, reply) => {
      const { document } = await repeats.once(request, async () => {
        const found = await wantedOf(web, request.params.id, request.body);
        const task = await beginExport(await web.tasks(), { actor: taskActorOf(request), ...found });
        return { status: 202, document: taskDocument(task) };
      });
      return reply.code(202).send(document);
    },
  );
}

async function wantedOf(
  web: WebEnv,
  id: string,
  {
    format,
    as,
    with_text: withText = false,
    with_fields: withFields = false,
    ...only
  }: z.output<typeof Body>,
): Promise<{ overview: CampaignOverview; asked: ExportAsked }> {
  const { state = null, delivery = null, reason = null } = only;
  if (as === 'contacts' && state === null && delivery === null)
    throw new ApiError('request_invalid', 'Which rows are wanted?', {
      errors: [{ path: ['state'], message: 'is needed for the rows of contacts, or `delivery`' }],
    });
  const overview = await overviewOf(web, id);
  if (as === 'contacts') await refusePurged(await web.reader(), overview.campaign);
  const asked = { campaign: id, format, as, state, delivery, reason, withText, withFields };
  return { overview, asked: { kind: 'export', ...asked } };
}

function nameOf({ as, campaign, format }: ExportAsked): string {
  return `${as}-${campaign}.${format}`;
}
