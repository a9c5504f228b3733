import { reaches, type Role } from '../domain/roles.ts';

/** Who may ask a route: everybody (`open`), or who has this role or a higher one. */
export type May = 'open' | Role;

/** The person or program behind a request. */
export interface Principal {
  /** `home`: who opened the link of this machine. `person`: who signed in. `program`: who showed a token. */
  kind: 'home' | 'person' | 'program';
  /** As the audit names it: `mary`, `program billing`, `this machine`. */
  name: string;
  role: Role;
  /** The address that the request came from. */
  from: string;
  /** Of a program: who made its token and answers for it; null: of others. */
  owner: string | null;
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

/** Who makes a change, and from where, for its audit row: `mary at 10.0.0.7`. Null is somebody unknown. */
export function auditName(who: Principal | null): string {
  return who === null ? 'unknown' : `${who.name} at ${who.from}`;
}
