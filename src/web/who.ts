import type { PreparationActor } from '../campaign/prepare/preparation.ts';
import type { TaskActor } from '../campaign/tasks/task.ts';
import { reaches, type Role } from '../domain/roles.ts';
import type { AskerKey } from '../ledger/contracts/asked-from.ts';

/** Who may ask a route: everybody (`open`), or who has this role or a higher one. */
export type May = 'open' | Role;

/** The person or program behind a request. */
export interface Principal {
  /** `home`: who opened the link of this machine. `person`: who signed in. `program`: who showed a token. */
  kind: 'home' | 'person' | 'program';
  /** By which the ledger finds it again, when it commits what was asked for. */
  key: AskerKey;
  /** As the audit names it: `mary`, `program billing`, `this machine`. */
  name: string;
  role: Role;
  /** The address that the request came from. */
  from: string;
  /**
   * All names of the same person: of a user one that is never given anew, of a program also those of who made its token.
   * Nobody approves under one name what was prepared under another.
   */
  identities: readonly string[];
}

/** True: a route for `may` is open to this principal; null is somebody unknown. */
export function isAllowed(who: Principal | null, may: May): boolean {
  if (may === 'open') return true;
  return who !== null && reaches(who.role, may);
}

/** True: full numbers may be shown; a viewer sees masked ones. */
export function seesNumbers({ role }: Principal): boolean {
  return role !== 'viewer';
}

/** Who makes a change, for its audit row. The address goes there by itself (ledger/asked-from.ts). */
export function auditName(who: Principal | null): string {
  return who === null ? 'unknown' : who.name;
}

/** Who changes a preparation, as the rule of approval needs it: only a person who signed in approves. */
export function actorOf({ who }: { who: Principal | null }): PreparationActor {
  if (who === null) throw new Error('nobody prepares a campaign');
  const { name, identities, kind, role } = who;
  return { name, identities, mayApprove: kind === 'person' && reaches(role, 'approver') };
}

/** Who asks for long work; only they and admins find it again. */
export function taskActorOf({ who }: { who: Principal | null }): TaskActor {
  if (who === null) throw new Error('nobody asks for long work');
  const { name, identities, role } = who;
  return { name, identities, isAdmin: reaches(role, 'admin') };
}
