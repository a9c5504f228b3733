import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { PreparationRow } from '../../ledger/contracts/preparations.ts';
import { jobText } from '../jobs/job-text.ts';
import { openAccount } from '../launch/launch.ts';
import { holderOf, processToken } from '../process-token.ts';
import { type AcceptedPlan, failedPlan } from './plan-order.ts';
import type { PreparationActor, PreparationPlan } from './preparation.ts';
import { preparationFolder, removeFolder } from './preparation-folder.ts';
import { lookedAt } from './preparation-row.ts';
import type { PrepareEnv } from './prepare-env.ts';

/** So often a plan of another process is looked at. */
const LOOK_MS = 250;
/** A million rows take minutes. A process that takes half an hour is taken for gone, and can then keep nothing. */
const LONGEST_MS = 30 * 60_000;

/** Plans and launches that run in processes of their own: begun, followed and waited for. */
export class PlanningRuns {
  readonly #env: PrepareEnv;
  /** The rows that plans of this process have read. */
  readonly #progress = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor(env: PrepareEnv) {
    this.#env = env;
  }

  /** The ledger of this process closes. Processes that plan or launch end by themselves, and keep what they did. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves with the row when nothing runs for it any more, here or in another process. */
  async end(row: PreparationRow): Promise<PreparationRow> {
    const { clock, reader } = this.#env;
    await this.#running.get(row.id);
    for (;;) {
      const now = (await (await reader()).preparation(row.id)) ?? row;
      if (now.process === null || this.isGone(now) || this.#isClosed) return now;
      await clock.sleep(LOOK_MS);
    }
  }

  /** The plan as a person sees it: how far it is, and stopped where its process died, for example with the power. */
  planOf(row: PreparationRow): PreparationPlan | null {
    const plan = row.plan === null ? null : (JSON.parse(row.plan) as PreparationPlan);
    if (plan?.planning !== 'running') return plan;
    if (this.isGone(row)) return STOPPED_PLAN;
    return { ...plan, rows: this.#progress.get(row.id) ?? plan.rows };
  }

  /** Notes the process, and lets it work. Nothing begins where another process plans or launches it. */
  async begin(
    row: PreparationRow,
    how: { actor: PreparationActor; launch: AcceptedPlan | null },
  ): Promise<void> {
    const { ledger, clock, processes } = this.#env;
    const { id, revision } = row;
    if (row.process !== null && !this.isGone(row)) return;
    const process = processToken(processes);
    const now = clock.now();
    const what = how.launch === null ? 'plan' : 'launch';
    const plan: PreparationPlan = { planning: 'running', what, rows: 0, since: now };
    const change = { id, revision, by: how.actor.name, now, process, plan: JSON.stringify(plan) };
    if (!(await ledger.beginPlanning({ ...change, dead: row.process }))) return;
    const work = this.#run(row, { process, ...how })
      // Nobody may be waiting for it. After a while it is taken for gone.
      .catch((error: unknown) =>
        this.#env.log.error({ error: maskText(String(error)), id }, 'a plan was not kept'),
      )
      .finally(() => {
        // Another revision may be planned by now.
        if (this.#running.get(id) === work) this.#running.delete(id);
      });
    this.#running.set(id, work);
  }

  /** Never rejects: nobody waits for it but whoever asks for the plan. */
  async #run(
    row: PreparationRow,
    how: { process: string; actor: PreparationActor; launch: AcceptedPlan | null },
  ): Promise<void> {
    const { planApart, reader, settings, log } = this.#env;
    const { id, revision } = row;
    try {
      const { folder, contacts, job } = lookedAt(this.#env, row);
      const account = await openAccount({ ...this.#env, provider: await this.#env.provider() });
      const order = { id, revision, folder, contacts, account, settings, ...how };
      await planApart({ ...order, job: jobText(job, './contacts') }, (rows) => this.#progress.set(id, rows));
    } catch (error) {
      await this.#recordFailure(row, { ...how, error });
    }
    this.#progress.delete(id);
    // The process keeps what it did by itself, also when this one has closed its ledger.
    if (this.#isClosed) return;
    try {
      if ((await (await reader()).preparation(id))?.state === 'launched')
        await removeFolder(preparationFolder(this.#env.sharedFolder, id));
    } catch (error) {
      log.warn({ error: String(error), id }, 'the files of a launched draft are still there');
    }
  }

  async #recordFailure(
    { id, revision }: PreparationRow,
    { process, actor, error }: { process: string; actor: PreparationActor; error: unknown },
  ): Promise<void> {
    const { ledger, clock, log } = this.#env;
    if (!(error instanceof TumaError)) log.error({ error: String(error), id }, 'a plan failed');
    if (this.#isClosed) return;
    const known = error instanceof TumaError ? error : new TumaError('internal', { message: STOPPED });
    const plan = JSON.stringify(failedPlan(known, preparationFolder(this.#env.sharedFolder, id)));
    const change = { id, revision, process, by: actor.name, now: clock.now(), plan };
    await ledger.recordPlan(change).catch((problem: unknown) => {
      log.error({ error: String(problem), id }, 'a failed plan could not be kept');
    });
  }

  /** A process that is proven dead, or has planned for too long, keeps nothing any more. */
  isGone({ process, plan }: PreparationRow): boolean {
    if (process === null || plan === null) return true;
    const { processes, clock } = this.#env;
    const { since } = JSON.parse(plan) as { since: number };
    return holderOf(process, processes).fate === 'dead' || clock.now() - since > LONGEST_MS;
  }
}

const STOPPED = 'The plan stopped before its end.';
const STOPPED_PLAN: PreparationPlan = {
  planning: 'failed',
  code: 'internal',
  message: STOPPED,
  hint: 'Make it again.',
  advice: null,
  where: null,
};
