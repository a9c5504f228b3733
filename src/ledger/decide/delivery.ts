import { DELIVERY_RANKS, type Delivery, type NumberEffect } from '../../domain/message.ts';

/** A report of a message that says something of its delivery. Time in milliseconds. */
export interface SaidOfDelivery {
  delivery: Delivery;
  reason: string | null;
  effect: NumberEffect | null;
  receivedAt: number;
}

/** What a message's reports say together. */
export interface DeliverySaid {
  delivery: Delivery;
  reason: string | null;
  effect: NumberEffect | null;
  /** One report says delivered, and another one undelivered. */
  conflict: boolean;
  /** Null: no report says anything. */
  reportedAt: number | null;
}

/** Order and repeats change nothing: the highest rank wins, and the earliest report breaks a tie. Pure. */
export function deliveryOf(reports: readonly SaidOfDelivery[]): DeliverySaid {
  const [first] = [...reports].sort(
    (a, b) =>
      DELIVERY_RANKS[b.delivery] - DELIVERY_RANKS[a.delivery] ||
      a.receivedAt - b.receivedAt ||
      (a.reason ?? '').localeCompare(b.reason ?? '') ||
      (a.effect ?? '').localeCompare(b.effect ?? ''),
  );
  const seen = new Set(reports.map(({ delivery }) => delivery));
  return {
    delivery: first?.delivery ?? 'pending',
    reason: first?.reason ?? null,
    effect: first?.effect ?? null,
    conflict: seen.has('delivered') && seen.has('undelivered'),
    reportedAt: first?.receivedAt ?? null,
  };
}
