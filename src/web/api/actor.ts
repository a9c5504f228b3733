import type { FastifyRequest } from 'fastify';
import type { PreparationActor } from '../../campaign/prepare/preparation.ts';
import { NotAllowed } from '../session/not-allowed.ts';
import { actorOf, auditName, type Principal, seesNumbers } from '../who.ts';

/** Who asks the API. */
export interface Asker {
  /** As the audit names them. */
  by: string;
  /** Whose keys these are. */
  account: string;
  /** True: full numbers may be shown. */
  seesNumbers: boolean;
}

/** The asker behind a request. */
export function askerOf(request: FastifyRequest): Asker {
  const who = requireWho(request);
  return { by: auditName(who), account: `${who.kind} ${who.name}`, seesNumbers: seesNumbers(who) };
}

/** The same for preparations. */
export function preparerOf(request: FastifyRequest): PreparationActor {
  return actorOf({ who: requireWho(request) });
}

function requireWho({ who }: FastifyRequest): Principal {
  if (who === null) throw new NotAllowed(401);
  return who;
}
