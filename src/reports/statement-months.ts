import { formatMoney, parseMoney } from '../domain/money.ts';
import type { AccountStatement, CostPart } from './statement.ts';

/** The cost of one month, as 2026-11, or of its part that a statement has. */
export type MonthPart = CostPart & { month: string };

const AMOUNTS = ['charged', 'unknown_price', 'at_stake', 'written_off_price'] as const;
const COUNTS = [
  'sent',
  'delivered',
  'undelivered',
  'unknown',
  'uncertain',
  'written_off',
  'unpriced',
] as const;

/** The days of a statement by months, the earliest first. */
export function statementMonths({ by_day: days }: Pick<AccountStatement, 'by_day'>): MonthPart[] {
  const months = Map.groupBy(days, ({ day }) => day.slice(0, 7));
  return [...months].map(([month, parts]) => ({ month, ...sumOf(parts) }));
}

function sumOf(parts: readonly CostPart[]): CostPart {
  const counts = COUNTS.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)] as const);
  const amounts = AMOUNTS.map(
    (name) =>
      [name, formatMoney(parts.reduce((sum, part) => sum + (parseMoney(part[name]) ?? 0), 0))] as const,
  );
  return Object.fromEntries([...counts, ...amounts]) as CostPart;
}
