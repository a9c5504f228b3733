import type { Connection, Statement, Values } from '../../connection.ts';
import { TRANSITIONS } from '../../../domain/message.ts';
import { formatMoney } from '../../../domain/money.ts';
import { namesAnother } from '../../../domain/numbers/mobile-text.ts';
import type { Violation } from '../../contracts/reader.ts';
import type { Engine } from '../../engine.ts';
import type { Span } from './campaigns.ts';
import { prepareAll } from '../../statements.ts';
import { flatMapInOrder } from '../../in-order.ts';

/*
 * Each statement of the four SQL files is one invariant: it has the invariant's name and returns the rows
 * that break it. Conditions and triggers of the schema are compared as a whole, so no statement repeats them.
 */

/** The rows that one check names in a page of messages; the first few suffice. */
const MOST_NAMED = 20;
/** Reports that are compared at once. */
const PAGE_REPORTS = 10_000;

const TRANSITION_ROWS = `
  SELECT from_state || ' → ' || to_state || ' by ' || actor AS change FROM transition ORDER BY change`;

/** Reads the rows that break an invariant. */
export function checkReads(database: Connection, engine: Engine) {
  const ledger = checksOf(database, new URL('./checks-ledger.sql', import.meta.url));
  const reports = checksOf(database, new URL('./checks-reports.sql', import.meta.url));
  const campaigns = checksOf(database, new URL('./checks-campaign.sql', import.meta.url));
  const pages = checksOf(database, new URL('./checks-page.sql', import.meta.url));
  return {
    /** The file, its guards, workers, reports and readings. A damaged file is reported alone. */
    async checkLedger(): Promise<Violation[]> {
      const damaged = await engine.damages();
      if (damaged.length > 0) return damaged.map((text) => violation('damaged', 'the file', text));
      const broken = await engine.brokenReferences(MOST_NAMED);
      return [
        ...broken.map(({ row, parent }) =>
          violation('orphans', row, `belongs to a ${parent} that does not exist`),
        ),
        ...(await run(ledger)),
        ...(await checkMobiles(reports)),
        ...(await checkSchema(engine)),
        ...(await checkTransitions(database)),
      ];
    },

    /** The sums of campaigns, compared with their messages. `campaign` null: all, and the accounts. */
    checkSums: (campaign: number | null): Promise<Violation[]> => run(campaigns, campaign),

    /** The rules for each single message of a page. */
    async checkPage({ campaign, id, firstSeq, lastSeq }: Span & { id: string }): Promise<Violation[]> {
      return (await run(pages, campaign, firstSeq, lastSeq)).map((found) => ({ ...found, campaign: id }));
    },
  };
}

/** The checks of a file, prepared when the first is run: few processes check. */
function checksOf(database: Connection, file: URL): () => Map<string, Statement> {
  let prepared: Map<string, Statement> | null = null;
  return () => (prepared ??= prepareAll(database, file));
}

async function run(checks: () => Map<string, Statement>, ...values: Values): Promise<Violation[]> {
  return await flatMapInOrder([...checks()], async ([name, check]) => {
    const found = (await check.all(...values, MOST_NAMED)) as unknown as (BrokenRow | DifferentSums)[];
    return found.map((each) => ({
      invariant: each.invariant ?? name,
      campaign: each.campaign ?? null,
      row: each.row,
      detail: 'kept' in each ? differenceOf(each) : each.detail,
    }));
  });
}

type BrokenRow = Partial<Violation> & Pick<Violation, 'row' | 'detail'>;

/** A kept sum that is not what its messages add up to. `unit` null: millionths of the currency. */
interface DifferentSums extends Omit<Violation, 'detail'> {
  kept: number;
  found: number;
  unit: string | null;
}

function differenceOf({ kept, found, unit }: DifferentSums): string {
  const said = (sum: number) => (unit === null ? formatMoney(sum) : `${sum} ${unit}`);
  return `keeps ${said(kept)}, its messages add up to ${said(found)}`;
}

interface ReportRow extends BrokenRow {
  id: number;
  /** The mobile of its message; null: it has none. */
  sent: string | null;
  reported: string | null;
}

/** An ambiguous report has to name another mobile than its only message, and a joined one must not. */
async function checkMobiles(checks: () => Map<string, Statement>): Promise<Violation[]> {
  return await flatMapInOrder([...checks()], async ([name, check]) => {
    const found: Violation[] = [];
    let page: ReportRow[];
    let after = 0;
    do {
      page = (await check.all(after, PAGE_REPORTS)) as unknown as ReportRow[];
      const broken = page.filter(
        ({ sent, reported }) =>
          (sent !== null && namesAnother(sent, reported)) === (name === 'other_mobiles'),
      );
      found.push(...broken.map(({ row, detail }) => violation(name, row, detail)));
      after = page.at(-1)?.id ?? after;
    } while (page.length === PAGE_REPORTS && found.length < MOST_NAMED);
    return found.slice(0, MOST_NAMED);
  });
}

function violation(invariant: string, row: string, detail: string): Violation {
  return { invariant, campaign: null, row, detail };
}

/** Compares tables, indexes and triggers with the migrations. More indexes do no harm, more triggers may. */
async function checkSchema(engine: Engine): Promise<Violation[]> {
  const { stored, wanted } = await engine.schema();
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

async function checkTransitions(database: Connection): Promise<Violation[]> {
  const rows = await database.prepare(TRANSITION_ROWS).all();
  const stored = rows.map((row) => String(row['change']));
  const legal = TRANSITIONS.map(([from, to, actor]) => `${from} → ${to} by ${actor}`);
  return [
    ...stored
      .filter((row) => !legal.includes(row))
      .map((row) => violation('transitions', row, 'is allowed by the ledger and should not be')),
    ...legal
      .filter((row) => !stored.includes(row))
      .map((row) => violation('transitions', row, 'is missing from the ledger')),
  ];
}
