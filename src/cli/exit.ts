/** Exit codes of the command line; errors carry theirs (domain/errors.ts). */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  /** Settled, with rejected or open uncertain messages. */
  settledWithFailures: 3,
  credentials: 4,
  /** Paused for balance or budget for longer than `--wait-paused`. */
  credit: 5,
  invalidInput: 6,
  /** Any other pause that long. */
  paused: 8,
} as const;

/** The signals that stop a command, with the exit code of a shell: 128 and the signal's number. */
export const SIGNAL_EXITS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** A signal that stops a command. */
export type StopSignal = keyof typeof SIGNAL_EXITS;

/** The exit code of a command that a signal stopped; `reason` is that of the context's signal. */
export function exitCodeOfSignal(reason: unknown): number {
  return SIGNAL_EXITS[reason as StopSignal] ?? EXIT.error;
}

/** The table at the end of `tuma --help`. */
export const EXIT_CODES_HELP = `Exit codes:
  0  done                                  4  credentials refused or missing
  1  error                                 5  not enough credit
  2  usage, declined, forbidden by state   6  job file, CSV or template wrong
  3  settled, with rejected or open        8  paused for too long
     uncertain messages                    129, 130, 143  stopped by a signal`;
