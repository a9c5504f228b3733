import type { LedgerMove, Moved, MoveProgress } from '../../ledger/contracts/ledger-move.ts';
import type { Env } from '../env.ts';
import { reapDead } from '../maintenance/reap.ts';

const LOOK_MS = 500;

/** What a move needs beside its ledger. */
export interface MoveEnv extends Pick<Env, 'clock' | 'processes' | 'wire' | 'log'> {
  /** The ledger in the file. */
  ledger(): Promise<Env['ledger']>;
  signal: AbortSignal;
  /** Told how many messages are still on the wire. */
  waiting: (sending: number) => void;
  progress: MoveProgress;
}

/**
 * Moves the ledger: nothing is claimed any more, the messages on the wire are waited for, and then the ledger is carried
 * over. Null: an earlier run has carried it over. When it fails or is stopped before that, the file sends again.
 */
export async function moveLedger(env: MoveEnv, move: LedgerMove): Promise<Moved | null> {
  const begun = await move.begin();
  const moved = begun === 'moved' ? null : await carryOver(env, move);
  await move.open();
  return moved;
}

async function carryOver(env: MoveEnv, move: LedgerMove): Promise<Moved> {
  try {
    await nothingOnTheWire(env, move);
    return await move.carryOver(env.progress, env.signal);
  } catch (error) {
    // It refuses where the file has sent its last message, or somebody else has taken the move back.
    await move.takeBack().catch(() => undefined);
    throw error;
  }
}

/** Nobody else may be there to end a killed worker, whose messages would be on the wire for ever. */
async function nothingOnTheWire(env: MoveEnv, move: LedgerMove): Promise<void> {
  for (let sending = move.sending(); sending > 0 && !env.signal.aborted; sending = move.sending()) {
    env.waiting(sending);
    await reapDead({ ...env, ledger: await env.ledger() }, null);
    if (move.sending() > 0) await env.clock.sleep(LOOK_MS, env.signal);
  }
}
