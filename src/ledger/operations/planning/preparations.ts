import type { Connection } from '../../connection.ts';
import { TumaError } from '../../../domain/errors.ts';
import { APPROVAL_PROBLEMS, approvalProblem } from '../../../domain/approval.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { reaches } from '../../../domain/roles.ts';
import type {
  PreparationChange,
  PreparationLedger,
  PreparationReader,
  PreparationRow,
} from '../../contracts/preparations.ts';
import type { LaunchedPreparation, StateChange } from '../../contracts/records.ts';
import type { CampaignRecords } from './campaigns.ts';
import { askedRight } from '../../thread/asked.ts';
import { roleReader } from '../keeping/rights.ts';
import { loadStatements, type Sql } from '../../statements.ts';
import { someInOrder } from '../../in-order.ts';
import { operation } from '../operation.ts';

/** What an operation of the contract is given. */
type Given<Name extends keyof PreparationLedger> = Parameters<PreparationLedger[Name]>[0];

/** A row of the view, with what the contract does not show: the request that made it. */
interface Row extends Omit<PreparationRow, 'editors' | 'asked'> {
  editors: string;
  askedBy: string | null;
  askedAt: number | null;
  requestKey: string | null;
  requestDigest: string | null;
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
  async launch(launched: LaunchToApprove): Promise<{ approver?: MadeApprover }> {
    const { campaign, contacts, since, preparation, now, by } = launched;
    const isNeeded = await this.approvalNeeded();
    if (preparation === null) {
      if (isNeeded) throw approvalNeeded('A second person must approve each campaign.');
      return {};
    }
    const { id, revision, process } = preparation;
    if (isNeeded) await this.#requireApprover(preparation);
    const other = await this.#sql<{ id: string; name: string }>('launched_since').get(
      contacts,
      since ?? Infinity,
    );
    if (other !== undefined) throw launchedMeanwhile(other);
    if ((await this.#sql('launched').run(id, revision, process, campaign, now)).changes === 0)
      throw preparationChanged(id);
    return isNeeded ? await this.#madeApprover(id, by, now - DAY_MS) : {};
  }

  /** Lets a test pass, while approval is needed only a small one. */
  async allowTest({ messages, by, now }: TestLaunch): Promise<void> {
    if (!(await this.approvalNeeded())) return;
    const tests = Number((await this.#sql('tests_of').get(by, now - DAY_MS))?.['tests']);
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
    const rows = await this.#sql<{ editors: string }>('editors_of').all(campaign);
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
      createPreparation: (given: Given<'createPreparation'>) => this.#create(given),
      changePreparation: (change: Given<'changePreparation'>) => this.#change(change),
      beginPlanning: async (change: Given<'beginPlanning'>): Promise<boolean> => {
        const { id, revision, process, plan, dead } = change;
        return (await this.#sql('begin_planning').run(id, revision, process, plan, dead)).changes > 0;
      },
      recordPlan: operation({ right: 'none' }, async (change: Given<'recordPlan'>): Promise<boolean> => {
        const { id, revision, process, plan } = change;
        return (await this.#sql('record_plan').run(id, revision, process, plan)).changes > 0;
      }),
      askApproval: async (change: Given<'askApproval'>) => {
        const { id, revision, by, now } = change;
        if (!isPlanned(await this.#find(id))) return null;
        return await this.#changed(change, 'ask', await this.#sql('ask').run(id, revision, by, now));
      },
      refuseApproval: async (change: Given<'refuseApproval'>) => {
        const { id, revision, reason, now } = change;
        return await this.#changed(
          change,
          'refuse',
          await this.#sql('refuse').run(id, revision, reason, now),
        );
      },
      joinPreparation: async (change: Given<'joinPreparation'>): Promise<boolean> => {
        const { id, revision, process, campaign, now } = change;
        const joined = await this.#sql('launched').run(id, revision, process, campaign, now);
        return (await this.#changed(change, 'join', joined)) !== null;
      },
      endPreparations: (end: Given<'endPreparations'>) => this.#end(end),
      setApproval: async ({ on, now, by }: Given<'setApproval'>): Promise<boolean> => {
        if ((await this.approvalNeeded()) === on) return false;
        const is = on ? 'on' : 'off';
        await this.#sql('set_approval').run(is);
        await this.#campaigns.audit({ now, by, verb: 'approval', campaign: null, detail: { is } });
        return true;
      },
      approvalNeeded: (): Promise<boolean> => this.approvalNeeded(),
    };
  }

  async #create(given: Given<'createPreparation'>): Promise<PreparationRow | null> {
    const { id, by, identities, job, now, request = null } = given;
    const known = request === null ? undefined : await this.#sql<Row>('of_key').get(request.key);
    if (known !== undefined) return known.requestDigest === request?.digest ? rowOf(known) : null;
    const editors = JSON.stringify(identities);
    await this.#sql('create').run(id, by, editors, job, now, request?.key ?? null, request?.digest ?? null);
    await this.#audit(given, 'prepare', id);
    return await this.#require(id);
  }

  async #change(change: Given<'changePreparation'>): Promise<PreparationRow | null> {
    const { id, revision, identities, job = null, contacts = null, now } = change;
    const before = await this.#find(id);
    if (before === null) return null;
    const editors = JSON.stringify([...new Set([...before.editors, ...identities])]);
    const { changes } = await this.#sql('change').run(id, revision, job, contacts, editors, now);
    if (changes === 0) return null;
    if (before.state === 'asked') await this.#audit(change, 'withdraw', id);
    return await this.#require(id);
  }

  async #changed(
    change: PreparationChange,
    verb: string,
    { changes }: { changes: number | bigint },
  ): Promise<PreparationRow | null> {
    if (changes === 0) return null;
    await this.#audit(change, verb, change.id);
    return await this.#require(change.id);
  }

  async #end(end: Given<'endPreparations'>): Promise<string[]> {
    const [id, revision, before] =
      'id' in end ? ([end.id, end.revision, null] as const) : ([null, null, end.changedBefore] as const);
    const ended = await this.#sql<{ id: string }>('to_end').all(id, revision, before);
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
  async #madeApprover(id: string, approver: string, since: number): Promise<{ approver?: MadeApprover }> {
    const { editors } = await this.#require(id);
    const steps = await this.#sql<MadeApprover>('steps_for').all(approver, since);
    const step = steps.find(({ approverStepBy: by }) => editors.includes(by));
    return step === undefined ? {} : { approver: step };
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
    const row = await this.#sql<Row>('one').get(id);
    return row === undefined ? null : rowOf(row);
  }

  async #require(id: string): Promise<PreparationRow> {
    const row = await this.#find(id);
    if (row === null) throw new TumaError('not_found', { message: 'There is no such draft.', where: id });
    return row;
  }
}

/** Reads preparations (preparations.ts of the contract). */
export function preparationReads(database: Connection): PreparationReader {
  const sql = loadStatements(database, new URL('./preparations.sql', import.meta.url));
  const found = (row: Row | undefined) => (row === undefined ? null : rowOf(row));
  return {
    preparation: async (id) => found(await sql<Row>('one').get(id)),
    preparationOfKey: async (key) => found(await sql<Row>('of_key').get(key)),
    preparationOf: async (campaign) => found(await sql<Row>('of_campaign').get(campaign)),
    preparations: async () => (await sql<Row>('open_ones').all()).map(rowOf),
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

function rowOf({ requestKey: _key, requestDigest: _digest, ...row }: Row): PreparationRow {
  const { editors, askedBy: by, askedAt: at, ...shown } = row;
  const asked = by === null || at === null ? null : { by, at };
  return { ...shown, editors: JSON.parse(editors) as string[], asked };
}
