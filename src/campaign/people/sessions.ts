import { accountName, type Role } from '../../domain/roles.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { NewSession } from '../../ledger/contracts/people.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import {
  hashPassword,
  isPassword,
  type PasswordProblem,
  passwordProblem,
  TooManyPasswords,
} from './passwords.ts';
import { digestOf, newSecret } from './secrets.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A session ends when it was not used for so long, and after so long in any case. */
const SESSION_MS = { idle: 8 * HOUR_MS, whole: 7 * 24 * HOUR_MS };
/** Failed tries that are let through in a quarter of an hour; an office has one address. */
/** A stranger who guesses for one name must not keep its owner out, so all addresses together may fail more often. */
const SIGN_IN_LIMITS = { withinMs: 15 * MINUTE_MS, perNameHere: 10, perName: 100, perAddress: 30 };

/** What sessions need of the ledger, and the time. */
export interface SessionEnv {
  ledger: Ledger;
  reader: LedgerReader;
  now: number;
}

/** Where a browser comes from, and the session that it has; null: none. */
export interface Browser {
  from: string;
  secret: string | null;
}

/** A session that began: the secret goes into the cookie. */
export interface BegunSession {
  secret: string;
  endsAt: number;
}

/** The result of a try to sign in. */
export type SignIn =
  | { state: 'done'; session: BegunSession }
  | { state: 'wrong' }
  /** Too many failed; the time from which a try is looked at again. */
  | { state: 'wait'; until: number }
  /** Too many passwords are compared at this moment. */
  | { state: 'busy' };

/** Signs a user in by name and password. */
export async function signIn(
  env: SessionEnv,
  { name: typed, password, ...browser }: Browser & { name: string; password: string },
): Promise<SignIn> {
  const { ledger, reader, now } = env;
  const { from } = browser;
  const name = accountName(typed) ?? '';
  const attempt = digestOf(name);
  const until = await ledger.beginSignIn({ name: attempt, address: from, now, limits: SIGN_IN_LIMITS });
  if (until !== null) return { state: 'wait', until };
  const kept = (await reader.user(name))?.password ?? null;
  const right = await unlessBusy(isPassword(password, kept));
  if (right === 'busy') return { state: 'busy' };
  if (!right || kept === null) return { state: 'wrong' };
  const { begun, session } = newSession(now, browser.secret);
  const order = { name, password: kept, attempt, address: from, session, now };
  return (await ledger.beginSession(order)) ? { state: 'done', session: begun } : { state: 'wrong' };
}

/** Where a link for the first sign-in leads on the pages. */
export function signInPath(link: string): string {
  return `/password?link=${link}`;
}

/** The result of a try to use a link. */
export type NewPassword =
  | { state: 'done'; name: string; session: BegunSession }
  | { state: 'refused'; problem: PasswordProblem }
  /** The link was used, has ended, or was never made. */
  | { state: 'ended' }
  | { state: 'busy' };

/** The user whom an unused link is for; null: it is of no use. */
export async function userOfLink(
  { reader, now }: Pick<SessionEnv, 'reader' | 'now'>,
  link: string,
): Promise<string | null> {
  const found = await reader.link(digestOf(link));
  return found === null || found.endsAt <= now ? null : found.name;
}

/** Sets a password by a link, ends the user's other sessions, and signs the user in. */
export async function setPassword(
  env: SessionEnv,
  { link, password, ...browser }: Browser & { link: string; password: string },
): Promise<NewPassword> {
  const { ledger, now } = env;
  const user = await userOfLink(env, link);
  if (user === null) return { state: 'ended' };
  const problem = passwordProblem(password, user);
  if (problem !== null) return { state: 'refused', problem };
  const kept = await unlessBusy(hashPassword(password));
  if (kept === 'busy') return { state: 'busy' };
  const { begun, session } = newSession(now, browser.secret);
  const order = { link: digestOf(link), password: kept, session, now };
  const name = await ledger.setPassword(order);
  return name === null ? { state: 'ended' } : { state: 'done', name, session: begun };
}

/** Begins a session of the home link, which the caller has checked, in place of the browser's (null: none). Null: there are users, so it has ended. */
export async function openHome(
  { ledger, now }: Pick<SessionEnv, 'ledger' | 'now'>,
  secret: string | null,
): Promise<BegunSession | null> {
  const { begun, session } = newSession(now, secret);
  return (await ledger.beginHomeSession({ session, now })) ? begun : null;
}

/** A user who is signed in, or `home`: somebody who opened the link of this machine. */
export type SignedIn = { id: string; name: string; role: Role } | 'home';

/** Whose session it is; null: it has ended, or there was none. `isUse`: it is used by this, and goes on. */
export async function sessionOf(
  { ledger, reader, now }: SessionEnv,
  { secret, isUse }: { secret: string; isUse: boolean },
): Promise<SignedIn | null> {
  const digest = digestOf(secret);
  const row = await reader.session(digest);
  if (row === null || row.endsAt <= now || row.usedAt + SESSION_MS.idle <= now) return null;
  // A page waits for no other writer, and a use that was not noted only ends an idle session early.
  if (isUse && now - row.usedAt >= MINUTE_MS) ledger.touchSession(digest, now).catch(() => undefined);
  const { id, name, role } = row;
  return id === null || name === null || role === null ? 'home' : { id, name, role };
}

/** Ends one session. */
export async function signOut(
  { ledger, now }: Pick<SessionEnv, 'ledger' | 'now'>,
  { by, secret }: { by: string; secret: string },
): Promise<void> {
  await ledger.endSession({ digest: digestOf(secret), now, by });
}

/** Ends every session of a user; `name` null: of the home link. `by`: who asks, as the audit names them. */
export async function signOutEverywhere(
  { ledger, now }: Pick<SessionEnv, 'ledger' | 'now'>,
  { name, by }: { name: string | null; by: string },
): Promise<void> {
  await ledger.endSessions({ name, by, now });
}

function newSession(
  now: number,
  replaced: string | null,
): {
  begun: BegunSession;
  session: NewSession;
} {
  const { secret, digest } = newSecret();
  const endsAt = now + SESSION_MS.whole;
  const replaces = replaced === null ? null : digestOf(replaced);
  return { begun: { secret, endsAt }, session: { digest, endsAt, replaces } };
}

async function unlessBusy<Result>(work: Promise<Result>): Promise<Result | 'busy'> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TooManyPasswords) return 'busy';
    throw error;
  }
}
