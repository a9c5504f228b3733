import type { Connection } from '../../connection.ts';
import { TumaError } from '../../../domain/errors.ts';
import { APPROVAL_PROBLEMS, approvalProblem } from '../../../domain/approval.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { reaches } from '../../../domain/roles.ts';
import type {
  PreparationChange,
  PreparationRow,
  PreparationState,
  PreparationKey,
} from '../../contracts/preparations.ts';
import type { LaunchedPreparation, StateChange } from '../../contracts/records.ts';
import type { CampaignRecords } from './campaigns.ts';
import { askedRight } from '../../thread/asked.ts';
import { roleReader } from '../keeping/rights.ts';
import { loadStatements, type Sql } from '../../statements.ts';
import { someInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

type NewPreparation = StateChange & {
  id: string;
  identities: readonly string[];
  job: string;
  request?: PreparationKey | null;
};
type ChangedPreparation = PreparationChange & {
  identities: readonly string[];
  job?: string | null;
  contacts?: string | null;
};
type BegunPlan = PreparationChange & { process: string; plan: string; dead: string | null };
type EndedPreparations = StateChange & ({ id: string; revision: number } | { changedBefore: number });

interface Row {
  id: string;
  revision: number;
  state: PreparationState;
  owner: string;
  editors: string;
  job: string;
  contacts: string | null;
  plan: string | null;
  process: string | null;
  request_digest: string | null;
  asked_by: string | null;
  asked_at: number | null;
  refused: string | null;
  campaign: string | null;
  created_at: number;
  changed_at: number;
}

/** A launch as the rule of approval sees it. */
export interface LaunchToApprove {
  /** The id of the campaign that is launched, or corrected. */
  campaign: string;
  /** The hash of its contacts, and the number of audit rows when the launch looked at earlier ones. */
  contacts: string;
  since: number | null;
  preparation: LaunchedPreparation | null;
  now: number;
  by: string;
}

interface Step {
  verb: string;
  by: string;
  at: number;
}

/** The latest step of a day by which somebody who worked on a campaign made its approver. */
export interface MadeApprover {
  /** The verb of the audit: `make_link`, `set_role` or `add_user`. */
  approverStep: string;
  approverStepBy: string;
  approverStepAt: number;
}

/** A test to the person's own phones, which needs no approval. */
export interface TestLaunch extends StateChange {
  messages: number;
}

/** While approval is needed, a person may try so many messages a day, in tests of so many phones. */
const TESTS_A_DAY = 20;
const DAY_MS = 86_400_000;

/** The rows of preparations, and the part that they have in a launch. */
export class PreparationBook {
  readonly #sql: Sql;
  readonly #campaigns: CampaignRecords;
  readonly #roleOf: ReturnType<typeof roleReader>;

  constructor(database: Connection, campaigns: CampaignRecords) {
    this.#sql = loadStatements(database, new URL('./preparations.sql', import.meta.url));
    this.#campaigns = campaigns;
    this.#roleOf = roleReader(database);
  }

  /**
   * The preparation becomes launched in this commit. Throws, which undoes the commit, when it must not. Returns what the
   * audit has to say of the approver.
   */
  async launch({
    campaign,
    contacts,
    since,
    preparation,
    now,
    by,
  }: LaunchToApprove): Promise<{ approver?: MadeApprover }> {
    const isNeeded = await this.approvalNeeded();
    if (preparation === null) {
      if (isNeeded) throw approvalNeeded('A second person must approve each campaign.');
      return {};
    }
    const { id, revision, process } = preparation;
    if (isNeeded) await this.#requireApprover(preparation);
    const other = await this.#sql('launched_since').get(contacts, since ?? Infinity);
    if (other !== undefined) throw launchedMeanwhile(other as { id: string; name: string });
    if ((await this.#sql('launched').run(id, revision, process, campaign, now)).changes === 0)
      throw preparationChanged(id);
    return isNeeded ? await this.#madeApprover({ id, approver: by, since: now - DAY_MS }) : {};
  }

  /** Lets a test pass, while approval is needed only a small one. */
  async allowTest({ messages, by, now }: TestLaunch): Promise<void> {
    if (!(await this.approvalNeeded())) return;
    const { tests } = (await this.#sql('tests_of').get(by, now - DAY_MS)) as { tests: number };
    if (messages > JOB_LIMITS.testPhones || tests * JOB_LIMITS.testPhones + messages > TESTS_A_DAY)
      throw approvalNeeded(
        `A test goes to ${JOB_LIMITS.testPhones} phones at most, and to ${TESTS_A_DAY} a day.`,
      );
  }

  /** True: the rule of approval is on. */
  async approvalNeeded(): Promise<boolean> {
    return (await this.#sql('approval').get())?.['value'] === 'on';
  }

  /**
   * While approval is needed, an order that sends more than was approved is for an approver who is signed in, at the
   * time of this commit: a retry, `not sent`, a higher budget, another sender, the meaning of an answer. Of a campaign
   * (its number) it is for one who did not prepare it; null: it is about none.
   */
  async requireApproverNow(order: string, campaign: number | null): Promise<void> {
    if (!(await this.approvalNeeded())) return;
    const approver = await this.#askingApprover();
    if (approver !== null && !(await this.#editorsOf(campaign)).includes(approver)) return;
    const who = approver === null ? 'an approver' : 'another approver, who did not prepare it,';
    throw new TumaError('approval_needed', {
      message: `Approval is needed here, so only ${who} may ${order}. Nothing was changed.`,
      hint: 'Such an approver does it on the pages.',
    });
  }

  /** The id of the approver who asks for the running operation; null: somebody else does. */
  async #askingApprover(): Promise<string | null> {
    const of = askedRight()?.of;
    if (typeof of !== 'object' || !('user' in of)) return null;
    return (await this.#isApprover([of.user])) ? of.user : null;
  }

  /** All who made the preparations of a campaign, and of its corrections. */
  async #editorsOf(campaign: number | null): Promise<string[]> {
    const rows = (await this.#sql('editors_of').all(campaign)) as unknown as { editors: string }[];
    return rows.flatMap(({ editors }) => JSON.parse(editors) as string[]);
  }

  /** Refuses a recurring job that reads its files anew: what it will send, nobody can approve. */
  async refuseReread(): Promise<void> {
    if (await this.approvalNeeded())
      throw approvalNeeded(
        'A recurring job with `contacts: reread` cannot be approved, because its files may change.',
      );
  }

  /** The operations (preparations.ts of the contract). */
  operations() {
    return {
      createPreparation: (given: NewPreparation) => this.#create(given),
      changePreparation: (change: ChangedPreparation) => this.#change(change),
      beginPlanning: async (change: BegunPlan): Promise<boolean> => {
        const { id, revision, process, plan, dead } = change;
        return (await this.#sql('begin_planning').run(id, revision, process, plan, dead)).changes > 0;
      },
      recordPlan: operation(
        { right: 'none' },
        async (change: PreparationChange & { process: string; plan: string }): Promise<boolean> => {
          const { id, revision, process, plan } = change;
          return (await this.#sql('record_plan').run(id, revision, process, plan)).changes > 0;
        },
      ),
      askApproval: async (change: PreparationChange) => {
        const { id, revision, by, now } = change;
        if (!isPlanned(await this.#find(id))) return null;
        return await this.#changed(
          change,
          'ask',
          (await this.#sql('ask').run(id, revision, by, now)).changes,
        );
      },
      refuseApproval: async (change: PreparationChange & { reason: string }) => {
        const { id, revision, reason, now } = change;
        return await this.#changed(
          change,
          'refuse',
          (await this.#sql('refuse').run(id, revision, reason, now)).changes,
        );
      },
      joinPreparation: async (
        change: PreparationChange & { process: string; campaign: string },
      ): Promise<boolean> => {
        const { id, revision, process, campaign, now } = change;
        const { changes } = await this.#sql('launched').run(id, revision, process, campaign, now);
        return (await this.#changed(change, 'join', changes)) !== null;
      },
      endPreparations: (end: EndedPreparations) => this.#end(end),
      setApproval: async ({ on, now, by }: StateChange & { on: boolean }): Promise<boolean> => {
        if ((await this.approvalNeeded()) === on) return false;
        await this.#sql('set_approval').run(on ? 'on' : 'off');
        await this.#campaigns.audit({
          now,
          by,
          verb: 'approval',
          campaign: null,
          detail: { is: on ? 'on' : 'off' },
        });
        return true;
      },
      approvalNeeded: (): Promise<boolean> => this.approvalNeeded(),
    };
  }

  async #create({
    id,
    by,
    identities,
    job,
    now,
    request = null,
  }: NewPreparation): Promise<PreparationRow | null> {
    const known =
      request === null ? undefined : ((await this.#sql('of_key').get(request.key)) as Row | undefined);
    if (known !== undefined) return known.request_digest === request?.digest ? rowOf(known) : null;
    const editors = JSON.stringify(identities);
    await this.#sql('create').run(id, by, editors, job, now, request?.key ?? null, request?.digest ?? null);
    await this.#audit({ now, by }, 'prepare', id);
    return await this.#require(id);
  }

  async #change({ id, revision, identities, job = null, contacts = null, now, by }: ChangedPreparation) {
    const before = await this.#find(id);
    if (before === null) return null;
    const editors = JSON.stringify([...new Set([...before.editors, ...identities])]);
    const { changes } = await this.#sql('change').run(id, revision, job, contacts, editors, now);
    if (changes === 0) return null;
    if (before.state === 'asked') await this.#audit({ now, by }, 'withdraw', id);
    return await this.#require(id);
  }

  async #changed(
    { id, now, by }: PreparationChange,
    verb: string,
    changes: number | bigint,
  ): Promise<PreparationRow | null> {
    if (changes === 0) return null;
    await this.#audit({ now, by }, verb, id);
    return await this.#require(id);
  }

  async #end(end: EndedPreparations): Promise<string[]> {
    const [id, revision, before] =
      'id' in end ? ([end.id, end.revision, null] as const) : ([null, null, end.changedBefore] as const);
    const ended = (await this.#sql('to_end').all(id, revision, before)) as unknown as { id: string }[];
    for (const each of ended) {
      await this.#sql('end_one').run(each.id, end.now);
      await this.#audit(end, 'discard', each.id);
    }
    return ended.map((each) => each.id);
  }

  async #requireApprover({ id, identities, mayApprove }: LaunchedPreparation): Promise<void> {
    // The launch has planned meanwhile, and the approver may be gone or be none any more.
    const isApprover = mayApprove && (await this.#isApprover(identities));
    const problem = approvalProblem(await this.#require(id), { identities, mayApprove: isApprover });
    if (problem !== null) throw approvalNeeded(APPROVAL_PROBLEMS[problem]);
  }

  /** Who worked on it could have made its approver, or that one's link, and signed in as that one. */
  async #madeApprover({
    id,
    approver,
    since: from,
  }: {
    id: string;
    approver: string;
    since: number;
  }): Promise<{
    approver?: MadeApprover;
  }> {
    const { editors } = await this.#require(id);
    const steps = (await this.#sql('steps_for').all(approver, from)) as unknown as Step[];
    const step = steps.find(({ by }) => editors.includes(by));
    return step === undefined
      ? {}
      : { approver: { approverStep: step.verb, approverStepBy: step.by, approverStepAt: step.at } };
  }

  async #isApprover(identities: readonly string[]): Promise<boolean> {
    return await someInOrder(identities, async (user) => {
      const role = await this.#roleOf({ user });
      return role !== null && reaches(role, 'approver');
    });
  }

  async #audit({ now, by }: StateChange, verb: string, preparation: string): Promise<void> {
    await this.#campaigns.audit({ now, by, verb, campaign: null, detail: { preparation } });
  }

  async #find(id: string): Promise<PreparationRow | null> {
    const row = (await this.#sql('one').get(id)) as Row | undefined;
    return row === undefined ? null : rowOf(row);
  }

  async #require(id: string): Promise<PreparationRow> {
    const row = await this.#find(id);
    if (row === null) throw new TumaError('not_found', { message: 'There is no such draft.', where: id });
    return row;
  }
}

/** Reads preparations (preparations.ts of the contract). */
export function preparationReads(database: Connection) {
  const sql = loadStatements(database, new URL('./preparations.sql', import.meta.url));
  const find = async (
    statement: 'one' | 'of_key' | 'of_campaign',
    value: string,
  ): Promise<PreparationRow | null> => {
    const row = (await sql(statement).get(value)) as Row | undefined;
    return row === undefined ? null : rowOf(row);
  };
  return {
    preparation: (id: string) => find('one', id),
    preparationOfKey: (key: string) => find('of_key', key),
    preparationOf: (campaign: string) => find('of_campaign', campaign),
    preparations: async (): Promise<PreparationRow[]> =>
      ((await sql('open_ones').all()) as unknown as Row[]).map(rowOf),
  };
}

/** The error of a preparation that somebody changed meanwhile, or that is not open any more. */
export function preparationChanged(id: string): TumaError {
  return new TumaError('preparation_changed', {
    message: 'Somebody changed this draft meanwhile. Nothing was launched.',
    hint: 'Look at it again.',
    where: id,
  });
}

function launchedMeanwhile({ id, name }: { id: string; name: string }): TumaError {
  return new TumaError('campaign_changed', {
    message: `The same contacts were launched as ${name} (${id}) a moment ago. Nothing more was launched.`,
    hint: 'Look at that campaign; if people should get this too, launch it again.',
    where: id,
  });
}

function approvalNeeded(message: string): TumaError {
  return new TumaError('approval_needed', {
    message: `${message} Nothing was launched.`,
    hint: 'Ask for approval on the page of the draft; an approver who did not prepare it launches it there.',
  });
}

/** A plan that failed can be asked about by nobody, because it can be launched by nobody. */
function isPlanned(row: PreparationRow | null): boolean {
  const plan = row?.plan ?? null;
  return plan !== null && (JSON.parse(plan) as { planning?: string }).planning === 'done';
}

function rowOf(row: Row): PreparationRow {
  const { asked_by: by, asked_at: at } = row;
  return {
    id: row.id,
    revision: row.revision,
    state: row.state,
    editors: JSON.parse(row.editors) as string[],
    owner: row.owner,
    job: row.job,
    contacts: row.contacts,
    plan: row.plan,
    process: row.process,
    asked: by === null || at === null ? null : { by, at },
    refused: row.refused,
    campaign: row.campaign,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
