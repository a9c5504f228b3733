import { jointOutage, type Outage } from '../../domain/pace/outage.ts';
import type { Services } from '../contracts.ts';

/** A worker gives a sign of life every few seconds; without one for so long it is not counted. */
const ALIVE_MS = 30_000;

type Looking = Pick<Services, 'clock' | 'processes' | 'reader'>;

/** Workers with a recent heartbeat, except those whose death this machine can prove, and the outage that they see. */
export async function livingWorkers(services: Looking): Promise<{ workers: number; outage: Outage | null }> {
  const lately = await (await services.reader()).aliveWorkers(services.clock.now() - ALIVE_MS);
  const living = lately.filter((worker) => services.processes.fate(worker) !== 'dead');
  return { workers: living.length, outage: jointOutage(living.map(({ outage }) => outage)) };
}

/** The number of `livingWorkers`. */
export async function workersAlive(services: Looking): Promise<number> {
  return (await livingWorkers(services)).workers;
}
