import type { Connection } from '../../connection.ts';
import { programName, reaches, type Role } from '../../../domain/roles.ts';
import type {
  EndedWithUser,
  NewSession,
  PeopleLedger,
  PeopleReader,
  SecretDigest,
  SessionRow,
  TokenRow,
  UserRights,
  UserRow,
} from '../../contracts/people.ts';
import type { StateChange } from '../../contracts/records.ts';
import type { EndpointBook } from './alert-endpoints.ts';
import type { CampaignRecords } from '../planning/campaigns.ts';
import type { PreparationBook } from '../planning/preparations.ts';
import { type Sql, loadStatements } from '../../statements.ts';
import { operation } from '../operation.ts';

/* Users, their sessions and links, and the tokens of programs. */

type Link = { name: string; endsAt: number };
/** `owners`: JSON. */
type KeptToken = TokenRow & { owners: string };

interface Records {
  sql: Sql;
  /** What the audit and an alert say of a step that makes an approver, or acts as one, while approval is needed. */
  ofApprover: (isApprover: boolean) => Promise<{ approval?: 'on' }>;
  note: (change: StateChange, verb: string, detail: object) => Promise<void>;
  endpoints: Pick<EndpointBook, 'endOf'>;
}

/** The write part. */
export function peopleOperations(
  database: Connection,
  { audit }: Pick<CampaignRecords, 'audit'>,
  {
    preparations,
    endpoints,
  }: { preparations: Pick<PreparationBook, 'approvalNeeded'>; endpoints: Pick<EndpointBook, 'endOf'> },
) {
  const sql = loadStatements(database, new URL('./people.sql', import.meta.url));
  const note: Records['note'] = ({ now, by }, verb, detail) =>
    audit({ now, by, verb, campaign: null, detail });
  const ofApprover: Records['ofApprover'] = async (isApprover) =>
    isApprover && (await preparations.approvalNeeded()) ? { approval: 'on' } : {};
  const records = { sql, note, ofApprover, endpoints };
  return { ...userOperations(records), ...sessionOperations(records), ...tokenOperations(records) };
}

/** Whose rights end: with a role below `above` (null: with all of them). */
interface Ending {
  of: UserRights;
  above: Role | null;
}

/** Ends what a user made and could go on by, and what goes on by itself to an address of the user's choice. */
async function endMade(records: Records, change: StateChange, ending: Ending): Promise<EndedWithUser> {
  const tokens = await endTokens(records, change, ending);
  // Only admins may send alerts to an address.
  if (ending.above !== null && reaches(ending.above, 'admin')) return { tokens, alertUrls: [] };
  const { name } = ending.of;
  const alertUrls: string[] = [];
  for (const by of [name, ...tokens.map(programName)]) {
    for (const { id, url } of await records.endpoints.endOf(by)) {
      await records.note(change, 'remove_alert_endpoint', { endpoint: id, user: name });
      alertUrls.push(url);
    }
  }
  return { tokens, alertUrls };
}

/**
 * Ends the tokens that a user made: those of a higher role than `above` (null: all). Who made one could otherwise go on
 * by it after being removed. Returns their names.
 */
async function endTokens(
  { sql, note }: Records,
  change: StateChange,
  { of: { id, name }, above }: Ending,
): Promise<string[]> {
  const all = await sql<Pick<TokenRow, 'name' | 'role'>>('tokens_of').all(id);
  const ended = all.filter(({ role }) => above === null || !reaches(above, role));
  for (const { name: token } of ended) {
    await sql('remove_token').run(token);
    await note(change, 'remove_token', { token, user: name });
  }
  return ended.map((token) => token.name);
}

function userOperations(
  records: Records,
): Pick<PeopleLedger, 'addUser' | 'renewLink' | 'changeRole' | 'removeUser' | 'setPassword'> {
  const { sql, note, ofApprover } = records;
  return {
    async addUser(order) {
      const { id, name, role, link, now, by } = order;
      if ((await sql('add_user').run(name, role, now, by, id)).changes === 0) return false;
      await addLink(sql, name, link);
      // A session of the home link would be of nobody from now on.
      await sql('end_home_sessions').run();
      await note(order, 'add_user', { user: name, role, ...(await ofApprover(reaches(role, 'approver'))) });
      return true;
    },
    async renewLink(order) {
      const { name, link } = order;
      const user = await sql<UserRights>('user').get(name);
      if (user === undefined) return false;
      await addLink(sql, name, link);
      await note(order, 'make_link', { user: name, ...(await ofApprover(reaches(user.role, 'approver'))) });
      return true;
    },
    async changeRole(order) {
      const { name, role } = order;
      const user = await sql<UserRights>('user').get(name);
      if (user === undefined) return null;
      await sql('set_role').run(name, role);
      await sql('end_sessions').run(name);
      const isRaised = reaches(role, 'approver') && !reaches(user.role, role);
      await note(order, 'set_role', { user: name, was: user.role, role, ...(await ofApprover(isRaised)) });
      return await endMade(records, order, { of: user, above: role });
    },
    async removeUser(order) {
      const { name } = order;
      const user = await sql<UserRights>('user').get(name);
      if (user === undefined) return null;
      await sql('remove_user').run(name);
      await sql('end_sessions').run(name);
      await sql('end_links').run(name);
      await note(order, 'remove_user', { user: name });
      return await endMade(records, order, { of: user, above: null });
    },
    async setPassword({ link, password, session, now }) {
      const found = await sql<Link>('link').get(link);
      if (found === undefined || found.endsAt <= now) return null;
      const { name } = found;
      await sql('end_links').run(name);
      await sql('set_password').run(name, password);
      await sql('end_sessions').run(name);
      await beginSession(sql, { name, session, now });
      await note({ now, by: name }, 'set_password', {});
      return name;
    },
  };
}

function sessionOperations({
  sql,
  note,
}: Records): Pick<
  PeopleLedger,
  'beginSignIn' | 'beginSession' | 'beginHomeSession' | 'touchSession' | 'endSession' | 'endSessions'
> {
  return {
    async beginSignIn({ name, address, now, limits }) {
      const since = now - limits.withinMs;
      await sql('forget_old_attempts').run(since);
      const most = [limits.perNameHere, limits.perName, limits.perAddress];
      const full = await sql<{ at: number | null }>('too_many_attempts').get(name, address, since, ...most);
      if (typeof full?.at === 'number') return full.at + limits.withinMs;
      await sql('add_attempt').run(name, address, now);
      return null;
    },
    async beginSession(order) {
      const { name, password, attempt, address, session, now } = order;
      if ((await sql('user').get(name))?.['password'] !== password) return false;
      await sql('forget_attempts').run(attempt, address);
      await beginSession(sql, { name, session, now });
      await note({ now, by: name }, 'sign_in', {});
      return true;
    },
    async beginHomeSession({ session, now }) {
      if (await hasUsers(sql)) return false;
      await beginSession(sql, { name: null, session, now });
      await note({ now, by: 'this machine' }, 'sign_in', {});
      return true;
    },
    touchSession: operation({ right: 'none' }, async (digest, now) => {
      await sql('touch_session').run(digest, now);
    }),
    async endSession(order) {
      if ((await sql('end_session').get(order.digest)) === undefined) return false;
      await note(order, 'sign_out', {});
      return true;
    },
    async endSessions(order) {
      const { name } = order;
      const { changes } =
        name === null ? await sql('end_home_sessions').run() : await sql('end_sessions').run(name);
      await note(order, 'sign_out_everywhere', { user: name, sessions: Number(changes) });
      return Number(changes);
    },
  };
}

function tokenOperations({
  sql,
  note,
  ofApprover,
}: Records): Pick<PeopleLedger, 'addToken' | 'removeToken' | 'touchToken'> {
  return {
    async addToken(order) {
      const { name, role, token, owners, now, by } = order;
      const added = [token.digest, name, role, now, by, token.endsAt, JSON.stringify(owners)] as const;
      if ((await sql('add_token').run(...added)).changes === 0) return false;
      const approver = await ofApprover(reaches(role, 'approver'));
      await note(order, 'add_token', { token: name, role, endsAt: token.endsAt, ...approver });
      return true;
    },
    async removeToken(order) {
      if ((await sql('remove_token').run(order.name)).changes === 0) return false;
      await note(order, 'remove_token', { token: order.name });
      return true;
    },
    touchToken: operation({ right: 'none' }, async (digest, now) => {
      await sql('touch_token').run(digest, now);
    }),
  };
}

async function addLink(sql: Sql, name: string, { digest, endsAt }: SecretDigest): Promise<void> {
  await sql('end_links').run(name);
  await sql('add_link').run(digest, name, endsAt);
}

/** The browser's session before it ends, so that nobody can fix the next one. */
async function beginSession(
  sql: Sql,
  { name, session, now }: { name: string | null; session: NewSession; now: number },
): Promise<void> {
  await sql('forget_sessions').run(now);
  if (session.replaces !== null) await sql('end_session').get(session.replaces);
  await sql('add_session').run(session.digest, name, now, session.endsAt);
  if (name !== null) await sql('seen').run(name, now);
}

async function hasUsers(sql: Sql): Promise<boolean> {
  return (await sql('has_users').get()) !== undefined;
}

/** The read part. */
export function peopleReads(database: Connection): PeopleReader {
  const sql = loadStatements(database, new URL('./people.sql', import.meta.url));
  return {
    hasUsers: () => hasUsers(sql),
    async users() {
      const rows = await sql<Omit<UserRow, 'hasPassword'> & { hasPassword: number }>('users').all();
      return rows.map((row) => ({ ...row, hasPassword: row.hasPassword === 1 }));
    },
    user: async (name) => (await sql<UserRights>('user').get(name)) ?? null,
    session: async (digest) => (await sql<SessionRow>('session').get(digest)) ?? null,
    link: async (digest) => (await sql<Link>('link').get(digest)) ?? null,
    tokens: async () =>
      (await sql<KeptToken>('tokens').all(null)).map((row): TokenRow => {
        const { owners: _, ...token } = row;
        return token;
      }),
    async token(digest) {
      const row = await sql<KeptToken>('tokens').get(digest);
      return row === undefined ? null : { ...row, owners: JSON.parse(row.owners) as string[] };
    },
  };
}
