import type { StateChange } from './records.ts';

/* Preparations: durable drafts that people make in pages, and programs by the API. A part of both contracts. */

/** Where a preparation is on its way. `asked`: somebody asked for approval. */
export type PreparationState = 'open' | 'asked' | 'launched' | 'discarded';

/** A preparation as the ledger keeps it. Times in milliseconds; `job`, `contacts`, `plan` and `launch` are JSON. */
export interface PreparationRow {
  id: string;
  /** Rises by one with each change. */
  revision: number;
  state: PreparationState;
  /** All names of those who made or changed it. */
  editors: string[];
  /** Who began it. */
  owner: string;
  /** The keys of the job file. */
  job: string;
  /** The kept contacts; null: none yet. */
  contacts: string | null;
  /** The plan of this revision; null: there is none. */
  plan: string | null;
  /** The process that plans this revision (WorkerIdentity as JSON); null: none does. */
  process: string | null;
  /** The campaign in state `draft` that holds the planned messages; null: there is none. */
  draft: { n: number; id: string } | null;
  /** What the draft fixes for its launch; null with `draft`. */
  launch: string | null;
  asked: { by: string; at: number } | null;
  /** Why approval was refused the last time; null: it was not. */
  refused: string | null;
  /** The id of the campaign that it became. */
  campaign: string | null;
  createdAt: number;
  changedAt: number;
}

/** Who changes a preparation: the name for the audit, and all names for the rule of approval. */
export interface PreparationChange extends StateChange {
  id: string;
  /** The revision that was seen; another one changes nothing. */
  revision: number;
}

/** The result of a change: the row as it is now; null: the preparation is not at that revision, or not open. */
export type PreparationChanged = { row: PreparationRow; draft: number | null } | null;

/** The write part. Each is one transaction. */
export interface PreparationLedger {
  createPreparation(
    preparation: StateChange & { id: string; identities: readonly string[]; job: string },
  ): Promise<PreparationRow>;
  /**
   * Changes job or contacts (left out: as they are). The plan goes, a question for approval is withdrawn, and the
   * revision rises. `draft`: the campaign that nobody can launch any more, for its discarding.
   */
  changePreparation(
    change: PreparationChange & { identities: readonly string[]; job?: string; contacts?: string },
  ): Promise<PreparationChanged>;
  /** Notes that a process plans this revision, in place of `dead` (null: of none). False: another one does, or did. */
  beginPlanning(
    change: PreparationChange & { process: string; plan: string; dead: string | null },
  ): Promise<boolean>;
  /** Keeps a plan with its draft and its launch (both null: it failed). False: the revision or state is another. */
  recordPlan(
    change: PreparationChange & {
      process: string;
      plan: string;
      draft: { n: number; id: string } | null;
      launch: string | null;
    },
  ): Promise<boolean>;
  /** open → asked, with a plan only. */
  askApproval(change: PreparationChange): Promise<PreparationChanged>;
  /** asked → open, with the reason. */
  refuseApproval(change: PreparationChange & { reason: string }): Promise<PreparationChanged>;
  /** Links a preparation to the open campaign of the same files, in whose place it would be. */
  joinPreparation(change: PreparationChange & { campaign: string }): Promise<PreparationChanged>;
  /** Ends open and asked ones: this one, or all that changed last before an instant. Returns them with their drafts. */
  endPreparations(
    end: StateChange & ({ id: string; revision: number } | { changedBefore: number }),
  ): Promise<{ id: string; draft: number | null }[]>;
  /** Turns the rule of approval on or off; a fact of the ledger. False: it is so already. */
  setApproval(change: StateChange & { on: boolean }): Promise<boolean>;
  /** True: a campaign needs the approval of a second person. */
  approvalNeeded(): Promise<boolean>;
  /** One preparation; null: there is none. */
  preparation(id: string): Promise<PreparationRow | null>;
  /** Open and asked ones, the newest change first. */
  preparations(): Promise<PreparationRow[]>;
}
