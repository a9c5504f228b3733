import type { DatabaseSync } from 'node:sqlite';
import { TumaError } from '../../domain/errors.ts';
import type { PreparationChange, PreparationRow, PreparationState } from '../preparations.ts';
import type { LaunchedPreparation, StateChange } from '../records.ts';
import type { CampaignRecords } from './campaigns.ts';
import { loadStatements, type Sql } from './statements.ts';

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
  draft: number | null;
  draft_id: string | null;
  launch: string | null;
  asked_by: string | null;
  asked_at: number | null;
  refused: string | null;
  campaign: string | null;
  created_at: number;
  changed_at: number;
}

/** A launch as the rule of approval sees it. */
export interface LaunchToApprove {
  /** The draft that becomes a campaign, or is laid over one. */
  draft: { n: number; id: string };
  /** The id of the campaign that the preparation becomes. */
  campaign: string;
  preparation: LaunchedPreparation | null;
  now: number;
}

/** The rows of preparations, and the part that they have in a launch. */
export class PreparationBook {
  readonly #sql: Sql;
  readonly #campaigns: CampaignRecords;

  constructor(database: DatabaseSync, campaigns: CampaignRecords) {
    this.#sql = loadStatements(database, new URL('./preparations.sql', import.meta.url));
    this.#campaigns = campaigns;
  }

  /** The preparation becomes launched in this commit. Throws, which undoes the commit, when it must not. */
  launch({ draft, campaign, preparation, now }: LaunchToApprove): void {
    if (preparation === null) {
      if (this.approvalNeeded()) throw approvalNeeded('A second person must approve each campaign.');
      return;
    }
    const { id, revision } = preparation;
    if (this.approvalNeeded()) this.#requireApprover(preparation);
    const { changes } = this.#sql('launched').run(id, revision, draft.n, draft.id, campaign, now);
    if (changes === 0) throw preparationChanged(id);
  }

  /** True: the rule of approval is on. */
  approvalNeeded(): boolean {
    return this.#sql('approval').get()?.['value'] === 'on';
  }

  /** Refuses a recurring job that reads its files anew: what it will send, nobody can approve. */
  refuseReread(): void {
    if (this.approvalNeeded())
      throw approvalNeeded(
        'A recurring job with `contacts: reread` cannot be approved, because its files may change.',
      );
  }

  /** True: an open preparation launches this draft. */
  hasDraft(draft: number): boolean {
    return this.#sql('of_draft').get(draft) !== undefined;
  }

  /** The operations (preparations.ts of the contract). */
  operations() {
    return {
      createPreparation: (
        given: StateChange & { id: string; identities: readonly string[]; job: string },
      ) => {
        const { id, by, identities, job, now } = given;
        this.#sql('create').run(id, by, JSON.stringify(identities), job, now);
        this.#audit({ now, by }, 'prepare', id);
        return this.#require(id);
      },
      changePreparation: (
        change: PreparationChange & { identities: readonly string[]; job?: string; contacts?: string },
      ) => this.#change(change),
      beginPlanning: (
        change: PreparationChange & { process: string; plan: string; dead: string | null },
      ): boolean => {
        const { id, revision, process, plan, dead } = change;
        return this.#sql('begin_planning').run(id, revision, process, plan, dead).changes > 0;
      },
      recordPlan: (
        change: PreparationChange & {
          process: string;
          plan: string;
          draft: { n: number; id: string } | null;
          launch: string | null;
        },
      ): boolean => {
        const { id, revision, process, plan, draft, launch } = change;
        const drafted = [draft?.n ?? null, draft?.id ?? null];
        return this.#sql('record_plan').run(id, revision, process, plan, ...drafted, launch).changes > 0;
      },
      askApproval: (change: PreparationChange) => {
        const { id, revision, by, now } = change;
        return this.#changed(change, 'ask', this.#sql('ask').run(id, revision, by, now).changes);
      },
      refuseApproval: (change: PreparationChange & { reason: string }) => {
        const { id, revision, reason, now } = change;
        return this.#changed(change, 'refuse', this.#sql('refuse').run(id, revision, reason, now).changes);
      },
      joinPreparation: (change: PreparationChange & { campaign: string }) => {
        const { id, revision, campaign, now } = change;
        return this.#changed(
          change,
          'join',
          this.#sql('join_campaign').run(id, revision, campaign, now).changes,
        );
      },
      endPreparations: (end: StateChange & ({ id: string; revision: number } | { changedBefore: number })) =>
        this.#end(end),
      setApproval: ({ on, now, by }: StateChange & { on: boolean }): boolean => {
        if (this.approvalNeeded() === on) return false;
        this.#sql('set_approval').run(on ? 'on' : 'off');
        this.#campaigns.audit({ now, by, verb: 'approval', campaign: null, detail: { on } });
        return true;
      },
      approvalNeeded: (): boolean => this.approvalNeeded(),
      preparation: (id: string): PreparationRow | null => this.#find(id),
      preparations: (): PreparationRow[] => (this.#sql('open_ones').all() as unknown as Row[]).map(rowOf),
    };
  }

  #change(
    change: PreparationChange & { identities: readonly string[]; job?: string; contacts?: string },
  ): { row: PreparationRow; draft: number | null } | null {
    const { id, revision, identities, job = null, contacts = null, now } = change;
    const before = this.#find(id);
    if (before === null) return null;
    const editors = JSON.stringify([...new Set([...before.editors, ...identities])]);
    const { changes } = this.#sql('change').run(id, revision, job, contacts, editors, now);
    if (changes === 0) return null;
    return { row: this.#require(id), draft: before.draft?.n ?? null };
  }

  #changed(
    { id, now, by }: PreparationChange,
    verb: string,
    changes: number | bigint,
  ): { row: PreparationRow; draft: null } | null {
    if (changes === 0) return null;
    this.#audit({ now, by }, verb, id);
    return { row: this.#require(id), draft: null };
  }

  #end(end: StateChange & ({ id: string; revision: number } | { changedBefore: number })) {
    const [id, revision, before] =
      'id' in end ? [end.id, end.revision, null] : [null, null, end.changedBefore];
    const ended = this.#sql('to_end').all(id, revision, before) as unknown as {
      id: string;
      draft: number | null;
    }[];
    for (const each of ended) {
      this.#sql('end_one').run(each.id, end.now);
      this.#audit(end, 'discard', each.id);
    }
    return ended.map(({ id, draft }) => ({ id, draft }));
  }

  /** Nobody approves what they made or changed, under whichever of their names. */
  #requireApprover({ id, identities, mayApprove }: LaunchedPreparation): void {
    const row = this.#require(id);
    if (row.state !== 'asked') throw approvalNeeded('Nobody has asked for approval yet.');
    if (!mayApprove) throw approvalNeeded('An approver must say yes to this campaign.');
    if (row.editors.some((editor) => identities.includes(editor)))
      throw approvalNeeded('Who prepared a campaign cannot approve it.');
  }

  #audit({ now, by }: StateChange, verb: string, preparation: string): void {
    this.#campaigns.audit({ now, by, verb, campaign: null, detail: { preparation } });
  }

  #find(id: string): PreparationRow | null {
    const row = this.#sql('one').get(id) as Row | undefined;
    return row === undefined ? null : rowOf(row);
  }

  #require(id: string): PreparationRow {
    const row = this.#find(id);
    if (row === null) throw new TumaError('not_found', { message: 'There is no such draft.', where: id });
    return row;
  }
}

/** The error of a preparation that somebody changed meanwhile, or that is not open any more. */
export function preparationChanged(id: string): TumaError {
  return new TumaError('preparation_changed', {
    message: 'Somebody changed this draft meanwhile. Nothing was launched.',
    hint: 'Look at it again.',
    where: id,
  });
}

function approvalNeeded(message: string): TumaError {
  return new TumaError('approval_needed', {
    message: `${message} Nothing was launched.`,
    hint: 'Ask for approval on the page of the draft; an approver who did not prepare it launches it there.',
  });
}

function rowOf(row: Row): PreparationRow {
  const { draft, draft_id: draftId, asked_by: by, asked_at: at } = row;
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
    draft: draft === null || draftId === null ? null : { n: draft, id: draftId },
    launch: row.launch,
    asked: by === null || at === null ? null : { by, at },
    refused: row.refused,
    campaign: row.campaign,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}
