import type { Role } from '../../domain/roles.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import { digestOf, newSecret } from './secrets.ts';
import { type PeopleOrder, requireName } from './users.ts';

/** Where it is found by mistake, its first letters tell what it is. */
const PREFIX = 'tuma_';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long a token is good for, unless somebody says otherwise, and at most. */
export const TOKEN_MS = { usual: 365 * DAY_MS, least: MINUTE_MS, most: 3_650 * DAY_MS };

/** A new token, to be shown once. */
export interface NewToken {
  name: string;
  token: string;
  endsAt: number;
}

/** Adds a token of a program. `owners`: all names of who makes it. Throws `usage` and `name_taken`. */
export async function addToken(
  order: PeopleOrder & { role: Role; owners: readonly string[]; lastsMs?: number | undefined },
): Promise<NewToken> {
  const { ledger, change, role, owners, lastsMs = TOKEN_MS.usual } = order;
  const name = requireName(order.name);
  const { secret, digest } = newSecret(PREFIX);
  const endsAt = change.now + lastsMs;
  if (await ledger.addToken({ ...change, name, role, owners, token: { digest, endsAt } }))
    return { name, token: secret, endsAt };
  throw new TumaError('name_taken', {
    message: `There is a token ${name} already.`,
    advice: { action: 'rename_token', name },
  });
}

/** Removes a token, which is refused from now on. Returns its name. Throws `not_found`. */
export async function removeToken({ ledger, change, name: typed }: PeopleOrder): Promise<string> {
  const name = requireName(typed);
  if (await ledger.removeToken({ ...change, name })) return name;
  throw new TumaError('not_found', {
    message: `There is no token ${name}.`,
    advice: { action: 'list_tokens' },
  });
}

/** The program whose token it is; null: unknown, removed or ended. Notes its use, once an hour. */
export async function programOf(
  { reader, ledger }: { reader: LedgerReader; ledger: Ledger },
  { token, now }: { token: string; now: number },
): Promise<{ name: string; role: Role; owners: string[] } | null> {
  if (!token.startsWith(PREFIX)) return null;
  const digest = digestOf(token);
  const row = await reader.token(digest);
  if (row === null || row.endsAt <= now) return null;
  if (row.usedAt === null || now - row.usedAt >= HOUR_MS)
    ledger.touchToken(digest, now).catch(() => undefined);
  return { name: row.name, role: row.role, owners: row.owners };
}
