import type { DatabaseSync } from 'node:sqlite';
import { reaches, type Role } from '../../domain/roles.ts';
import type {
  NewSession,
  PeopleLedger,
  PeopleReader,
  SecretDigest,
  SessionRow,
  TokenRow,
  UserRights,
  UserRow,
} from '../people.ts';
import type { StateChange } from '../records.ts';
import type { CampaignRecords } from './campaigns.ts';
import type { PreparationBook } from './preparations.ts';
import { type Sql, loadStatements } from './statements.ts';

/* Users, their sessions and links, and the tokens of programs (ledger/people.ts). */

type Order<Name extends keyof PeopleLedger> = Parameters<PeopleLedger[Name]>[0];

interface Records {
  sql: Sql;
  /** What the audit and an alert say of a step that makes an approver, or acts as one, while approval is needed. */
  ofApprover: (isApprover: boolean) => { approval?: 'on' };
  note: (change: StateChange, verb: string, detail: object) => void;
}

/** The write part of ledger/people.ts. */
export function peopleOperations(
  database: DatabaseSync,
  { audit }: Pick<CampaignRecords, 'audit'>,
  preparations: Pick<PreparationBook, 'approvalNeeded'>,
) {
  const sql = loadStatements(database, new URL('./people.sql', import.meta.url));
  const note: Records['note'] = ({ now, by }, verb, detail) =>
    audit({ now, by, verb, campaign: null, detail });
  const ofApprover: Records['ofApprover'] = (isApprover) =>
    isApprover && preparations.approvalNeeded() ? { approval: 'on' } : {};
  const records = { sql, note, ofApprover };
  return { ...userOperations(records), ...sessionOperations(records), ...tokenOperations(records) };
}

/**
 * Ends the tokens that a user made: those of a higher role than `above` (null: all). Who made one could otherwise go on
 * by it after being removed. Returns their names.
 */
function endTokens(
  { sql, note }: Records,
  change: StateChange,
  { of: { id, name }, above }: { of: UserRights; above: Role | null },
): string[] {
  const all = sql('tokens_of').all(id) as unknown as Pick<TokenRow, 'name' | 'role'>[];
  const ended = all.filter(({ role }) => above === null || !reaches(above, role));
  for (const { name: token } of ended) {
    sql('remove_token').run(token);
    note(change, 'remove_token', { token, user: name });
  }
  return ended.map((token) => token.name);
}

function userOperations(records: Records) {
  const { sql, note, ofApprover } = records;
  return {
    addUser(order: Order<'addUser'>): boolean {
      const { id, name, role, link, now, by } = order;
      if (sql('add_user').run(name, role, now, by, id).changes === 0) return false;
      addLink(sql, name, link);
      // A session of the home link would be of nobody from now on.
      sql('end_home_sessions').run();
      note(order, 'add_user', { user: name, role, ...ofApprover(reaches(role, 'approver')) });
      return true;
    },
    renewLink(order: Order<'renewLink'>): boolean {
      const { name, link } = order;
      const user = sql('user').get(name) as UserRights | undefined;
      if (user === undefined) return false;
      addLink(sql, name, link);
      note(order, 'make_link', { user: name, ...ofApprover(reaches(user.role, 'approver')) });
      return true;
    },
    changeRole(order: Order<'changeRole'>): string[] | null {
      const { name, role } = order;
      const user = sql('user').get(name) as UserRights | undefined;
      if (user === undefined) return null;
      sql('set_role').run(name, role);
      sql('end_sessions').run(name);
      const isRaised = reaches(role, 'approver') && !reaches(user.role, role);
      note(order, 'set_role', { user: name, was: user.role, role, ...ofApprover(isRaised) });
      return endTokens(records, order, { of: user, above: role });
    },
    removeUser(order: Order<'removeUser'>): string[] | null {
      const { name } = order;
      const user = sql('user').get(name) as UserRights | undefined;
      if (user === undefined) return null;
      sql('remove_user').run(name);
      sql('end_sessions').run(name);
      sql('end_links').run(name);
      note(order, 'remove_user', { user: name });
      return endTokens(records, order, { of: user, above: null });
    },
    setPassword({ link, password, session, now }: Order<'setPassword'>): string | null {
      const found = sql('link').get(link) as { name: string; endsAt: number } | undefined;
      if (found === undefined || found.endsAt <= now) return null;
      const { name } = found;
      sql('end_links').run(name);
      sql('set_password').run(name, password);
      sql('end_sessions').run(name);
      beginSession(sql, { name, session, now });
      note({ now, by: name }, 'set_password', {});
      return name;
    },
  };
}

function sessionOperations({ sql, note }: Records) {
  return {
    beginSignIn({ name, address, now, limits }: Order<'beginSignIn'>): number | null {
      const since = now - limits.withinMs;
      sql('forget_old_attempts').run(since);
      const full = [
        sql('attempts_here').get(name, address, since, limits.perNameHere),
        sql('attempts_of_name').get(name, since, limits.perName),
        sql('attempts_from').get(address, since, limits.perAddress),
      ].flatMap((oldest) => (oldest === undefined ? [] : [Number(oldest['at'])]));
      if (full.length > 0) return Math.max(...full) + limits.withinMs;
      sql('add_attempt').run(name, address, now);
      return null;
    },
    beginSession(order: Order<'beginSession'>): boolean {
      const { name, password, attempt, address, session, now } = order;
      if (sql('user').get(name)?.['password'] !== password) return false;
      sql('forget_attempts').run(attempt, address);
      beginSession(sql, { name, session, now });
      note({ now, by: name }, 'sign_in', {});
      return true;
    },
    beginHomeSession({ session, now }: Order<'beginHomeSession'>): boolean {
      if (hasUsers(sql)) return false;
      beginSession(sql, { name: null, session, now });
      note({ now, by: 'this machine' }, 'sign_in', {});
      return true;
    },
    touchSession({ digest, now }: { digest: string; now: number }): void {
      sql('touch_session').run(digest, now);
    },
    endSession(order: Order<'endSession'>): boolean {
      if (sql('end_session').get(order.digest) === undefined) return false;
      note(order, 'sign_out', {});
      return true;
    },
    endSessions(order: Order<'endSessions'>): number {
      const { name } = order;
      const { changes } = name === null ? sql('end_home_sessions').run() : sql('end_sessions').run(name);
      note(order, 'sign_out_everywhere', { user: name, sessions: Number(changes) });
      return Number(changes);
    },
  };
}

function tokenOperations({ sql, note, ofApprover }: Records) {
  return {
    addToken(order: Order<'addToken'>): boolean {
      const { name, role, token, owners, now, by } = order;
      const added = [token.digest, name, role, now, by, token.endsAt, JSON.stringify(owners)] as const;
      if (sql('add_token').run(...added).changes === 0) return false;
      const isApprover = reaches(role, 'approver');
      note(order, 'add_token', { token: name, role, endsAt: token.endsAt, ...ofApprover(isApprover) });
      return true;
    },
    removeToken(order: Order<'removeToken'>): boolean {
      if (sql('remove_token').run(order.name).changes === 0) return false;
      note(order, 'remove_token', { token: order.name });
      return true;
    },
    touchToken({ digest, now }: { digest: string; now: number }): void {
      sql('touch_token').run(digest, now);
    },
  };
}

function addLink(sql: Sql, name: string, { digest, endsAt }: SecretDigest): void {
  sql('end_links').run(name);
  sql('add_link').run(digest, name, endsAt);
}

/** The browser's session before it ends, so that nobody can fix the next one. */
function beginSession(
  sql: Sql,
  { name, session, now }: { name: string | null; session: NewSession; now: number },
): void {
  sql('forget_sessions').run(now);
  if (session.replaces !== null) sql('end_session').get(session.replaces);
  sql('add_session').run(session.digest, name, now, session.endsAt);
  if (name !== null) sql('seen').run(name, now);
}

function hasUsers(sql: Sql): boolean {
  return sql('has_users').get()?.['has'] === 1;
}

/** The read part of ledger/people.ts. */
export function peopleReads(database: DatabaseSync) {
  const sql = loadStatements(database, new URL('./people.sql', import.meta.url));
  return {
    hasUsers: (): boolean => hasUsers(sql),
    users: (): UserRow[] =>
      (sql('users').all() as unknown as (Omit<UserRow, 'hasPassword'> & { hasPassword: number })[]).map(
        (row) => ({ ...row, hasPassword: row.hasPassword === 1 }),
      ),
    user: (name: string) => (sql('user').get(name) as UserRights | undefined) ?? null,
    session: (digest: string) => (sql('session').get(digest) as SessionRow | undefined) ?? null,
    link: (digest: string) =>
      (sql('link').get(digest) as Awaited<ReturnType<PeopleReader['link']>> | undefined) ?? null,
    tokens: (): TokenRow[] => sql('tokens').all() as unknown as TokenRow[],
    token(digest: string) {
      const row = sql('token').get(digest) as (TokenRow & { owners: string }) | undefined;
      return row === undefined ? null : { ...row, owners: JSON.parse(row.owners) as string[] };
    },
  };
}
