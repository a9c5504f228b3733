import type { FastifyRequest } from 'fastify';
import { NotAllowed } from '../session/not-allowed.ts';

/** Who asks, as the audit names them. */
export interface Actor {
  by: string;
  /** Whose keys and preparations these are: without the address. */
  account: string;
  from: string;
  /** True: full numbers may be shown. */
  seesNumbers: boolean;
}

/** The actor behind a request. */
export function actorOf({ who }: FastifyRequest): Actor {
  if (who === null) throw new NotAllowed(401);
  const { name, from, role } = who;
  return { by: name, account: name, from, seesNumbers: role !== 'viewer' };
}
