import { formatMoney } from '../domain/money.ts';
import type { Reading } from '../ledger/reader.ts';

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

/** Compares the first and the last of an account's quiet readings, oldest first. `when`: "in this span". */
export function balanceMovement(readings: Reading[], when: string): BalanceMovement {
  const [first] = readings;
  const last = readings.at(-1);
  if (first === undefined || last === undefined || readings.length < 2) return nothing(readings, when);
  const added = topUps(readings);
  const addedMicro = added.reduce((sum, { micro }) => sum + micro, 0);
  const movementMicro = first.creditMicro - last.creditMicro + addedMicro;
  const chargedMicro = last.spentMicro - first.spentMicro;
  return {
    first: shown(first),
    last: shown(last),
    top_ups: added.map(({ at, micro }) => ({ at: new Date(at).toISOString(), amount: formatMoney(micro) })),
    movement: formatMoney(movementMicro),
    charged: formatMoney(chargedMicro),
    unexplained: formatMoney(movementMicro - chargedMicro),
    reason: null,
  };
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
function topUps(readings: Reading[]): { at: number; micro: number }[] {
  return readings.slice(1).flatMap((to, index) => {
    const from = readings[index] ?? to;
    const risen = to.creditMicro - from.creditMicro;
    return risen > 0 ? [{ at: to.at, micro: risen + to.spentMicro - from.spentMicro }] : [];
  });
}
