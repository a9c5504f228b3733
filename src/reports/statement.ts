import { formatMoney } from '../domain/money.ts';
import type { LedgerReader, Reading } from '../ledger/contracts/reader.ts';
import { type ChargedCampaign, type CostCell, type Costs, NO_COSTS } from '../ledger/contracts/statement.ts';
import { type BalanceMovement, balanceMovement } from './statement-balance.ts';
import { type StatementDays, statementDays } from './statement-days.ts';

/** What accounts were charged, by the days of a zone. Each list adds up to `total`; null is not known. */
export interface Statement {
  from: string;
  to: string;
  zone: string;
  accounts: AccountStatement[];
}

/** The account between two instants: its charges and its balance. Money as decimal strings. */
export interface AccountStatement {
  account: string;
  currency: string;
  total: CostPart & { campaigns: number; estimated: string | null };
  balance: BalanceMovement & {
    /** Charged in these days, but before the first or after the last of the two readings. */
    charged_outside: string | null;
  };
  by_campaign: (CostPart & {
    id: string;
    name: string;
    /** In these days. Null: nothing was sent in them. */
    first_sent_at: string | null;
    last_sent_at: string | null;
    /** Messages of the whole campaign: planned, and rejected by the provider. */
    planned: number;
    rejected: number;
    /** Of the whole campaign. */
    estimated: string | null;
    charged_on_other_days: string;
  })[];
  by_network: (CostPart & { network: string | null })[];
  /** Days with messages or a balance reading. `balance`: the change since the reading before. */
  by_day: (CostPart & { day: string; balance: BalanceMovement })[];
}

/** Messages that may have cost something, and the most that they may have cost: decimal strings. */
export interface OpenCosts {
  /** Sent messages whose cost is not known; they count as `unknown_price`, which is not in `charged`. */
  unknown: number;
  unknown_price: string;
  /** Open messages of which nobody knows whether they were sent, and the most that they may have cost. */
  uncertain: number;
  at_stake: string;
  /** Those that were written off, of which nobody knows it either, and the most that they may have cost. */
  written_off: number;
  written_off_price: string;
  /** How many of all those count as nothing in these amounts, because no price is known. */
  unpriced: number;
}

/** The cost of one part of a statement: a campaign, a network or a day. */
export interface CostPart extends OpenCosts {
  sent: number;
  /** Sent messages with this report. All others are pending. */
  delivered: number;
  undelivered: number;
  charged: string;
}

/** Which days are told, the last included, and in which zone they are. */
export interface StatementRequest {
  reader: LedgerReader;
  /** The first and the last day, as 2026-11-27. */
  from: string;
  to: string;
  zone: string;
  /** Of an account without campaigns. */
  currency: string;
}

/** One campaign with what it cost in these days and on others. */
interface Charged {
  campaign: ChargedCampaign;
  cells: CostCell[];
  elsewhere: Costs;
  planned: number;
  rejected: number;
}

/** Reads the statement of every account that had something to do with these days. */
export async function accountStatement(request: StatementRequest): Promise<Statement> {
  const { reader, from, to, zone, currency } = request;
  const span = statementDays(request);
  const charged = await chargedCampaigns(reader, span);
  const accounts: AccountStatement[] = [];
  for (const account of await reader.accounts()) {
    const own = charged.filter(({ campaign }) => campaign.account === account);
    const readings = await quietReadings(reader, { account, span });
    if (own.length === 0 && readings.length === 0) continue;
    accounts.push(accountPart({ account, own, readings, span, currency }));
  }
  return { from, to, zone, accounts };
}

async function chargedCampaigns(reader: LedgerReader, { midnights }: StatementDays): Promise<Charged[]> {
  const charged: Charged[] = [];
  for (const campaign of await reader.campaignsBefore(midnights.at(-1) ?? 0)) {
    const all = await reader.costs({ campaign: campaign.n, midnights });
    const cells = all.filter(({ day }) => day !== null);
    const elsewhere = sumOf(all.filter(({ day }) => day === null));
    if (cells.length === 0) continue;
    const { planned } = await reader.uploads(campaign.n);
    const { messages } = await reader.tallies(campaign.n, 0);
    charged.push({ campaign, cells, elsewhere, planned, rejected: messages.rejected });
  }
  return charged;
}

/** The readings of these days that were taken with nothing in flight, oldest first. */
async function quietReadings(
  reader: LedgerReader,
  { account, span }: { account: string; span: StatementDays },
): Promise<Reading[]> {
  const [from = 0, next = 0] = [span.midnights[0], span.midnights.at(-1)];
  const readings = next > from ? await reader.readings(account, { from, to: next - 1 }) : [];
  return readings.filter(({ quiet }) => quiet);
}

interface AccountFacts {
  account: string;
  own: Charged[];
  readings: Reading[];
  span: StatementDays;
  currency: string;
}

function accountPart({ account, own, readings, span, currency }: AccountFacts): AccountStatement {
  const cells = own.flatMap((charged) => charged.cells);
  const total = sumOf(cells);
  const balance = balanceMovement(readings, 'of these days');
  return {
    account,
    currency: own[0]?.campaign.currency ?? currency,
    total: { campaigns: own.length, estimated: estimatedOf(own), ...costPart(total) },
    balance: { ...balance, charged_outside: outside(total, readings) },
    by_campaign: own.map(campaignPart),
    by_network: networkParts(cells),
    by_day: dayParts(cells, { readings, span }),
  };
}

/** Null when a campaign has none, or also sent on other days, because no sum of estimates fits then. */
function estimatedOf(own: Charged[]): string | null {
  let sum = 0;
  for (const { campaign, elsewhere } of own) {
    if (campaign.estimatedMicro === null || elsewhere.sent > 0) return null;
    sum += campaign.estimatedMicro;
  }
  return formatMoney(sum);
}

function outside({ chargedMicro }: Costs, readings: Reading[]): string | null {
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined || readings.length < 2) return null;
  return formatMoney(chargedMicro - (last.spentMicro - first.spentMicro));
}

function campaignPart({
  campaign,
  cells,
  elsewhere,
  planned,
  rejected,
}: Charged): AccountStatement['by_campaign'][number] {
  const { id, name, estimatedMicro } = campaign;
  return {
    id,
    name,
    first_sent_at: timeOf(
      Math.min,
      cells.map(({ firstAt }) => firstAt),
    ),
    last_sent_at: timeOf(
      Math.max,
      cells.map(({ lastAt }) => lastAt),
    ),
    planned,
    rejected,
    ...costPart(sumOf(cells)),
    estimated: estimatedMicro === null ? null : formatMoney(estimatedMicro),
    charged_on_other_days: formatMoney(elsewhere.chargedMicro),
  };
}

function timeOf(which: (...times: number[]) => number, times: (number | null)[]): string | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : new Date(which(...known)).toISOString();
}

function networkParts(cells: CostCell[]): AccountStatement['by_network'] {
  const networks = [...Map.groupBy(cells, ({ network }) => network)];
  return networks
    .map(([network, of]) => ({ network, ...costPart(sumOf(of)) }))
    .sort((a, b) => b.sent - a.sent || String(a.network).localeCompare(String(b.network)));
}

function dayParts(
  cells: CostCell[],
  { readings, span }: { readings: Reading[]; span: StatementDays },
): AccountStatement['by_day'] {
  const byDay = Map.groupBy(cells, ({ day }) => day);
  const readOn = Map.groupBy(readings, ({ at }) => span.midnights.findLastIndex((begin) => begin <= at));
  const parts: AccountStatement['by_day'] = [];
  let before: Reading | undefined;
  for (const [index, day] of span.days.entries()) {
    const own = readOn.get(index) ?? [];
    const costs = byDay.get(index) ?? [];
    const compared = before === undefined || own.length === 0 ? own : [before, ...own];
    before = own.at(-1) ?? before;
    if (own.length === 0 && costs.length === 0) continue;
    parts.push({ day, ...costPart(sumOf(costs)), balance: balanceMovement(compared, 'of this day') });
  }
  return parts;
}

function sumOf(parts: readonly Costs[]): Costs {
  const sum = { ...NO_COSTS };
  for (const part of parts) for (const key of Object.keys(sum) as (keyof Costs)[]) sum[key] += part[key];
  return sum;
}

function costPart(costs: Costs): CostPart {
  return {
    sent: costs.sent,
    delivered: costs.delivered,
    undelivered: costs.undelivered,
    charged: formatMoney(costs.chargedMicro),
    unknown: costs.unknown,
    unknown_price: formatMoney(costs.unknownMicro),
    uncertain: costs.uncertain,
    at_stake: formatMoney(costs.atStakeMicro),
    written_off: costs.writtenOff,
    written_off_price: formatMoney(costs.writtenOffMicro),
    unpriced: costs.unpriced,
  };
}
