import type { FastifyRequest } from 'fastify';
import { digestOf } from '../../campaign/people/secrets.ts';
import { type SignedIn, sessionOf } from '../../campaign/people/sessions.ts';
import { programOf } from '../../campaign/people/tokens.ts';
import { programName, accountName, HOME_NAME } from '../../domain/roles.ts';
import { plainAddress } from '../../domain/numbers/address-list.ts';
import { clientAddress } from '../../system/client-address.ts';
import type { Principal } from '../who.ts';
import type { WebEnv } from '../web-env.ts';
import { sessionCookie } from './cookie.ts';
import { NotAllowed } from './not-allowed.ts';

/** The address that a request came from, behind the trusted proxies. */
export function addressOf({ raw }: FastifyRequest, { config }: Pick<WebEnv, 'config'>): string {
  return clientAddress(raw, config.trustedProxies);
}

/** True: a program's token counts here. */
export function isApi({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return url.startsWith('/api/');
}

/**
 * Who asks: a program by its token (below /api only), a user whom the proxy names, or whoever has a session. Null:
 * nobody. Throws NotAllowed (403) where the proxy names nobody whom we know. `isUse` false: the session
 * does not count as used.
 */
export async function principalOf(
  request: FastifyRequest,
  env: WebEnv,
  { isUse }: { isUse: boolean } = { isUse: true },
): Promise<Principal | null> {
  const { authorization } = request.headers;
  if (authorization !== undefined && isApi(request)) return programBehind(request, env, authorization);
  const named = namedByProxy(request, env);
  return named === null ? whoseSession(request, env, isUse) : userOfProxy(request, env, named);
}

/**
 * What ties the forms of a page to whoever asked for it. A form that somebody got for another session is refused.
 */
export function formOwner(request: FastifyRequest, { config }: Pick<WebEnv, 'config'>): string {
  const secret = sessionCookie(request, config);
  if (request.who === null) return 'not signed in';
  return secret === null ? request.who.name : digestOf(secret);
}

async function programBehind(
  request: FastifyRequest,
  env: WebEnv,
  authorization: string,
): Promise<Principal | null> {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) return null;
  const [reader, ledger] = [await env.reader(), await env.ledger()];
  const program = await programOf({ reader, ledger }, { token, now: env.clock.now() });
  if (program === null) return null;
  const { role, owners } = program;
  const name = programName(program.name);
  const key = { token: digestOf(token) };
  return { kind: 'program', key, name, role, from: addressOf(request, env), identities: [name, ...owners] };
}

/** The values of the header; null: there is none, or it comes from somebody who may not name users. */
function namedByProxy({ raw }: FastifyRequest, { config }: WebEnv): string[] | null {
  const { dashboardUserHeader: header, trustedProxies } = config;
  if (header === null || trustedProxies?.has(plainAddress(raw.socket.remoteAddress ?? '')) !== true)
    return null;
  return raw.headersDistinct[header] ?? null;
}

async function userOfProxy(request: FastifyRequest, env: WebEnv, named: string[]): Promise<Principal> {
  const [given = ''] = named;
  const name = accountName(given);
  // Twice means that somebody sent the header through the proxy.
  const user = name === null || named.length > 1 ? null : await (await env.reader()).user(name);
  if (user === null) throw new NotAllowed(403);
  return personOf(user, addressOf(request, env));
}

async function whoseSession(request: FastifyRequest, env: WebEnv, isUse: boolean): Promise<Principal | null> {
  const secret = sessionCookie(request, env.config);
  if (secret === null) return null;
  const [reader, ledger] = [await env.reader(), await env.ledger()];
  const found = await sessionOf({ reader, ledger, now: env.clock.now() }, { secret, isUse });
  if (found === null) return null;
  const from = addressOf(request, env);
  if (found !== 'home') return personOf(found, from);
  const name = HOME_NAME;
  return { kind: 'home', key: 'home', name, role: 'admin', from, identities: [name] };
}

function personOf({ id, name, role }: Exclude<SignedIn, 'home'>, from: string): Principal {
  return { kind: 'person', key: { user: id }, name, role, from, identities: [name, id] };
}
