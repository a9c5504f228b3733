import type { PreparationState } from '../../domain/approval.ts';
import type { StateChange } from './records.ts';

/* Preparations: durable drafts that people make in pages, and programs by the API. A part of both contracts. */

/** A preparation as the ledger keeps it. Times in milliseconds; `job`, `contacts` and `plan` are JSON. */
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
  /** The process that plans or launches this revision (JSON); null: none does. */
  process: string | null;
  asked: { by: string; at: number } | null;
  /** Why approval was refused; null: it was not. Only a change opens it again. */
  refused: string | null;
  /** The id of the campaign that it became. */
  campaign: string | null;
  createdAt: number;
  changedAt: number;
}

/** A change of a preparation, and who makes it, as the audit names them. */
export interface PreparationChange extends StateChange {
  id: string;
  /** The revision that was seen; another one changes nothing. */
  revision: number;
}

/** The result of a change: the row as it is now; null: the preparation is not at that revision, or not open. */
export type PreparationChanged = PreparationRow | null;

/** The key of a program's request, and the digest of its body. */
export interface PreparationKey {
  key: string;
  digest: string;
}

/** The write part. Each is one transaction. */
export interface PreparationLedger {
  /** With a `request` that made one before: that one, if its digest is the same, else null. */
  createPreparation(
    preparation: StateChange & {
      id: string;
      identities: readonly string[];
      job: string;
      request?: PreparationKey | null;
    },
  ): Promise<PreparationRow | null>;
  /** Changes job or contacts (left out: as they are). The plan goes, and a question for approval is withdrawn. */
  changePreparation(
    change: PreparationChange & { identities: readonly string[]; job?: string; contacts?: string },
  ): Promise<PreparationChanged>;
  /** Notes that a process plans or launches this revision, in place of `dead` (null: of none). False: another one does. */
  beginPlanning(
    change: PreparationChange & { process: string; plan: string; dead: string | null },
  ): Promise<boolean>;
  /** Keeps the plan of that process. False: the revision, the state or the process is another. */
  recordPlan(change: PreparationChange & { process: string; plan: string }): Promise<boolean>;
  /** open → asked, with a plan, and only if nobody has refused this revision. */
  askApproval(change: PreparationChange): Promise<PreparationChanged>;
  /** asked → open, with the reason. */
  refuseApproval(change: PreparationChange & { reason: string }): Promise<PreparationChanged>;
  /** Links a preparation to the open campaign of the same files, in whose place it would be. */
  joinPreparation(change: PreparationChange & { process: string; campaign: string }): Promise<boolean>;
  /**
   * Ends this one, or all open ones that changed last before an instant. Returns their ids. The plan goes, but one that
   * only names a campaign stays (`planning: known`).
   */
  endPreparations(
    end: StateChange & ({ id: string; revision: number } | { changedBefore: number }),
  ): Promise<string[]>;
  /** Turns the rule of approval on or off; a fact of the ledger. False: it is so already. */
  setApproval(change: StateChange & { on: boolean }): Promise<boolean>;
  /** True: a campaign needs the approval of a second person. */
  approvalNeeded(): Promise<boolean>;
}

/** The read part: a page never waits for who writes. */
export interface PreparationReader {
  /** One preparation; null: there is none. */
  preparation(id: string): Promise<PreparationRow | null>;
  /** The preparation that a request made; null: none. */
  preparationOfKey(key: string): Promise<PreparationRow | null>;
  /** The preparation that became this campaign (its id); null: none did. */
  preparationOf(campaign: string): Promise<PreparationRow | null>;
  /** Open and asked ones, the newest change first. */
  preparations(): Promise<PreparationRow[]>;
}
