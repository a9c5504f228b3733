import { TumaError } from '../../domain/errors.ts';
import type { Env } from '../env.ts';
import { runLoop } from '../loop.ts';

const LOOK_MS = 1_000;
/** The wait for a ledger that takes no verdicts. No answer takes longer. */
const PATIENCE_MS = 40_000;

type WatchEnv = Pick<Env, 'clock' | 'ledger' | 'log'>;

/** The steps of a process whose ledger is gone. */
export interface LeavingProcess {
  /** Ends the claims, and resolves when every answer in flight is recorded. */
  settle: () => Promise<void>;
  /** Ends the process. */
  fatal: (error: TumaError) => void;
}

/**
 * Checks every second whether the ledger's file was removed or replaced while it is open (D18). If so, it
 * awaits the messages in flight, records them in the open file, and closes it, which saves it beside its path. Then
 * the process ends, because the next one must begin from that copy. Returns a function that stops the check.
 */
export function watchLedgerPlace(env: WatchEnv, leaving: LeavingProcess): () => Promise<void> {
  const stopping = new AbortController();
  const step = async () => {
    if (!(await env.ledger.inPlace())) await leaveLedger(env, leaving);
  };
  const watching = runLoop(env, { name: 'ledger place', everyMs: LOOK_MS, step }, stopping.signal);
  return async () => {
    stopping.abort();
    await watching;
  };
}

async function leaveLedger(env: WatchEnv, { settle, fatal }: LeavingProcess): Promise<void> {
  env.log.error({}, 'the ledger was removed or replaced while it was in use: nothing more is claimed');
  await bounded(env, settle());
  await bounded(env, env.ledger.close());
  const message = 'The ledger was removed or replaced while it was in use.';
  fatal(new TumaError('ledger_lost', { message }));
}

async function bounded({ clock }: WatchEnv, work: Promise<void>): Promise<void> {
  await Promise.race([work, clock.sleep(PATIENCE_MS)]);
}
