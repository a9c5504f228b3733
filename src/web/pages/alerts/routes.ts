import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  addAlertEndpoint,
  MOST_DESCRIPTION,
  removeAlertEndpoint,
  renewAlertSecret,
  testAlertEndpoint,
} from '../../../campaign/people/alert-endpoints.ts';
import { CHOSEN_CAUSES } from '../../../domain/alert.ts';
import { readEndpointUrl, shownAddress } from '../../../domain/alert-endpoint.ts';
import type { AlertEndpointRow } from '../../../ledger/contracts/alert-endpoints.ts';
import { endpointOrder } from '../../endpoint-order.ts';
import { formField } from '../../form-fields.ts';
import { type Frame, frameOf } from '../../frame.ts';
import { NoSuchPage } from '../../no-such-page.ts';
import { answerPage, sendPage } from '../../send-page.ts';
import type { FieldError } from '../../views/notice.ts';
import { questionView } from '../../views/question.ts';
import { secretView } from '../../views/secret.ts';
import type { WebEnv } from '../../web-env.ts';
import {
  addEndpointView,
  alertsView,
  endpointPath,
  endpointView,
  type NewEndpoint,
  type OfSettings,
} from './view.ts';

const ADMIN = { config: { may: 'admin' } } as const;

/** Where alerts go, for admins. */
export function alertRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/alerts', ADMIN, async (request, reply) => {
    const endpoints = await (await env.reader()).alertEndpoints();
    const settings = ofSettings(env);
    return answerPage(request, reply, {
      env,
      content: (frame) => ({
        title: frame.words.alerts.title,
        main: alertsView(frame, { endpoints, settings }),
      }),
    });
  });
  app.get('/alerts/add', ADMIN, async (request, reply) => {
    const frame = await frameOf(request, reply, env);
    return sendForm(reply, frame, { url: '', description: '', causes: CHOSEN_CAUSES, errors: [] });
  });
  app.post('/alerts/add', ADMIN, async (request, reply) => add(request, reply, env));
  oneRoutes(app, env);
  removeRoutes(app, env);
}

function ofSettings({ config: { alertUrl, alertMail } }: WebEnv): OfSettings {
  return { webhook: alertUrl === null ? null : shownAddress(alertUrl.reveal()), mail: alertMail };
}

function sendForm(reply: FastifyReply, frame: Frame, given: NewEndpoint): FastifyReply {
  const status = given.errors.length > 0 ? 422 : 200;
  return sendPage(reply, frame, {
    status,
    title: frame.words.alerts.add,
    main: addEndpointView(frame, given),
  });
}

async function add(request: FastifyRequest, reply: FastifyReply, env: WebEnv): Promise<FastifyReply> {
  const frame = await frameOf(request, reply, env);
  const { problems } = frame.words.alerts;
  const [typed, description] = [formField(request, 'url'), formField(request, 'description').trim()];
  const causes = CHOSEN_CAUSES.filter((cause) => formField(request, cause) === 'yes');
  const read = readEndpointUrl(typed);
  const errors: FieldError[] = [
    ...('url' in read ? [] : [{ field: 'url', message: problems[read.problem] }]),
    ...(description.length > MOST_DESCRIPTION
      ? [{ field: 'description', message: problems.description }]
      : []),
    ...(causes.length === 0 ? [{ field: CHOSEN_CAUSES[0] ?? '', message: problems.no_cause }] : []),
  ];
  if (!('url' in read) || errors.length > 0)
    return sendForm(reply, frame, { url: typed, description, causes, errors });
  // Who wants everything wants what a later Tuma tells, too.
  const chosen = causes.length === CHOSEN_CAUSES.length ? null : causes;
  const asked = { url: read.url, description, causes: chosen };
  const { id, secret } = await addAlertEndpoint(await endpointOrder(request, env), asked);
  return sendSecret(reply, frame, { id, secret });
}

function sendSecret(
  reply: FastifyReply,
  frame: Frame,
  { id, secret }: { id: string; secret: string },
): FastifyReply {
  const { alerts: words } = frame.words;
  const main = secretView({
    from: { path: '/alerts', title: words.title },
    title: words.secretFor,
    help: words.secretHelp,
    label: words.secretField,
    secret,
    warning: null,
    next: { path: endpointPath(id), words: words.toEndpoint },
  });
  return sendPage(reply, frame, { title: words.secretFor, main });
}

function oneRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/alerts/of/:id', ADMIN, async (request, reply) => onePage(request, reply, { env, tested: null }));
  app.post('/alerts/of/:id/test', ADMIN, async (request, reply) => {
    const { id } = await endpointOf(request, env);
    const post = { ledger: await env.ledger(), clock: env.clock, post: env.postAlert };
    const tested = { failure: await testAlertEndpoint(post, id) };
    return onePage(request, reply, { env, tested });
  });
  app.post('/alerts/of/:id/secret', ADMIN, async (request, reply) => {
    const { id } = await endpointOf(request, env);
    const made = await renewAlertSecret(await endpointOrder(request, env), id);
    return sendSecret(reply, await frameOf(request, reply, env), made);
  });
}

async function onePage(
  request: FastifyRequest,
  reply: FastifyReply,
  { env, tested }: { env: WebEnv; tested: { failure: string | null } | null },
): Promise<FastifyReply> {
  const endpoint = await endpointOf(request, env);
  return answerPage(request, reply, {
    env,
    content: (frame) => ({
      title: shownAddress(endpoint.url),
      main: endpointView(frame, endpoint, tested),
    }),
  });
}

function removeRoutes(app: FastifyInstance, env: WebEnv): void {
  app.get('/alerts/of/:id/remove', ADMIN, async (request, reply) => {
    const { id, url } = await endpointOf(request, env);
    const frame = await frameOf(request, reply, env);
    const { alerts: words } = frame.words;
    const title = words.removeTitle(shownAddress(url));
    const main = questionView(frame, {
      from: { path: '/alerts', title: words.title },
      title,
      help: [words.removeWhat],
      action: `${endpointPath(id)}/remove`,
      button: words.removeButton,
      keep: { words: words.keep, path: endpointPath(id) },
    });
    return sendPage(reply, frame, { title, main });
  });
  app.post('/alerts/of/:id/remove', ADMIN, async (request, reply) => {
    const { id } = await endpointOf(request, env);
    await removeAlertEndpoint(await endpointOrder(request, env), id);
    return reply.redirect('/alerts', 303);
  });
}

/** The endpoint of the address. Throws NoSuchPage. */
async function endpointOf({ params }: FastifyRequest, env: WebEnv): Promise<AlertEndpointRow> {
  const { id } = params as { id: string };
  const found = (await (await env.reader()).alertEndpoints()).find((each) => each.id === id);
  if (found === undefined) throw new NoSuchPage();
  return found;
}
