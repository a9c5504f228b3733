import type { Advice } from './advice.ts';

/**
 * The closed set of errors that a person can meet. Each has a stable code, the command line's exit code, and
 * one line for docs/errors.md (a test compares them). Throw these for problems that a person must solve.
 * Return a union for expected outcomes, such as a refused number or a throttle.
 */
export const ERROR_CODES = {
  internal: { exit: 1, means: 'A bug in Tuma; the ledger is safe and the campaign can be continued.' },
  usage: { exit: 2, means: 'The command or a flag is wrong.' },
  declined: { exit: 2, means: 'A person declined, or nobody could be asked and `--yes` was not given.' },
  config_invalid: { exit: 2, means: 'One or more settings are wrong; each is listed with its source.' },
  not_found: { exit: 2, means: 'No campaign, file, row, user or token of that name.' },
  name_taken: { exit: 2, means: 'A user or a token of that name exists already.' },
  ambiguous: { exit: 2, means: 'The prefix or name fits several campaigns.' },
  state_forbids: { exit: 2, means: "The campaign's state forbids this verb." },
  campaign_changed: {
    exit: 2,
    means:
      'A campaign of that name, with other files, is still open; or it went on while contacts were compared with it.',
  },
  cancel_missing: {
    exit: 2,
    means:
      'A corrected upload leaves out more than a tenth of the open reminders, and `--cancel-missing` was not given.',
  },
  over_max_cost: {
    exit: 2,
    means: 'The upper estimate, or what the open campaign of these files may cost, is above `--max-cost`.',
  },
  approval_needed: {
    exit: 2,
    means: 'A second person must approve (`TUMA_APPROVAL=on`), and has not.',
  },
  right_lost: {
    exit: 2,
    means: 'Whoever asked for it was removed, or given a lower role, before it was done.',
  },
  preparation_changed: {
    exit: 2,
    means: 'Somebody changed the draft, or its plan is another one than the person saw.',
  },
  new_ledger: { exit: 2, means: 'Nothing sent before is known in this ledger and nobody could be asked.' },
  too_early: { exit: 2, means: 'An uncertain message is too young to be sent again.' },
  person_waits: {
    exit: 2,
    means: 'Something of this person must be canceled, waited for or decided before their data is removed.',
  },
  busy: { exit: 1, means: 'Too much of this kind is under way. Nothing was begun.' },
  credentials: { exit: 4, means: 'The provider refused the credentials, or none are set.' },
  insufficient_credit: { exit: 5, means: 'The balance is below the estimate and `--partial` was not given.' },
  job_invalid: { exit: 6, means: 'The job file is wrong; the place is named.' },
  contacts_invalid: { exit: 6, means: 'The CSV cannot be read, or a bound is passed; the place is named.' },
  template_invalid: { exit: 6, means: 'The template is wrong; the place is named.' },
  no_usable_row: { exit: 6, means: 'No row of the CSV can be sent to.' },
  cost_unknown: { exit: 6, means: 'A limit on the cost needs a price, and none is known.' },
  provider_unreachable: { exit: 1, means: 'The messaging service did not answer.' },
  provider_answer: { exit: 1, means: 'The messaging service answered something that cannot be read.' },
  ledger_busy: { exit: 1, means: 'Another process held the ledger for too long.' },
  ledger_full: { exit: 1, means: 'The disk is full; nothing was lost, free some space and go on.' },
  ledger_invalid: {
    exit: 1,
    means:
      'The ledger is corrupt, emptied, no ledger at all, read-only, or on a file system that cannot hold one.',
  },
  ledger_behind: {
    exit: 1,
    means:
      'The ledger is older than what was sent from its home (a backup, a copy, a new one in its place); nothing is sent until a person decides.',
  },
  claims_unnoted: {
    exit: 1,
    means: 'Claims cannot be noted outside of `TUMA_HOME`; no more are made until they can.',
  },
  ledger_lost: {
    exit: 1,
    means: 'The ledger was removed or replaced while it was in use; what was open is saved beside it.',
  },
  ledger_newer: { exit: 1, means: 'The ledger was written by a newer Tuma.' },
  ledger_moved: {
    exit: 1,
    means:
      'The ledger is being moved to Postgres, or was moved there; nothing is sent from the file, nor from an incomplete copy.',
  },
  database_unreachable: {
    exit: 1,
    means:
      'The Postgres of the ledger does not answer, or is only a replica; nothing was lost, and work goes on when it does.',
  },
  database_refused: {
    exit: 1,
    means: 'This Postgres cannot hold the ledger: user, password, certificate, version, settings or a proxy.',
  },
  database_unsure: {
    exit: 1,
    means: 'The connection was lost while the database wrote. Look whether it was done before you repeat it.',
  },
  sqlite_too_old: { exit: 1, means: 'The SQLite of this Node can lose commits (before 3.51.3).' },
  redis_unreachable: { exit: 1, means: 'Redis does not answer.' },
  redis_unsafe: { exit: 1, means: 'This Redis may evict keys, or is too old.' },
  redis_refused: {
    exit: 1,
    means:
      'Redis is full or read-only, refuses the password, a right or a certificate, or is of another kind.',
  },
  redis_missing: { exit: 1, means: 'No Redis or Valkey server could be found to start.' },
  port_in_use: { exit: 1, means: 'Another program listens on that port.' },
  file_unwritable: { exit: 1, means: 'A file could not be written.' },
  truth_invalid: { exit: 1, means: "The sandbox's truth log is damaged; the line is named." },
  truth_in_use: { exit: 1, means: 'Another sandbox writes this truth log.' },
  collector_failed: { exit: 1, means: 'The collector does not answer, or did not take the webhook.' },
  invariant_broken: { exit: 1, means: '`tuma verify` found rows that break an invariant.' },
  interrupted: {
    exit: 130,
    means:
      'Stopped by a signal (129 hang-up, 130 Ctrl-C, 143 termination); the state is kept, the same command goes on.',
  },
} as const;
/** The code of an error for people: stable, and listed in docs/errors.md. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The parts of an error for a person. */
export interface ErrorFacts {
  message: string;
  /** The advice that is the same for every face. */
  hint?: string | null;
  /** The way on, which each face words; it follows the hint. */
  advice?: Advice | null;
  /** file:line:column, or a setting's name. */
  where?: string | null;
  cause?: unknown;
}

/** An error for a person. `message` never holds a credential, a message text or a full number. */
export class TumaError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly advice: Advice | null;
  readonly where: string | null;

  constructor(code: ErrorCode, facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'TumaError';
    this.code = code;
    this.hint = facts.hint ?? null;
    this.advice = facts.advice ?? null;
    this.where = facts.where ?? null;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/** With less free space nothing new is planned or claimed, so that open verdicts have room. */
export const LEAST_FREE_BYTES = 200 * 2 ** 20;
/** A file that somebody asks for may not take the room of webhooks and verdicts, which stop at `LEAST_FREE_BYTES`. */
export const LEAST_FREE_FOR_FILES_BYTES = 2 * LEAST_FREE_BYTES;

/** The error for a full ledger disk; null: it has enough room. */
export function lackOfRoom(freeBytes: number, leastBytes: number = LEAST_FREE_BYTES): TumaError | null {
  if (freeBytes >= leastBytes) return null;
  return new TumaError('ledger_full', {
    message: `The disk that holds the ledger has ${Math.floor(freeBytes / 2 ** 20)} MB left.`,
    hint: `It goes on when ${Math.ceil(leastBytes / 2 ** 20)} MB are free.`,
  });
}
