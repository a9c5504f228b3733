import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { campaignReport } from '../../../reports/campaign-report.ts';
import {
  EXPORT_STATES,
  type ExportRequest,
  exportPages,
  exportWorkbook,
  refusePurged,
} from '../../../reports/export.ts';
import { reportHtml } from '../../../reports/report-html.ts';
import { sentOverTime } from '../../../reports/sent-over-time.ts';
import { fieldsOf } from '../../views/field.ts';
import type { WebEnv } from '../../web-env.ts';
import { NoSuchPage } from '../../no-such-page.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV = 'text/csv; charset=utf-8';

/** The files of a campaign. The report has sums only; whatever holds numbers is for operators. */
export function downloadRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id/report.html', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    // It has a style of its own, which our pages forbid, so it is a file and no page.
    return file(reply, {
      name: `report-${id}.html`,
      type: 'text/html; charset=utf-8',
      content: await report(env, id),
    });
  });
  app.get('/campaigns/:id/messages.csv', { config: { may: 'operator' } }, async (request, reply) => {
    const wanted = await wantedOf(env, request, 'messages');
    const content = Readable.from(exportPages({ ...wanted, format: 'csv' }));
    return file(reply, { name: `messages-${wanted.campaign.id}.csv`, type: CSV, content });
  });
  app.get('/campaigns/:id/messages.xlsx', { config: { may: 'operator' } }, async (request, reply) => {
    const wanted = await wantedOf(env, request, 'messages');
    const pages = exportWorkbook(wanted, { zone: env.config.zone, counted: () => {} });
    const content = Readable.from(pages, { objectMode: false });
    return file(reply, { name: `messages-${wanted.campaign.id}.xlsx`, type: XLSX, content });
  });
  app.get('/campaigns/:id/contacts.csv', { config: { may: 'operator' } }, async (request, reply) => {
    const wanted = await wantedOf(env, request, 'contacts');
    await refusePurged(wanted.reader, wanted.campaign);
    const content = Readable.from(exportPages({ ...wanted, format: 'csv' }));
    return file(reply, { name: `contacts-${wanted.campaign.id}.csv`, type: CSV, content });
  });
}

/** The messages that an address asks for: of a state or delivery, and of a reason. */
async function wantedOf(
  env: WebEnv,
  { params, query }: FastifyRequest,
  as: ExportRequest['as'],
): Promise<Omit<ExportRequest, 'format'>> {
  const { state = null, reason = null } = fieldsOf(query);
  const isKnown = state === null ? as === 'messages' : (EXPORT_STATES as readonly string[]).includes(state);
  if (!isKnown) throw new NoSuchPage();
  const reader = await env.reader();
  const campaign = await campaignWithId(reader, (params as { id: string }).id);
  const unreportedBefore = env.clock.now() - env.config.reportWaitMs;
  return { reader, campaign, as, state, reason, unreportedBefore };
}

async function report(env: WebEnv, id: string): Promise<string> {
  const reader = await env.reader();
  const campaign = await campaignWithId(reader, id);
  const now = env.clock.now();
  const figures = await campaignReport({ reader, campaign, now, reportWaitMs: env.config.reportWaitMs });
  const { first_sent_at, last_sent_at } = figures.throughput;
  const [first = null, last = null] = [first_sent_at, last_sent_at].map((at) =>
    at === null ? null : Date.parse(at),
  );
  const spans = await sentOverTime(reader, { campaign, first, last });
  const { template: text, sender } = campaign;
  const networks = await env.networkNames();
  return reportHtml({ report: figures, spans, text, sender, madeAt: now, networks }, env.config.zone);
}

interface Download {
  /** Of letters, digits, points and dashes. */
  name: string;
  type: string;
  content: string | Readable;
}

function file(reply: FastifyReply, { name, type, content }: Download): FastifyReply {
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .send(content);
}
