import type { Context } from '../context.ts';

/** A worker gives a sign of life every few seconds; without one for so long it is not counted. */
const ALIVE_MS = 30_000;

/** Workers that gave a sign of life lately, but for those of which this machine can prove that they died since. */
export async function workersAlive(context: Context): Promise<number> {
  const lately = await (await context.reader()).aliveWorkers(context.clock.now() - ALIVE_MS);
  return lately.filter((worker) => context.processes.fate(worker) !== 'dead').length;
}

/** Says so when nothing will be sent because nobody is there to send it. */
export async function noteWithoutWorker(context: Context): Promise<void> {
  if ((await workersAlive(context)) > 0) return;
  context.output.note('No worker is alive. Start one: tuma serve');
}
