/** The failures of a start. `truth_unwritable` can also end a running sandbox. */
export type SandboxErrorCode =
  | 'options_invalid'
  | 'script_missing'
  | 'script_invalid'
  | 'truth_invalid'
  | 'truth_unwritable'
  | 'port_in_use';

/** An error for the person who starts the sandbox, with a place (file:line:column) and a hint. */
export class SandboxError extends Error {
  readonly code: SandboxErrorCode;
  readonly where: string | null;
  readonly hint: string | null;

  constructor(
    code: SandboxErrorCode,
    facts: { message: string; where?: string; hint?: string; cause?: unknown },
  ) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'SandboxError';
    this.code = code;
    this.where = facts.where ?? null;
    this.hint = facts.hint ?? null;
  }
}
