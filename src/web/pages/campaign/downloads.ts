import { campaignWithId } from '../../../campaign/operator/campaign-with-id.ts';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { beginExport, MOST_STREAMED_ROWS, rowsToRead } from '../../../campaign/tasks/begin-export.ts';
import type { ExportAsked } from '../../../campaign/tasks/task.ts';
import { whole } from '../../../domain/money.ts';
import type { CampaignOverview } from '../../../ledger/contracts/reader.ts';
import { campaignReport } from '../../../reports/campaign-report.ts';
import { EXPORT_STATES, exportContent, refusePurged } from '../../../reports/export.ts';
import { reportHtml } from '../../../reports/report-html.ts';
import { sentOverTime } from '../../../reports/sent-over-time.ts';
import { fieldsOf } from '../../form-fields.ts';
import { sendFile } from '../../send-file.ts';
import { answerPage, type Visit } from '../../send-page.ts';
import { html } from '../../views/html.ts';
import { buttonForm } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { NoSuchPage } from '../../no-such-page.ts';
import { taskActorOf } from '../../who.ts';

/** The files of messages, by the last part of their address. */
const FILES = {
  'messages.csv': { as: 'messages', format: 'csv' },
  'messages.xlsx': { as: 'messages', format: 'xlsx' },
  'contacts.csv': { as: 'contacts', format: 'csv' },
} as const satisfies Record<string, Pick<ExportAsked, 'as' | 'format'>>;

/** The files of a campaign. The report has sums only; whatever holds numbers is for operators. */
export function downloadRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/campaigns/:id/report.html', { config: { may: 'viewer' } }, async (request, reply) => {
    const { id } = request.params as { id: string };
    // It has a style of its own, which our pages forbid, so it is a file and no page.
    return sendFile(reply, {
      name: `report-${id}.html`,
      content: await report(env, id),
    });
  });
  for (const [file, what] of Object.entries(FILES)) {
    const path = `/campaigns/:id/${file}`;
    app.get(path, { config: { may: 'operator' } }, async (request, reply) => {
      const wanted = await wantedOf(env, request, what);
      const rows = rowsToRead(wanted.overview, wanted.asked);
      return rows > MOST_STREAMED_ROWS
        ? ask({ env, request, reply }, { wanted, rows, file })
        : stream(env, reply, wanted);
    });
    app.post(path, { config: { may: 'operator' } }, async (request, reply) => {
      const wanted = await wantedOf(env, request, what);
      const actor = taskActorOf(request);
      const { id } = await beginExport(await env.tasks(), { actor, ...wanted });
      return reply.redirect(`/tasks/${id}`, 303);
    });
  }
}

interface Wanted {
  overview: CampaignOverview;
  asked: ExportAsked;
}

/** The messages that somebody asks for: of a state or delivery, and of a reason. */
async function wantedOf(
  env: WebEnv,
  request: FastifyRequest,
  { as, format }: Pick<ExportAsked, 'as' | 'format'>,
): Promise<Wanted> {
  const { state = null, reason = null } = fieldsOf(request);
  const isKnown = state === null ? as === 'messages' : (EXPORT_STATES as readonly string[]).includes(state);
  if (!isKnown) throw new NoSuchPage();
  const reader = await env.reader();
  const { id } = request.params as { id: string };
  const overview = await reader.overview((await campaignWithId(reader, id)).n);
  if (as === 'contacts') await refusePurged(reader, overview.campaign);
  const more = { delivery: null, withText: false, withFields: false };
  return { overview, asked: { kind: 'export', campaign: id, format, as, state, reason, ...more } };
}

/** A large file is made apart, so that it needs a button. */
function ask(
  { env, request, reply }: Visit,
  { wanted, rows, file }: { wanted: Wanted; rows: number; file: string },
): Promise<FastifyReply> {
  const { asked, overview } = wanted;
  const { id, name } = overview.campaign;
  const { state, reason } = asked;
  const fields = { ...(state === null ? {} : { state }), ...(reason === null ? {} : { reason }) };
  return answerPage(request, reply, {
    env,
    content: (frame) => {
      const { tasks: words } = frame.words;
      const title = words.askTitle(whole(rows));
      const action = `/campaigns/${id}/${file}`;
      const main = html`<header><p class="crumb"><a href="/campaigns/${id}">${name}</a></p><h1>${title}</h1></header>
<p class="text">${words.askHelp}</p>
<div class="actions">${buttonForm(frame, { action, words: words.askButton, look: 'primary', fields })} <a href="/campaigns/${id}">${words.toCampaign}</a></div>`;
      return { title, main };
    },
  });
}

async function stream(env: WebEnv, reply: FastifyReply, { overview, asked }: Wanted): Promise<FastifyReply> {
  const { as, format } = asked;
  const { campaign } = overview;
  const place = { ...env.config, reader: await env.reader(), now: env.clock.now() };
  const pages = exportContent(place, { ...asked, campaign });
  const name = `${as}-${campaign.id}.${format}`;
  const content = Readable.from(pages, { objectMode: false });
  return sendFile(reply, { name, content });
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
