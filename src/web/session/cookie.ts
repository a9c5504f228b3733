import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BegunSession } from '../../campaign/people/sessions.ts';
import type { Config } from '../../config/config.ts';

type Place = Pick<Config, 'publicDashboardUrl' | 'dashboardPort'>;

/** True: the pages are reached by TLS only. */
function isSecure({ publicDashboardUrl }: Place): boolean {
  return publicDashboardUrl !== null;
}

/**
 * The name of a cookie. `__Host-` binds it to this host and to TLS. On plain loopback a browser would refuse that; and
 * all ports share their cookies there, so the name holds the port.
 */
export function cookieName(place: Place, name: string): string {
  return isSecure(place) ? `__Host-${name}` : `${name}-${place.dashboardPort}`;
}

/** The options of a cookie that no script reads and no other site sends. */
export function cookieOptions(place: Place) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure(place) } as const;
}

/** The secret of the browser's session; null: it has none. */
export function sessionCookie({ cookies }: FastifyRequest, place: Place): string | null {
  return cookies[cookieName(place, 'tuma')] ?? null;
}

/** Gives the browser its session, for as long as the browser runs or the session lasts. */
export function setSessionCookie(reply: FastifyReply, place: Place, { secret, endsAt }: BegunSession): void {
  const options = { ...cookieOptions(place), expires: new Date(endsAt) };
  void reply.setCookie(cookieName(place, 'tuma'), secret, options);
}

/** Takes the session from the browser. */
export function clearSessionCookie(reply: FastifyReply, place: Place): void {
  void reply.clearCookie(cookieName(place, 'tuma'), cookieOptions(place));
}
