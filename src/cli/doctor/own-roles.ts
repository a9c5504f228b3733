import { reapDead } from '../../campaign/maintenance/reap.ts';
import { TumaError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import type { RunningRoles } from '../../runtime/contracts.ts';
import { workersAlive } from '../../campaign/operator/living-workers.ts';

/** A worker that binds the collector's port first is alive within this time. */
const RIVAL_MS = 5_000;
const RIVAL_LOOK_MS = 250;

/** Worker and collector of a `launch --wait`, which run here while no other worker is alive. */
export class OwnRoles {
  readonly #context: Context;
  #running: RunningRoles | null = null;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Starts them if needed. Throws the errors of their start (`port_in_use`, `redis_unreachable` …). */
  async tend(): Promise<void> {
    if (this.#running !== null || (await provenAlive(this.#context)) > 0) return;
    this.#running = await startOwn(this.#context);
  }

  /** True: this process sends. */
  get sends(): boolean {
    return this.#running !== null;
  }

  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    await running?.stop();
  }
}

/** A killed worker looks alive for half a minute, so a worker with a proven death is ended first. */
export async function provenAlive(context: Context): Promise<number> {
  await reapDead({ ...context, ledger: await context.ledger() }, null);
  return workersAlive(context);
}

/** Null: of two launches at once the other one has the collector's port, and its worker sends. */
async function startOwn(context: Context): Promise<RunningRoles | null> {
  try {
    return await context.startRoles({ roles: ['worker', 'collector'], patient: false });
  } catch (error) {
    if (!(error instanceof TumaError) || error.code !== 'port_in_use') throw error;
    if (!(await rivalCame(context))) throw error;
    return null;
  }
}

async function rivalCame(context: Context): Promise<boolean> {
  const { clock, signal } = context;
  const until = clock.monotonic() + RIVAL_MS;
  while (clock.monotonic() < until && !signal.aborted) {
    if ((await workersAlive(context)) > 0) return true;
    await clock.sleep(RIVAL_LOOK_MS, signal);
  }
  return false;
}
