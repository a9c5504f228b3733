import type { Role } from '../../domain/roles.ts';
import type { StateChange } from './records.ts';

/*
 * Who may use the pages and the API: a part of both contracts. Secrets come as digests and never leave. Names are
 * those of domain/roles.ts. Times in milliseconds.
 */

/** A secret that was handed out once. */
export interface SecretDigest {
  /** SHA-256 of the secret, in hexadecimal. */
  digest: string;
  endsAt: number;
}

/** A session that begins. */
export interface NewSession extends SecretDigest {
  /** The digest of the browser's session before it, which ends. */
  replaces: string | null;
}

/** The bounds of failed sign-ins. */
export interface SignInLimits {
  /** How long a try counts. */
  withinMs: number;
  /** With one name from one address. */
  perNameHere: number;
  perName: number;
  perAddress: number;
}

/** The write part. Every operation is one transaction, and each change of a right leaves an audit row. */
export interface PeopleLedger {
  /** Adds a user with a link for the first sign-in. False: there is a user of that name. */
  addUser(
    order: StateChange & { id: string; name: string; role: Role; link: SecretDigest },
  ): Promise<boolean>;
  /** Gives a user a new link, and ends the earlier ones. False: there is no such user. */
  renewLink(order: StateChange & { name: string; link: SecretDigest }): Promise<boolean>;
  /**
   * Gives a user another role, and ends the user's sessions, and the tokens that the user made with a higher role.
   * Below admin also the addresses of alerts end. Null: there is no such user.
   */
  changeRole(order: StateChange & { name: string; role: Role }): Promise<EndedWithUser | null>;
  /** Removes a user with sessions, links, and what the user made. Null: there is no such user. */
  removeUser(order: StateChange & { name: string }): Promise<EndedWithUser | null>;
  /**
   * Uses a link up: sets the password, ends the user's sessions and begins one. Returns the user's name; null: the
   * link was used, has ended, or was never made.
   */
  setPassword(order: {
    link: string;
    password: string;
    session: NewSession;
    now: number;
  }): Promise<string | null>;
  /**
   * Notes a try to sign in, before the password is looked at. Returns null, or the time from which a try is looked
   * at again: too many failed, with this name or from this address.
   */
  beginSignIn(attempt: {
    /** A digest, because people type passwords into the wrong field. */
    name: string;
    address: string;
    now: number;
    limits: SignInLimits;
  }): Promise<number | null>;
  /**
   * Begins a session, and forgets the failed tries of the user. `password` is the stored one that was compared.
   * False: the user was removed or the password changed meanwhile.
   */
  beginSession(order: {
    name: string;
    password: string;
    /** The digest and the address that the try was noted with. */
    attempt: string;
    address: string;
    session: NewSession;
    now: number;
  }): Promise<boolean>;
  /** Begins a session of the home link. False: there are users, so the link has ended. */
  beginHomeSession(order: { session: NewSession; now: number }): Promise<boolean>;
  /** The session was used. */
  touchSession(digest: string, now: number): Promise<void>;
  /** Ends one session. False: it had ended. */
  endSession(order: StateChange & { digest: string }): Promise<boolean>;
  /** Ends all sessions of a user, or (null) of the home link. Returns their number. */
  endSessions(order: StateChange & { name: string | null }): Promise<number>;
  /** Adds a token of a program. False: there is one of that name. */
  addToken(order: NewToken): Promise<boolean>;
  /** False: there is no token of that name. */
  removeToken(order: StateChange & { name: string }): Promise<boolean>;
  /** The token was used. */
  touchToken(digest: string, now: number): Promise<void>;
}

/** The read part. */
export interface PeopleReader {
  hasUsers(): Promise<boolean>;
  /** All users by name. */
  users(): Promise<UserRow[]>;
  /** A user with the stored password, for comparing; null: there is none. */
  user(name: string): Promise<UserRights | null>;
  /** A session with the present role of its user. Null: none, or its user is gone, or it is of an ended home link. */
  session(digest: string): Promise<SessionRow | null>;
  /** The user whom a link is for; null: used, replaced or unknown. */
  link(digest: string): Promise<{ name: string; endsAt: number } | null>;
  /** All tokens by name. */
  tokens(): Promise<TokenRow[]>;
  token(digest: string): Promise<(TokenRow & { owners: string[] }) | null>;
}

/** What ended with the rights of a user who made it. */
export interface EndedWithUser {
  /** The names of tokens. */
  tokens: string[];
  /** The addresses that got alerts, added by the user or by one of these tokens. */
  alertUrls: string[];
}

/** A token that is added. */
export interface NewToken extends StateChange {
  name: string;
  role: Role;
  token: SecretDigest;
  /** All names of who makes it, and so answers for it. With the id of a user among them it ends with that user. */
  owners: readonly string[];
}

/** What a user may, and the stored password. */
export interface UserRights {
  /** Never of another user, also when the name is given anew. */
  id: string;
  name: string;
  role: Role;
  password: string | null;
}

/** A user as admins see one. */
export interface UserRow {
  name: string;
  role: Role;
  addedAt: number;
  addedBy: string;
  hasPassword: boolean;
  /** When the open link for signing in ends; null: there is none. */
  linkEndsAt: number | null;
  /** The last sign-in; null: none yet. */
  seenAt: number | null;
  /** Sessions that were not ended; some may be too old to count. */
  sessions: number;
}

/** A session; whoever asks judges whether it is too old. */
export interface SessionRow {
  /** Null: of the home link. */
  name: string | null;
  /** Null: of the home link. */
  id: string | null;
  /** Null: of the home link. */
  role: Role | null;
  begunAt: number;
  usedAt: number;
  endsAt: number;
}

/** A token as admins see one. */
export interface TokenRow {
  name: string;
  role: Role;
  addedAt: number;
  /** Who made it, and so answers for it. */
  addedBy: string;
  /** The user with whom it ends; null: it was made at the machine, and is nobody's. */
  user: string | null;
  endsAt: number;
  usedAt: number | null;
}
