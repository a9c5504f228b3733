import { randomUUID } from 'node:crypto';
import { shownAddress } from '../../domain/alert-endpoint.ts';
import { accountName, programName, type Role } from '../../domain/roles.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { AlertEndpointRow } from '../../ledger/contracts/alert-endpoints.ts';
import type { EndedWithUser } from '../../ledger/contracts/people.ts';
import type { StateChange } from '../../ledger/contracts/records.ts';
import { newSecret } from './secrets.ts';

const DAY_MS = 86_400_000;
/** A link that sets a password is good for this long. */
const LINK_MS = 3 * DAY_MS;

/** An order about a user or a program. */
export interface PeopleOrder {
  ledger: Ledger;
  change: StateChange;
  /** As somebody typed it. */
  name: string;
}

/** A link for the first sign-in, to be shown once. */
export interface SignInLink {
  name: string;
  /** The secret part of the link. */
  secret: string;
  endsAt: number;
}

/** The name as it is kept. Throws `usage`. */
export function requireName(text: string): string {
  const name = accountName(text);
  if (name !== null) return name;
  throw new TumaError('usage', {
    message: 'A name is 1 to 64 letters and digits without spaces; . _ - and @ may stand inside.',
    hint: 'For example: mary, peter.kamau or mary@example.org',
  });
}

/** Adds a user. Throws `usage` and `name_taken`. */
export async function addUser({ role, ...order }: PeopleOrder & { role: Role }): Promise<SignInLink> {
  const { ledger, change } = order;
  const name = requireName(order.name);
  const { secret, ...link } = newLink(change);
  const id = `user ${randomUUID()}`;
  if (await ledger.addUser({ ...change, id, name, role, link })) return { name, secret, endsAt: link.endsAt };
  throw new TumaError('name_taken', {
    message: `There is a user ${name} already.`,
    advice: { action: 'change_user', name },
  });
}

/** Makes a new link for a user who has no password, or forgot it. Throws `not_found`. */
export async function linkForUser(order: PeopleOrder): Promise<SignInLink> {
  const { ledger, change } = order;
  const name = requireName(order.name);
  const { secret, ...link } = newLink(change);
  if (!(await ledger.renewLink({ ...change, name, link }))) throw noUser(name);
  return { name, secret, endsAt: link.endsAt };
}

/** A user whose rights ended, and what ended with them. */
export interface EndedRights {
  name: string;
  tokens: string[];
  /** The addresses that got alerts, as they may be shown. */
  alertAddresses: string[];
}

/**
 * Gives a user another role, and ends the user's sessions, and the tokens that the user made with a higher role; below
 * admin also the addresses of alerts that the user added. Throws `not_found`.
 */
export async function changeRole({ role, ...order }: PeopleOrder & { role: Role }): Promise<EndedRights> {
  const { ledger, change } = order;
  const name = requireName(order.name);
  return endedRights(name, await ledger.changeRole({ ...change, name, role }));
}

/** Removes a user, who is signed out everywhere, with the tokens and addresses of alerts of that user. Throws `not_found`. */
export async function removeUser({ ledger, change, name: typed }: PeopleOrder): Promise<EndedRights> {
  const name = requireName(typed);
  return endedRights(name, await ledger.removeUser({ ...change, name }));
}

function endedRights(name: string, ended: EndedWithUser | null): EndedRights {
  if (ended === null) throw noUser(name);
  const { tokens, alertUrls } = ended;
  return { name, tokens, alertAddresses: alertUrls.map(shownAddress) };
}

/** The addresses of alerts that end with a user: those that the user added, or a token that ends with the user. */
export function endpointsOfUser<Endpoint extends Pick<AlertEndpointRow, 'addedBy'>>(
  endpoints: readonly Endpoint[],
  { name, tokens }: { name: string; tokens: readonly { name: string }[] },
): Endpoint[] {
  const by = new Set([name, ...tokens.map((token) => programName(token.name))]);
  return endpoints.filter(({ addedBy }) => by.has(addedBy));
}

/** Signs a user out of every browser. Throws `usage` for what is no name. */
export async function signOutUser({ ledger, change, name: typed }: PeopleOrder): Promise<void> {
  await ledger.endSessions({ ...change, name: requireName(typed) });
}

/** Says whether a second person must approve each campaign from now on. */
export async function setApproval({
  ledger,
  change,
  on,
}: Omit<PeopleOrder, 'name'> & { on: boolean }): Promise<void> {
  await ledger.setApproval({ ...change, on });
}

function newLink({ now }: StateChange): { secret: string; digest: string; endsAt: number } {
  return { ...newSecret(), endsAt: now + LINK_MS };
}

function noUser(name: string): TumaError {
  return new TumaError('not_found', {
    message: `There is no user ${name}.`,
    advice: { action: 'list_users' },
  });
}
