import { TumaError } from '../../domain/errors.ts';
import type { Fault } from '../thread/transactions.ts';

/* What Postgres's errors (SQLSTATE, five characters) and lost connections mean. */

/** The connection was lost, and is made anew: nothing of its open transaction remains. */
export class ConnectionLost extends Error {}
/** The connection was lost during COMMIT, and the database cannot say whether it committed. */
export class CommitUnknown extends Error {}

/** The SQLSTATE of a statement that its user may not run. */
export const NO_RIGHT = '42501';

/** By SQLSTATE, or by its first two characters. */
const FAULTS = new Map<string, Fault>([
  ['55P03', 'busy'], // lock_timeout: another writer held the lock
  ['57014', 'again'], // statement_timeout, or canceled by a person
  ['40', 'again'], // serialization failure, deadlock
  ['08', 'again'], // connection
  ['57P', 'again'], // the server ends or begins
  ['25P03', 'again'], // idle in a transaction for too long: this process was frozen
  ['25006', 'readonly'], // a server that only follows another
  ['25P02', 'again'], // behind an error that ended the transaction
  ['53100', 'full'],
  ['53200', 'again'],
  ['53300', 'again'], // too many connections
  ['58', 'broken'],
  ['XX', 'broken'],
  [NO_RIGHT, 'readonly'],
]);

/** The meaning of an error of a statement or of the connection. */
export function postgresFault(error: unknown): Fault {
  if (error instanceof ConnectionLost) return 'again';
  if (error instanceof CommitUnknown) return 'unknown';
  if (error instanceof TumaError && error.code === 'database_unreachable') return 'again';
  const code = codeOf(error);
  if (code === null) return isOfTheNetwork(error) ? 'again' : 'other';
  return FAULTS.get(code) ?? FAULTS.get(code.slice(0, 3)) ?? FAULTS.get(code.slice(0, 2)) ?? 'other';
}

/** The error for a person. Texts of the server stay out of it, where they may repeat what a statement was given. */
export function postgresError(error: unknown): Error {
  if (error instanceof TumaError) return error;
  const fault = postgresFault(error);
  if (fault === 'other') return plain(error);
  const { code, message, hint } = codeOf(error) === NO_RIGHT ? FORBIDDEN : FOR_PEOPLE[fault];
  return new TumaError(code, {
    message: message.replace('<code>', codeOf(error) ?? 'connection lost'),
    hint,
    cause: error,
  });
}

/** What a person reads where a right is missing. */
export const FORBIDDEN = {
  code: 'database_refused',
  message: 'This user of Postgres may not do that.',
  hint: 'TUMA_DATABASE_URL must name the user of this role, and deploy/postgres-roles.sql must have run after the tables were made: see docs/many-machines.md.',
} as const;

const FOR_PEOPLE = {
  busy: {
    code: 'ledger_busy',
    message: 'Another process held the ledger for too long.',
    hint: 'Wait for it to finish; pg_stat_activity names it.',
  },
  again: {
    code: 'database_unreachable',
    message: 'The database of the ledger does not answer (<code>).',
    hint: 'Nothing was lost. See that Postgres runs and that this machine reaches it; work then goes on.',
  },
  unknown: {
    code: 'database_unsure',
    message: 'The connection to the database was lost while it wrote, and it cannot say whether it did.',
    hint: 'Look whether it was done before you repeat it.',
  },
  full: {
    code: 'ledger_full',
    message: 'The disk of the database is full.',
    hint: 'Nothing was lost. Free some space on the machine of Postgres and run the command again.',
  },
  broken: {
    code: 'ledger_invalid',
    message: 'The database of the ledger reports an error of its own (<code>).',
    hint: "Stop every tuma process, and see Postgres's log; restore its backup if it is damaged.",
  },
  readonly: {
    code: 'ledger_invalid',
    message: 'The database of the ledger takes no changes (<code>).',
    hint: 'It is a replica: TUMA_DATABASE_URL must name the primary server.',
  },
} as const;

/** The SQLSTATE of an error; null: it has none. Each has a digit, and EPIPE of a broken socket has none. */
export function codeOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : null;
}

/** What sockets, names and TLS say. Each means that the connection is lost. Errors of files begin with E, too (EIO). */
const NETWORK =
  /^(?:E(?:CONN|NET|HOST)[A-Z]+|E(?:PIPE|TIMEDOUT|NOTFOUND|NOTCONN|PROTO)|EAI_[A-Z]+|ERR_(?:SSL|TLS|SOCKET|STREAM)_\w+)$/;

function isOfTheNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && NETWORK.test(String(error.code))) return true;
  return /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout expired)/.test(
    error.message,
  );
}

/** Only the words of the server's message: details repeat values of rows. */
function plain(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const bare = new Error(error.message, { cause: undefined });
  if (error.stack !== undefined) bare.stack = error.stack;
  return bare;
}
