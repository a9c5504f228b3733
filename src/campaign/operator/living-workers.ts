import { jointOutage, type Outage } from '../../domain/pace/outage.ts';
import type { LedgerReader } from '../../ledger/contracts/reader.ts';
import type { Clock, Processes } from '../env.ts';

/** A worker gives a sign of life every few seconds; without one for so long it is not counted. */
const ALIVE_MS = 30_000;

/** Where workers are looked for. */
export interface WorkerSight {
  clock: Pick<Clock, 'now'>;
  processes: Processes;
  reader(): Promise<Pick<LedgerReader, 'aliveWorkers'>>;
}

/** Workers with a recent heartbeat, except those whose death this machine can prove, and the outage that they see. */
export async function livingWorkers(sight: WorkerSight): Promise<{ workers: number; outage: Outage | null }> {
  const { clock, processes } = sight;
  const lately = await (await sight.reader()).aliveWorkers(clock.now() - ALIVE_MS);
  const living = lately.filter((worker) => processes.fate(worker) !== 'dead');
  return { workers: living.length, outage: jointOutage(living.map(({ outage }) => outage)) };
}

/** The number of `livingWorkers`. */
export async function workersAlive(sight: WorkerSight): Promise<number> {
  return (await livingWorkers(sight)).workers;
}
