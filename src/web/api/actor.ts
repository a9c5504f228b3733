import type { FastifyRequest } from 'fastify';
import { NotAllowed } from '../session/not-allowed.ts';
import { auditName, seesNumbers } from '../who.ts';

/** Who asks. */
export interface Asker {
  /** As the audit names them. */
  by: string;
  /** Whose keys these are: without the address. */
  account: string;
  /** True: full numbers may be shown. */
  seesNumbers: boolean;
}

/** Who is behind a request. */
export function askerOf({ who }: FastifyRequest): Asker {
  if (who === null) throw new NotAllowed(401);
  return {
    by: auditName(who),
    account: `${who.kind} ${who.name}`,
    seesNumbers: seesNumbers(who),
  };
}
