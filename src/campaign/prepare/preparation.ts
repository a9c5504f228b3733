import type { Advice } from '../../domain/advice.ts';
import type { JobKeys } from '../jobs/job-text.ts';
import type { PreparationState } from '../../domain/approval.ts';
import type { LaunchQuestion } from '../launch/preview-launch.ts';
import type { RowReason } from '../../domain/row-reason.ts';
import type { MoneyMicro } from '../../domain/money.ts';
import type { PlanBalance } from '../planning/plan-balance.ts';
import type { PlanDocument } from '../planning/plan-document.ts';

/*
 * A preparation: a campaign that a person makes step by step, or a program by one call. It is a row of the ledger with
 * the keys of a job file, and a folder of the home with the contacts, so that nothing is lost between two steps. Its
 * plan and its launch are those of a job file.
 */

/** The contacts of a preparation: a file that was uploaded, kept under a name of ours. */
export interface KeptContacts {
  /** As the person's own file is called; only shown. */
  name: string;
  bytes: number;
  /** When it was received, in milliseconds. */
  at: number;
  format: 'csv' | 'xlsx';
  sha256: string;
  /** The name of the file in the folder of the preparation. */
  file: string;
}

/** The plan of one revision. */
export type PreparationPlan =
  /** A process plans it; `rows` were read so far. */
  | { planning: 'running'; what: 'plan' | 'launch'; rows: number; since: number }
  /** It failed, and the person can mend it: all parts as of TumaError. */
  | {
      planning: 'failed';
      code: string;
      message: string;
      hint: string | null;
      advice: Advice | null;
      where: string | null;
    }
  /** These files are a campaign already. */
  | { planning: 'known'; campaign: string; settled: boolean }
  | DonePlan;

/** A plan that can be launched. */
export interface DonePlan {
  planning: 'done';
  /** The plan as `tuma plan --json` prints it; example texts are whole. */
  document: PlanDocument;
  /** Its money, for whoever counts on; the document has the same as decimals. */
  money: {
    /** The most that it costs; where some prices are not known, the most of the others. Null: none is known. */
    atMostMicro: MoneyMicro | null;
    balance: PlanBalance;
  };
  /** What the person must accept with the launch. */
  questions: LaunchQuestion[];
  /** The campaign that corrected contacts are laid over; null: a campaign of its own. */
  corrects: string | null;
  /** Of all that a person is shown; the launch names it, and another plan is shown first. */
  digest: string;
  plannedAt: number;
  /** The account whose prices it counts with; left out in plans that an earlier Tuma made. */
  account?: string;
}

/** A part without which nothing is planned. */
export type PreparationPart = 'name' | 'kind' | 'message' | 'contacts' | 'sender';

/** A preparation as pages and programs see it. Times in milliseconds. */
export interface Preparation {
  id: string;
  /** Rises by one with each change; a change names the revision that it was made on. */
  revision: number;
  state: PreparationState;
  /** Who began it, and everybody who changed it since, as the audit names them. */
  owner: string;
  editors: string[];
  /** The keys of the job file, as far as they are known. */
  job: Partial<JobKeys>;
  contacts: KeptContacts | null;
  /** What it lacks, so that it cannot be planned. */
  missing: PreparationPart[];
  /** The plan of this revision; null: nobody asked for one since the last change. */
  plan: PreparationPlan | null;
  /** Who asked for approval, and when; null: nobody did. */
  asked: { by: string; at: number } | null;
  /** Why approval was refused the last time; null: it was not. */
  refused: string | null;
  /** The id of the campaign that it became; null: it is none. */
  campaign: string | null;
  createdAt: number;
  changedAt: number;
  /** When it ends by itself, seven days after its last change. */
  endsAt: number;
}

/** Who acts. */
export interface PreparationActor {
  /** As the audit names it. */
  name: string;
  /** All names of the same person: of a program also of who made its token. */
  identities: readonly string[];
  /** True: an approver or admin. */
  mayApprove: boolean;
}

/** The first rows of the contacts, before anything is planned. */
export interface ContactsLook {
  /** Sheets of a workbook, in order, with their rows; null: these are no workbook. */
  sheets: string[] | null;
  /** The sheet that was read; null: these are no workbook. */
  sheet: string | null;
  /** The line that names the columns, and its cells. */
  headerLine: number;
  header: string[];
  /** The first rows: their line, and cells aligned to the header. */
  rows: { line: number; cells: string[] }[];
  /**
   * The column of phone numbers (index), how many of the cells that were looked at are numbers, and of how many. Null:
   * none is sure, and a person must say it (`columns.mobile`).
   */
  mobile: { column: number; numbers: number; of: number } | null;
}

/** The rows of a short list before there is a text: usable ones have a number that no row above has. */
export interface RowsJudged {
  read: number;
  usable: number;
  /** Why the others are not, the most frequent first: their first lines, and the cell of the first one, masked. */
  reasons: { reason: RowReason; count: number; lines: number[]; example: string }[];
}

/** One rendered message of the preview. */
export interface PreviewMessage {
  line: number;
  /** The text as it leaves. */
  text: string;
  /** What the provider adds, such as the opt-out text; empty: nothing. */
  appended: string;
  segments: number;
  encoding: 'gsm7' | 'ucs2';
  /** Characters that force UCS-2, with the replacement of `gsm`; null: there is none. */
  costly: { character: string; replacement: string | null }[];
  /** Why this row gets nothing; then `text` is empty. Null: it gets one. */
  problem: RowReason | null;
}

/** Which row is previewed. */
export type PreviewOf = { line: number } | { after: number } | { before: number } | 'first' | 'longest';
