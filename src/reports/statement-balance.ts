import { formatMoney, type MoneyMicro } from '../domain/money.ts';
import type { Reading } from '../ledger/contracts/reader.ts';

/**
 * What the balance did between two readings that were taken with nothing in flight: first.credit + top_ups -
 * charged - unexplained = last.credit, and movement = charged + unexplained, exactly.
 */
export interface BalanceMovement {
  first: { at: string; credit: string } | null;
  last: { at: string; credit: string } | null;
  top_ups: { at: string; amount: string }[];
  /** What the balance fell by, with the top-ups put back. */
  movement: string | null;
  /** Known charges between the two readings. */
  charged: string | null;
  /** Positive: more was taken than is known. */
  unexplained: string | null;
  /** Why there is nothing to compare; null: there is. */
  reason: string | null;
}

/** A rise of the credit, with the charges meanwhile. `at` in milliseconds. */
export interface TopUp {
  at: number;
  amountMicro: MoneyMicro;
}

/** What the balance did between the first and the last of some quiet readings. Money in millionths. */
interface Movement {
  first: Reading;
  last: Reading;
  topUps: TopUp[];
  movementMicro: MoneyMicro;
  chargedMicro: MoneyMicro;
  unexplainedMicro: MoneyMicro;
}

/** Compares the first and the last of an account's quiet readings, oldest first. Null: fewer than two. */
export function movementOf(readings: Reading[]): Movement | null {
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined || readings.length < 2) return null;
  const topUps = topUpsOf(readings);
  const addedMicro = topUps.reduce((sum, { amountMicro }) => sum + amountMicro, 0);
  const movementMicro = first.creditMicro - last.creditMicro + addedMicro;
  const chargedMicro = last.spentMicro - first.spentMicro;
  const unexplainedMicro = movementMicro - chargedMicro;
  return { first, last, topUps, movementMicro, chargedMicro, unexplainedMicro };
}

/** The same as a statement shows it. `when`: "in this span". */
export function balanceMovement(readings: Reading[], when: string): BalanceMovement {
  const movement = movementOf(readings);
  if (movement === null) return nothing(readings, when);
  return {
    first: shown(movement.first),
    last: shown(movement.last),
    top_ups: movement.topUps.map(shownTopUp),
    movement: formatMoney(movement.movementMicro),
    charged: formatMoney(movement.chargedMicro),
    unexplained: formatMoney(movement.unexplainedMicro),
    reason: null,
  };
}

/** A top-up as documents show it. */
export function shownTopUp({ at, amountMicro }: TopUp): { at: string; amount: string } {
  return { at: new Date(at).toISOString(), amount: formatMoney(amountMicro) };
}

function nothing(readings: Reading[], when: string): BalanceMovement {
  const [only] = readings;
  return {
    first: only === undefined ? null : shown(only),
    last: only === undefined ? null : shown(only),
    top_ups: [],
    movement: null,
    charged: null,
    unexplained: null,
    reason: `${only === undefined ? 'no' : 'only one'} balance reading ${when} was taken with nothing in flight`,
  };
}

function shown({ at, creditMicro }: Reading): { at: string; credit: string } {
  return { at: new Date(at).toISOString(), credit: formatMoney(creditMicro) };
}

/** Rises of the credit between neighbouring readings, oldest first, plus the charges in between. */
function topUpsOf(readings: Reading[]): TopUp[] {
  return readings.slice(1).flatMap((to, index) => {
    const from = readings[index] ?? to;
    const risen = to.creditMicro - from.creditMicro;
    return risen > 0 ? [{ at: to.at, amountMicro: risen + to.spentMicro - from.spentMicro }] : [];
  });
}
