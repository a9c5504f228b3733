import type { FastifyRequest } from 'fastify';
import type { PreparationActor } from '../../campaign/prepare/preparation.ts';
import { NotAllowed } from '../session/not-allowed.ts';
import { auditName, isAllowed, type Principal, seesNumbers } from '../who.ts';

/** Who asks. */
export interface Asker {
  /** As the audit names them: `mary at 10.0.0.7`. */
  by: string;
  /** Whose keys these are: without the address. */
  account: string;
  /** True: full numbers may be shown. */
  seesNumbers: boolean;
}

/** Who is behind a request. */
export function askerOf(request: FastifyRequest): Asker {
  const who = requireWho(request);
  return { by: auditName(who), account: `${who.kind} ${who.name}`, seesNumbers: seesNumbers(who) };
}

/** The same for preparations: a program also counts as who made its token, and only a person may approve. */
export function preparerOf(request: FastifyRequest): PreparationActor {
  const who = requireWho(request);
  return {
    name: auditName(who),
    identities: [who.name, ...(who.owner === null ? [] : [who.owner])],
    mayApprove: who.kind === 'person' && isAllowed(who, 'approver'),
  };
}

function requireWho({ who }: FastifyRequest): Principal {
  if (who === null) throw new NotAllowed(401);
  return who;
}
