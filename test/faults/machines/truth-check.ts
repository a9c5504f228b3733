import { readFileSync } from 'node:fs';
import { formatMoney } from '../../../src/domain/money.ts';
import { readAmount } from '../../../src/sandbox/money.ts';
import { readTruth, type Truth } from '../../../src/sandbox/truth/truth.ts';
import type { AcceptedEntry } from '../../../src/sandbox/truth/truth-entry.ts';
import type { Findings } from '../check.ts';

/* Holds what a user gets, an export and a report, against the provider's truth. The ledger itself is not looked at. */

/** What is compared. */
export interface Compared {
  truthFile: string;
  /** `tuma export --format ndjson`. */
  exportFile: string;
  /** `tuma report --json`. */
  report: string;
  /** The numbers of the contacts. */
  mobiles: readonly string[];
  /** So many messages may be uncertain at most. */
  mayBeUncertain(truth: Truth): number;
}

interface Row {
  mobile: string;
  state: string;
  delivery: string | null;
  messageid: string | null;
  cost: string | null;
}

interface Report {
  messages: Record<string, number>;
  cost: { charged: string };
}

/** Throws with all that is wrong. */
export async function compare(compared: Compared): Promise<Findings> {
  const truth = await readTruth(compared.truthFile);
  const lines = readFileSync(compared.exportFile, 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as Row);
  const report = JSON.parse(compared.report) as Report;
  const accepted = new Map([...truth.messages.values()].flat().map((entry) => [entry.mobile, entry]));
  const double = [...truth.acceptedByMobile].filter(([, count]) => count > 1);
  const lost = [
    ...missing(rows, compared.mobiles),
    ...rows.filter((row) => isLost(row, accepted)).map(({ mobile, state }) => `${mobile} is ${state}`),
  ];
  const unfounded = rows.filter(({ mobile, state }) => isUnsent(state) && accepted.has(mobile));
  const states = Map.groupBy(rows, ({ state }) => state);
  const of = (state: string) => states.get(state)?.length ?? 0;
  const most = compared.mayBeUncertain(truth);
  const problems = [
    ...double.map(([mobile, count]) => `double: ${mobile} was accepted ${count} times`),
    ...lost.map((words) => `lost: ${words}`),
    ...unfounded.map(({ mobile, state }) => `${mobile} was accepted, and the export says ${state}`),
    ...(of('uncertain') > most ? [`${of('uncertain')} are uncertain, at most ${most} may be`] : []),
    ...moneyProblems(rows, { truth, accepted, report }),
    ...[...states]
      .filter(([state, { length }]) => report.messages[state] !== length)
      .map(
        ([state, { length }]) =>
          `${length} are ${state} in the export, and ${report.messages[state]} in the report`,
      ),
    ...reportProblems(rows, truth),
  ];
  if (problems.length > 0)
    throw new Error(`${problems.length} problems: ${problems.slice(0, 20).join('; ')}`);
  return {
    messages: rows.length,
    accepted: truth.acceptedCount,
    sent: of('sent'),
    uncertain: of('uncertain'),
    queued: of('queued'),
    double: double.length,
    lost: lost.length,
  };
}

/** Each number is there once. */
function missing(rows: Row[], mobiles: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const { mobile } of rows) times.set(mobile, (times.get(mobile) ?? 0) + 1);
  return mobiles
    .filter((mobile) => times.get(mobile) !== 1)
    .map((mobile) => `${mobile} is ${times.get(mobile) ?? 0} times in the export`);
}

/** Called sent, but not accepted under that id at that cost; or nobody ever gave it a verdict. */
function isLost(row: Row, accepted: ReadonlyMap<string, AcceptedEntry>): boolean {
  if (row.state === 'queued' || row.state === 'sending') return true;
  if (row.state !== 'sent') return false;
  const entry = accepted.get(row.mobile);
  return entry === undefined || entry.messageid !== row.messageid || knownCost(entry) !== costOf(row);
}

function isUnsent(state: string): boolean {
  return state !== 'sent' && state !== 'uncertain';
}

/** Null: the answer said no amount. */
function knownCost({ cost, answer }: AcceptedEntry): number | null {
  return answer === '200_bad_cost' ? null : readAmount(cost);
}

function costOf({ cost }: Row): number | null {
  return cost === null ? null : readAmount(cost);
}

/** The report, the export and the provider agree on what is known to be charged, and the rest is that of the others. */
function moneyProblems(
  rows: Row[],
  { truth, accepted, report }: { truth: Truth; accepted: ReadonlyMap<string, AcceptedEntry>; report: Report },
): string[] {
  const exported = rows.reduce((sum, row) => sum + (costOf(row) ?? 0), 0);
  const known = rows.filter((row) => row.state === 'sent' && costOf(row) !== null);
  const taken = known.reduce(
    (sum, { mobile }) => sum + (readAmount(accepted.get(mobile)?.cost ?? '') ?? 0),
    0,
  );
  const sure = new Set(known.map(({ mobile }) => mobile));
  const others = [...accepted.values()].filter(({ mobile }) => !sure.has(mobile));
  const rest = others.reduce((sum, { cost }) => sum + (readAmount(cost) ?? 0), 0);
  return [
    ...(exported === taken
      ? []
      : [`money: the export has ${formatMoney(exported)}, taken ${formatMoney(taken)}`]),
    ...(report.cost.charged === formatMoney(taken)
      ? []
      : [`money: the report has ${report.cost.charged}, taken ${formatMoney(taken)}`]),
    ...(taken + rest === truth.chargedMicro
      ? []
      : [`money: ${truth.chargedMicro} charged, ${taken} and ${rest} told`]),
  ];
}

/** Every final report that the collector took is joined. */
function reportProblems(rows: Row[], truth: Truth): string[] {
  const pending = new Set(
    rows.filter(({ delivery }) => delivery === 'pending').map(({ messageid }) => messageid),
  );
  return truth.reports
    .filter(
      ({ result, outcome, messageid }) => result === 'taken' && outcome !== 'sent' && pending.has(messageid),
    )
    .map(({ messageid, outcome }) => `${messageid} was reported ${outcome} and is pending`);
}
