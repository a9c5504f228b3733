import { TumaError } from '../../domain/errors.ts';
import { formatMoney, type MoneyMicro, parseAmount } from '../../domain/money.ts';
import type { PreparationKey } from '../../ledger/contracts/preparations.ts';
import type { Clock } from '../env.ts';
import type { JobKeys, KeyProblem } from '../jobs/job-text.ts';
import type { LaunchQuestion } from '../launch/preview-launch.ts';
import type { DonePlan, Preparation, PreparationActor } from './preparation.ts';
import { errorOf, type Preparations } from './preparations.ts';

/** A launch by one call: what a program gives in place of looking at a plan. Money in millionths. */
export interface LaunchAtOnce {
  actor: PreparationActor;
  job: Partial<JobKeys>;
  /** The id of contacts that were uploaded before. */
  contacts: string;
  /** It is not launched where it may cost more, and pauses before it does; null: nothing but the balance limits it. */
  maxCostMicro: MoneyMicro | null;
  /** True: launch also where the balance may not suffice. */
  partial: boolean;
  /** Questions of the plan that the program answers with yes. The cost is answered by the call. */
  accepted: readonly LaunchQuestion[];
  /** True: only plan. */
  dryRun: boolean;
  /** The key of the request: a repeat goes on where it was, and launches once. Null: none. */
  request: PreparationKey | null;
  /** How long the caller waits, in milliseconds. */
  withinMs: number;
}

/** The outcome of a launch by one call. */
export type LaunchedAtOnce =
  | { outcome: 'launched'; preparation: Preparation; campaign: string; plan: DonePlan | null }
  /** These files are a campaign that has sent everything already. */
  | { outcome: 'settled'; preparation: Preparation; campaign: string }
  /** Only planned, as it was asked for. */
  | { outcome: 'planned'; preparation: Preparation; plan: DonePlan }
  /** It is planned or launched yet: the same call again waits on. `plan`: what is launched; null: it is still planned. */
  | { outcome: 'running'; preparation: Preparation; plan: DonePlan | null }
  /** The plan asks what the call does not answer. */
  | { outcome: 'questions'; preparation: Preparation; questions: LaunchQuestion[] }
  /** Keys are wrong or missing, and nothing was made. */
  | { outcome: 'wrong'; problems: KeyProblem[] };

/** The questions of a plan that nobody answered. The cost is answered by the limit of a call, or by the plan's digest. */
export function openQuestions(
  { questions }: Pick<DonePlan, 'questions'>,
  accepted: readonly LaunchQuestion[],
): LaunchQuestion[] {
  return questions.filter((each) => each !== 'cost' && !accepted.includes(each));
}

/** The number of plans that may turn out to be others by the time of their launch. */
const MOST_PLANS = 3;

/**
 * Makes a preparation, plans it, checks the plan against the limits, and launches it. A repeat of the same request goes
 * on where the one before it ended. Throws what plan and launch throw, `over_max_cost` and `insufficient_credit`; the
 * preparation stays then, for a person to see.
 */
export async function launchAtOnce(
  { preparations, clock }: { preparations: Preparations; clock: Clock },
  order: LaunchAtOnce,
): Promise<LaunchedAtOnce> {
  const job = limitedJob(order);
  const problems = problemsOf(preparations, job);
  if (problems.length > 0) return { outcome: 'wrong', problems };
  const { id } = await begin(preparations, { ...order, job });
  try {
    return await new OneCall({ preparations, clock }, order, id).run();
  } catch (error) {
    throw withPlace(error, id);
  }
}

/** The preparation that stays, where the error names no other place. */
function withPlace(error: unknown, where: string): unknown {
  if (!(error instanceof TumaError) || error.where !== null) return error;
  const { code, message, hint, advice } = error;
  return new TumaError(code, { message, where, hint, advice });
}

/** The keys with the limit of the call: the smaller budget holds. */
function limitedJob({ job, maxCostMicro }: LaunchAtOnce): Partial<JobKeys> {
  if (maxCostMicro === null) return job;
  const own = job.budget === undefined ? null : parseAmount(job.budget, '');
  if (job.budget !== undefined && (own === null || own <= maxCostMicro)) return job;
  return { ...job, budget: formatMoney(maxCostMicro) };
}

function problemsOf(preparations: Preparations, job: Partial<JobKeys>): KeyProblem[] {
  const { problems, missing } = preparations.check({ job, contacts: null });
  const absent = missing.filter((key) => key !== 'contacts');
  return [...problems, ...absent.map((key) => ({ path: [key], message: 'is missing' }))];
}

/** The preparation of this call, with its contacts. Throws where a person has changed it since. */
async function begin(preparations: Preparations, order: LaunchAtOnce): Promise<Preparation> {
  const { actor, job, contacts, request } = order;
  const made = await preparations.create(actor, { job, request });
  if (made.state === 'launched') return made;
  if (made.state === 'asked')
    throw new TumaError('approval_needed', { message: 'It waits for approval.', where: made.id });
  const { id, revision } = made;
  if (made.contacts === null && revision === 1) {
    const use = { revision, actor, upload: contacts, name: String(job.name) };
    try {
      return await preparations.useContacts(id, use);
    } catch (error) {
      // Nobody would find it again.
      if (request === null) await preparations.discard(id, { revision, actor });
      throw error;
    }
  }
  if (revision === 2) return made;
  throw new TumaError('preparation_changed', {
    message: 'Somebody changed this draft after the first call. Nothing was launched.',
    hint: 'Launch it where it was changed, or call with another key.',
    where: id,
  });
}

/** One call about one preparation. */
class OneCall {
  readonly #preparations: Preparations;
  readonly #clock: Clock;
  readonly #order: LaunchAtOnce;
  readonly #id: string;
  readonly #until: number;
  #plans = 0;

  constructor(env: { preparations: Preparations; clock: Clock }, order: LaunchAtOnce, id: string) {
    this.#preparations = env.preparations;
    this.#clock = env.clock;
    this.#order = order;
    this.#id = id;
    this.#until = env.clock.monotonic() + order.withinMs;
  }

  async run(): Promise<LaunchedAtOnce> {
    let preparation = await this.#preparations.find(this.#id);
    let plan: DonePlan | null = null;
    for (;;) {
      if (preparation.campaign !== null)
        return { outcome: 'launched', preparation, campaign: preparation.campaign, plan };
      const next = await this.#step(preparation);
      if ('outcome' in next) return next;
      if (preparation.plan?.planning === 'done') ({ plan } = preparation);
      const isDone = await this.#within(next.waitFor);
      preparation = await this.#preparations.find(this.#id);
      if (!isDone && preparation.campaign === null) return { outcome: 'running', preparation, plan };
    }
  }

  /** What comes next: the end of the call, or something to wait for. */
  async #step(preparation: Preparation): Promise<LaunchedAtOnce | { waitFor: Promise<unknown> }> {
    const { plan } = preparation;
    if (plan?.planning === 'running' && this.#plans > 0) return this.#wait();
    if (plan === null || plan.planning === 'running') return this.#plan(preparation, false);
    if (plan.planning === 'failed') {
      if (this.#plans > 0) throw errorOf(plan);
      return this.#plan(preparation, true);
    }
    if (plan.planning === 'known') {
      if (plan.settled) return this.#settle(preparation, plan.campaign);
      return this.#launch(preparation, { digest: '', accepted: [] });
    }
    return this.#judge(preparation, plan);
  }

  /** Nothing is left to be done with the draft. Its plan stays, for the same request again. */
  async #settle(preparation: Preparation, campaign: string): Promise<LaunchedAtOnce> {
    const { revision, state } = preparation;
    const { actor } = this.#order;
    if (state === 'open') await this.#preparations.discard(this.#id, { revision, actor });
    return { outcome: 'settled', preparation, campaign };
  }

  #wait(): { waitFor: Promise<unknown> } {
    return { waitFor: this.#preparations.planned(this.#id) };
  }

  async #plan({ revision }: Preparation, anew: boolean): Promise<{ waitFor: Promise<unknown> }> {
    this.#plans += 1;
    await this.#preparations.plan(this.#id, { revision, actor: this.#order.actor, anew });
    return this.#wait();
  }

  /** A plan is launched when it asks nothing, and keeps to the limits of the call. */
  async #judge(
    preparation: Preparation,
    plan: DonePlan,
  ): Promise<LaunchedAtOnce | { waitFor: Promise<unknown> }> {
    const { dryRun, accepted } = this.#order;
    if (dryRun) return { outcome: 'planned', preparation, plan };
    const questions = openQuestions(plan, accepted);
    if (questions.length > 0) return { outcome: 'questions', preparation, questions };
    requireLimits(plan, this.#order, preparation.id);
    return this.#launch(preparation, { digest: plan.digest, accepted: plan.questions });
  }

  async #launch(
    { revision }: Preparation,
    seen: { digest: string; accepted: readonly LaunchQuestion[] },
  ): Promise<{ waitFor: Promise<unknown> }> {
    // What it costs by now is judged again, and no endless change is followed.
    if (this.#plans >= MOST_PLANS)
      throw new TumaError('preparation_changed', {
        message: 'The plan is another one each time. Nothing was launched.',
        where: this.#id,
      });
    this.#plans += 1;
    const { actor } = this.#order;
    await this.#preparations.beginLaunch(this.#id, { revision, actor, ...seen });
    return this.#wait();
  }

  /** False: the time of the call is over first. */
  async #within(work: Promise<unknown>): Promise<boolean> {
    const rest = this.#until - this.#clock.monotonic();
    if (rest <= 0) {
      // What it comes to is kept with the preparation.
      work.catch(() => undefined);
      return false;
    }
    const stop = new AbortController();
    const over = this.#clock.sleep(rest, stop.signal).then(() => false);
    const isDone = await Promise.race([work.then(() => true), over]);
    stop.abort();
    return isDone;
  }
}

/** Throws `over_max_cost` and `insufficient_credit`. */
function requireLimits(
  { document: { cost }, money }: DonePlan,
  { maxCostMicro, partial }: LaunchAtOnce,
  where: string,
): void {
  const { currency } = cost;
  const { atMostMicro, balance } = money;
  const upperMicro = atMostMicro ?? 0;
  const upper = formatMoney(upperMicro);
  if (maxCostMicro !== null && upperMicro > maxCostMicro)
    throw new TumaError('over_max_cost', {
      message: `It may cost ${currency} ${upper}, more than ${currency} ${formatMoney(maxCostMicro)}. Nothing was launched.`,
      hint: 'Allow more, shorten the text, or send to fewer contacts.',
      advice: { action: 'raise_max_cost' },
      where,
    });
  const { creditMicro } = balance;
  if (creditMicro === null || partial || creditMicro >= upperMicro) return;
  throw new TumaError('insufficient_credit', {
    message: `The balance is ${currency} ${formatMoney(creditMicro)}, and it may cost ${currency} ${upper}. Nothing was launched.`,
    hint: 'Top up, or launch it in part: it pauses when the credit is used up, and goes on after a top-up.',
    advice: { action: 'top_up_or_partial' },
    where,
  });
}
