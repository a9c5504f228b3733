import type { Soon } from './connection.ts';

/* What each engine does in its own way, beside the statements that both take (connection.ts). */

/** A row whose referenced row is missing: the row for a person, and the table that lacks the other. */
export interface BrokenReference {
  row: string;
  parent: string;
}

/** The text of each table, index, view and trigger by kind and name, without what does not matter. */
export type SchemaTexts = ReadonlyMap<string, string>;

/** The engine behind a connection. */
export interface Engine {
  /** For people, with its version: "SQLite 3.53.0". */
  name(): Soon<string>;
  /** The number of the last migration. */
  schemaVersion(): Soon<number>;
  /** What is wrong with the stored pages, as far as the engine can tell; none: []. */
  damages(): Soon<string[]>;
  /** At most `limit`. */
  brokenReferences(limit: number): Soon<BrokenReference[]>;
  /** As the database has it, and as this Tuma makes it. */
  schema(): Soon<{ stored: SchemaTexts; wanted: SchemaTexts }>;
  /** From now on the bytes of deleted rows are overwritten, too, where the engine can do it. */
  overwriteDeleted(): Soon<void>;
}
