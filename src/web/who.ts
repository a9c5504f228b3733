/** What somebody may do: each role may do what those before it may. */
export const WEB_ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;
/** One of WEB_ROLES. */
export type WebRole = (typeof WEB_ROLES)[number];

/** Who may ask a route: everybody (`open`), or who has this role or a higher one. */
export type May = 'open' | WebRole;

/** The person or program behind a request. */
export interface Principal {
  /** `home`: who opened the link of this machine. `person`: who signed in. `program`: who showed a token. */
  kind: 'home' | 'person' | 'program';
  /** As the audit names it. */
  name: string;
  role: WebRole;
  /** The address that the request came from. */
  from: string;
}

/** True: a route for `may` is open to this principal; null is somebody unknown. */
export function isAllowed(who: Principal | null, may: May): boolean {
  if (may === 'open') return true;
  return who !== null && WEB_ROLES.indexOf(who.role) >= WEB_ROLES.indexOf(may);
}

/** True: full numbers may be shown; a viewer sees masked ones. */
export function seesNumbers({ role }: Principal): boolean {
  return role !== 'viewer';
}
