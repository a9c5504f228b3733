import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TRANSITIONS } from '../../domain/message.ts';
import { namesAnother } from '../../domain/numbers/mobile-text.ts';
import type { Violation } from '../reader.ts';
import { shippedMigrations } from './migrate.ts';
import { faultOf } from './sqlite-errors.ts';
import { prepareStatements } from './statements.ts';

/** Rows named of one broken invariant, in one page of messages; the first few tell what happened. */
export const MOST_NAMED = 20;

const CHECKS = [
  'odd_campaigns',
  'odd_batches',
  'orphans',
  'dead_leases',
  'repeated_ids',
  'lost_reports',
  'unkept_webhooks',
  'voided_reports',
  'unjoined_reports',
  'unambiguous_reports',
  'other_mobiles',
  'readings',
] as const;

const STATEMENTS = ['damaged', 'schema', 'transitions', ...CHECKS] as const;
const SQL = new URL('./reader-checks-ledger.sql', import.meta.url);

interface SchemaRow {
  object: string;
  sql: string;
}

interface TransitionRow {
  from_state: string;
  to_state: string;
  actor: string;
}

/** What a ledger as a whole must fulfil: its file, its guards, its workers, its reports and its readings. */
export function ledgerCheckReads(database: DatabaseSync) {
  const sql = prepareChecks(database);
  const found = (invariant: (typeof CHECKS)[number]) =>
    sql[invariant]
      .all(MOST_NAMED)
      .map(({ row, detail }) => violation(invariant, String(row), String(detail)));
  return {
    /** Rows are named with their campaign. A file that cannot be trusted is named alone: nothing in it proves anything. */
    checkLedger(): Violation[] {
      const damaged = damages(sql.damaged);
      if (damaged.length > 0) return damaged.map((text) => violation('damaged', 'the file', text));
      return [
        ...CHECKS.flatMap(found),
        ...checkSchema(sql.schema.all() as unknown as SchemaRow[]),
        ...checkTransitions(sql.transitions.all() as unknown as TransitionRow[]),
      ];
    },
  };
}

function prepareChecks(database: DatabaseSync) {
  database.function('names_another', { deterministic: true }, (sent, reported) =>
    namesAnother(String(sent), reported === null ? null : String(reported)) ? 1 : 0,
  );
  return prepareStatements(database, SQL, STATEMENTS);
}

/** Whether pages of the file are damaged, so that nothing else can be asked of it. */
export function isDamaged(violations: Violation[]): boolean {
  return violations.some(({ invariant }) => invariant === 'damaged');
}

/** What is wrong with the file; some damage SQLite cannot even look at. */
function damages(quickCheck: StatementSync): string[] {
  try {
    const said = quickCheck.all().map((row) => String(row['quick_check']));
    return said.filter((text) => text !== 'ok');
  } catch (error) {
    if (faultOf(error) !== 'broken') throw error;
    return [String(error)];
  }
}

function violation(invariant: string, row: string, detail: string): Violation {
  return { invariant, campaign: null, row, detail };
}

/**
 * Tables with their conditions, indexes and triggers are what stops what must not happen: a ledger in which one is
 * missing, or is not as the migrations make it, proves nothing. Indexes of other people do no harm, triggers may.
 */
function checkSchema(rows: SchemaRow[]): Violation[] {
  const stored = new Map(rows.map(({ object, sql }) => [object, sql]));
  const wanted = madeByMigrations();
  return [
    ...[...wanted].flatMap(([object, sql]) => {
      if (!stored.has(object)) return [violation('guards', object, 'is missing')];
      return stored.get(object) === sql ? [] : [violation('guards', object, 'is not as Tuma made it')];
    }),
    ...[...stored.keys()]
      .filter((object) => object.startsWith('trigger ') && !wanted.has(object))
      .map((object) => violation('guards', object, 'is not of Tuma')),
  ];
}

let made: Map<string, string> | null = null;

/** Made once a process: the migrations do not change. */
function madeByMigrations(): Map<string, string> {
  return (made ??= schemaOfMigrations());
}

function schemaOfMigrations(): Map<string, string> {
  const fresh = new DatabaseSync(':memory:');
  try {
    for (const { sql } of shippedMigrations()) fresh.exec(sql);
    const rows = prepareChecks(fresh).schema.all();
    return new Map((rows as unknown as SchemaRow[]).map(({ object, sql }) => [object, sql]));
  } finally {
    fresh.close();
  }
}

function checkTransitions(rows: TransitionRow[]): Violation[] {
  const stored = new Set(
    rows.map(({ from_state, to_state, actor }) => `${from_state} → ${to_state} by ${actor}`),
  );
  const legal = new Set(TRANSITIONS.map(([from, to, actor]) => `${from} → ${to} by ${actor}`));
  return [
    ...[...stored]
      .filter((row) => !legal.has(row))
      .map((row) => violation('transitions', row, 'is allowed by the ledger and should not be')),
    ...[...legal]
      .filter((row) => !stored.has(row))
      .map((row) => violation('transitions', row, 'is missing from the ledger')),
  ];
}
