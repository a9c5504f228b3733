import { requireReason } from '../../domain/reason.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { Ledger } from '../../ledger/contracts/ledger.ts';
import type { Clock } from '../env.ts';

/** An order about numbers: in international digits, who orders it, and why (null: nobody asked). */
export interface NumbersOrder {
  mobiles: readonly string[];
  by: string;
  reason: string | null;
}

interface OptOutEnv {
  ledger: Pick<Ledger, 'addOptOuts' | 'removeOptOuts'>;
  clock: Clock;
}

/** Sends no more offers to these numbers. Returns how many had not opted out already. Throws `usage`: the reason. */
export async function optOutByHand({ ledger, clock }: OptOutEnv, order: NumbersOrder): Promise<number> {
  const { mobiles, by } = order;
  const evidence = evidenceOf(order);
  const entries = mobiles.map((mobile) => ({ mobile, source: 'operator' as const, by, ...evidence }));
  return ledger.addOptOuts(entries, clock.now());
}

/** Lets offers go to these numbers again, of every sender. Returns how many had opted out. Throws `usage`: the reason. */
export async function letBack({ ledger, clock }: OptOutEnv, order: NumbersOrder): Promise<number> {
  return ledger.removeOptOuts([...order.mobiles], { now: clock.now(), by: order.by, ...evidenceOf(order) });
}

/** The reason as the history keeps it: a number in it is masked, because the history outlives a purge. */
function evidenceOf({ reason }: NumbersOrder): { evidence?: string } {
  return reason === null ? {} : { evidence: maskText(requireReason(reason)) };
}
