import type { Row } from './goals.ts';
import type { Spread } from './spread.ts';
import type { Workspace } from './workspace.ts';

/** What every row is measured with. */
export interface Bench {
  /** Whether a row was asked for. */
  wants(row: Row): boolean;
  /** How often each thing is measured. */
  runs: number;
  sizes: Sizes;
  workspace: Workspace;
  /** Where processor profiles of Tuma's processes are put; null: none are made. */
  profiles: string | null;
  /** Says what is being measured, on stderr. */
  say(text: string): void;
}

/** How much is measured. */
export interface Sizes {
  /** Messages of rows 1, 2, 3, 12 and 15. */
  messages: number;
  /** Messages of row 4, for each worker. */
  workerMessages: number;
  /** Contacts of row 5. */
  contacts: number;
  /** The most contacts that row 10 plans, and sends to. */
  mostPlanned: number;
  mostSent: number;
  /** Messages of the campaign of rows 8, 9 and 9b. */
  mostWatched: number;
  /** Seconds of sending of row 1b at the default rate. */
  hangSeconds: number;
  /** Seconds of load of rows 6 and 7, the warm-up not counted. */
  loadSeconds: number;
}

/** A measured quantity. */
export interface Quantity extends Spread {
  what: string;
  unit: string;
}

/** One line of the table. */
export interface Finding {
  row: Row;
  what: string;
  tuma: Quantity;
  /** What Tuma's figure is divided by; null when it stands for itself. */
  dividedBy: Quantity | null;
  /** What is held against the goal. */
  figure: Spread & { unit: string };
  /** False for a line that explains another one and has no goal of its own. */
  judged: boolean;
  notes: string[];
}
