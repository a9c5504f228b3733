import type { FastifyRequest } from 'fastify';
import { NotAllowed } from '../session/not-allowed.ts';
import { actorOf, auditName, seesNumbers } from '../who.ts';

/** Who asks. */
export interface Asker {
  /** As the audit names them. */
  by: string;
  /** Whose keys these are: without the address. */
  account: string;
  /** True: an approver or admin who signed in; a program never is. */
  mayApprove: boolean;
  /** True: full numbers may be shown. */
  seesNumbers: boolean;
}

/** Who is behind a request. */
export function askerOf({ who }: FastifyRequest): Asker {
  if (who === null) throw new NotAllowed(401);
  const { mayApprove } = actorOf({ who });
  return {
    by: auditName(who),
    mayApprove,
    account: `${who.kind} ${who.name}`,
    seesNumbers: seesNumbers(who),
  };
}
