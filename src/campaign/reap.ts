import { GRACE_MS, LEASE_MS } from '../domain/protocol-times.ts';
import type { RegisteredWorker } from '../ledger/records.ts';
import type { Env } from './env.ts';

/**
 * Ends workers that died: at once where the system proves it, else when lease and grace are over. Whatever they left
 * `sending` becomes `uncertain`, never `queued`: only the owner could have proven that it was not sent. `self` null: the
 * caller is no worker.
 */
export async function reapDead(
  env: Pick<Env, 'clock' | 'ledger' | 'processes' | 'log'>,
  self: number | null,
): Promise<number> {
  let uncertain = 0;
  for (const worker of await env.ledger.otherWorkers(self)) {
    if (!isDead(env, worker)) continue;
    const count = await env.ledger.reap(worker.worker, env.clock.now());
    env.log.warn({ worker: worker.worker, deadPid: worker.pid, uncertain: count }, 'a worker died');
    uncertain += count;
  }
  return uncertain;
}

function isDead(env: Pick<Env, 'clock' | 'processes'>, worker: RegisteredWorker): boolean {
  const fate = env.processes.fate(worker);
  if (fate === 'dead') return true;
  // A suspended worker that is seen to live may be woken: its claims expire by themselves, but its batches must move on.
  return env.clock.now() - worker.heartbeatAt > LEASE_MS + GRACE_MS;
}
