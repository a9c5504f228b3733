import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { letBack, optOutByHand } from '../../../campaign/operator/opt-outs-by-hand.ts';
import { importUploadedOptOuts } from '../../../campaign/operator/uploaded-opt-outs.ts';
import { TumaError } from '../../../domain/errors.ts';
import { isReason } from '../../../domain/reason.ts';
import { parseMobile } from '../../../domain/numbers/mobile.ts';
import { printableLine } from '../../../domain/text/printable.ts';
import type { OptOutPlace, OptOutRow } from '../../../ledger/contracts/replies.ts';
import { numberStanding } from '../../../reports/number-standing.ts';
import { OPT_OUT_COLUMNS, optOutCells } from '../../../reports/opt-out-rows.ts';
import { csvPages, rowPages } from '../../../reports/row-pages.ts';
import { formField } from '../../form-fields.ts';
import { sendFile } from '../../send-file.ts';
import { answerPage, type Visit } from '../../send-page.ts';
import { type Seals, sealsOf } from '../../session/sealed.ts';
import type { Content } from '../../views/html.ts';
import type { FieldError } from '../../views/notice.ts';
import type { WebEnv } from '../../web-env.ts';
import { auditName } from '../../who.ts';
import { languageOf, wordsOf } from '../../words/words.ts';
import { importedView } from './imported-view.ts';
import { type OptOutPage, oneNumberView, optOutsView } from './view.ts';
import { problemLine } from '../../views/problem.ts';
import { NoSuchPage } from '../../no-such-page.ts';

const ROWS_A_PAGE = 100;
const MOST_NAME_CHARS = 100;

/** The opt-outs: all, one number, a whole list, and all as a file. */
export function optOutRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/optouts', { config: { may: 'viewer' } }, async (request, reply) =>
    listPage({ env, request, reply }),
  );
  app.post('/optouts', { config: { may: 'viewer' } }, async (request, reply) => {
    const typed = formField(request, 'number');
    const parsed = parseMobile(typed, env.config.country);
    if (parsed.ok)
      return reply.redirect(`/optouts/${(await sealsOf(env)).seal('number', parsed.mobile)}`, 303);
    const { numberWrong } = wordsOf(languageOf(request)).newCampaign.problems;
    return listPage({ env, request, reply }, { errors: [{ field: 'number', message: numberWrong }], typed });
  });
  app.get('/optouts/:sealed', { config: { may: 'viewer' } }, async (request, reply) =>
    numberPage({ env, request, reply }),
  );
  app.post('/optouts/:sealed/add', { config: { may: 'operator' } }, async (request, reply) => {
    const { mobile, reason } = await orderIn(env, request);
    if (reason === null) return wrongReason(env, request, reply);
    await optOutByHand(await orderEnv(env), { mobiles: [mobile], by: auditName(request.who), reason });
    return reply.redirect(request.url.replace(/\/add$/, ''), 303);
  });
  app.post('/optouts/:sealed/remove', { config: { may: 'operator' } }, async (request, reply) => {
    const { mobile, reason } = await orderIn(env, request);
    if (reason === null) return wrongReason(env, request, reply);
    await letBack(await orderEnv(env), { mobiles: [mobile], by: auditName(request.who), reason });
    return reply.redirect(request.url.replace(/\/remove$/, ''), 303);
  });
  app.post('/optouts/import', { config: { may: 'operator' } }, async (request, reply) =>
    importList(env, request, reply),
  );
  app.get('/optouts.csv', { config: { may: 'operator' } }, async (_request, reply) => {
    const reader = await env.reader();
    const pages = rowPages<OptOutRow>((after, limit) => reader.optOuts({ after, limit }));
    const content = Readable.from(csvPages(OPT_OUT_COLUMNS, pages, optOutCells));
    return sendFile(reply, { name: 'optouts.csv', content });
  });
}

type Wrong = Pick<OptOutPage, 'errors' | 'typed'>;
const NOTHING_WRONG: Wrong = { errors: [], typed: '' };

async function listPage({ env, request, reply }: Visit, wrong = NOTHING_WRONG): Promise<FastifyReply> {
  const seals = await sealsOf(env);
  const after = placeIn(seals, formField(request, 'after'));
  const found = await (await env.reader()).optOuts({ after, limit: ROWS_A_PAGE + 1 });
  const rows = found.slice(0, ROWS_A_PAGE);
  const last = rows.at(-1);
  const more = found.length > rows.length && last !== undefined;
  const shown: OptOutPage = {
    rows: rows.map((row) => ({ ...row, address: `/optouts/${seals.seal('number', row.mobile)}` })),
    older: more ? `/optouts?after=${placeOf(seals, last)}` : null,
    isFirst: after === null,
    ...wrong,
  };
  return answerPage(request, reply, {
    env,
    status: wrong.errors.length > 0 ? 422 : 200,
    content: (frame) => ({ title: frame.words.optouts.title, main: optOutsView(frame, shown) }),
  });
}

/** A place holds a number, so it is sealed. */
function placeOf(seals: Seals, { mobile, kind, sender }: OptOutRow): string {
  return seals.seal('place', JSON.stringify([mobile, kind, sender]));
}

function placeIn(seals: Seals, sealed: string): OptOutPlace | null {
  const place = seals.open('place', sealed);
  if (place === null) return null;
  const [mobile, kind, sender] = JSON.parse(place) as [string, OptOutRow['kind'], string];
  return { mobile, kind, sender };
}

/** Throws `not_found`. */
async function mobileIn(env: WebEnv, { params }: FastifyRequest): Promise<string> {
  const { sealed } = params as { sealed: string };
  const mobile = (await sealsOf(env)).open('number', sealed);
  // The number of a message may be purged.
  if (mobile === null || !/^\d{9,15}$/.test(mobile)) throw new NoSuchPage();
  return mobile;
}

async function numberPage({ env, request, reply }: Visit, wrong = NOTHING_WRONG): Promise<FastifyReply> {
  const mobile = await mobileIn(env, request);
  const { sealed } = request.params as { sealed: string };
  const standing = await numberStanding(await env.reader(), mobile);
  const one = { standing, address: `/optouts/${sealed}`, found: `/find/${sealed}`, ...wrong };
  return answerPage(request, reply, {
    env,
    status: wrong.errors.length > 0 ? 422 : 200,
    content: (frame) => ({ title: frame.words.optouts.title, main: oneNumberView(frame, one) }),
  });
}

/** What a form orders. `reason`: null where none, or no line, was written. */
async function orderIn(
  env: WebEnv,
  request: FastifyRequest,
): Promise<{ mobile: string; reason: string | null }> {
  const mobile = await mobileIn(env, request);
  const typed = typedReason(request);
  return { mobile, reason: isReason(typed) ? typed : null };
}

async function orderEnv(env: WebEnv) {
  return { ledger: await env.ledger(), clock: env.clock };
}

function typedReason(request: FastifyRequest): string {
  return formField(request, 'reason').trim();
}

function wrongReason(env: WebEnv, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { optouts } = wordsOf(languageOf(request));
  const errors = [{ field: 'reason', message: optouts.reasonMissing }];
  return numberPage({ env, request, reply }, { errors, typed: typedReason(request) });
}

/** The result is the answer itself: a list that is sent again changes nothing more. */
async function importList(env: WebEnv, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const all = wordsOf(languageOf(request));
  const { optouts: words } = all;
  const file = await request.file();
  const refuse = (message: Content) => {
    const errors: FieldError[] = [{ field: 'file', message }];
    return listPage({ env, request, reply }, { errors, typed: '' });
  };
  if (file === undefined || file.filename === '') {
    file?.file.resume();
    return refuse(words.fileMissing);
  }
  const name = printableLine(file.filename).slice(0, MOST_NAME_CHARS);
  const by = auditName(request.who);
  try {
    const { country } = env.config;
    const isTooLarge = () => file.file.truncated;
    const upload = {
      stream: file.file,
      isTooLarge,
      length: null,
      name,
      folder: env.temporary.path,
      country,
      by,
    };
    const result = await importUploadedOptOuts(await orderEnv(env), upload);
    return await answerPage(request, reply, {
      env,
      content: (frame) => ({ title: frame.words.optouts.import, main: importedView(frame, name, result) }),
    });
  } catch (error) {
    if (error instanceof TumaError) return refuse(problemLine({ words: all }, error));
    throw error;
  }
}
