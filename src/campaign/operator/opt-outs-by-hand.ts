import { TumaError } from '../../domain/errors.ts';
import { maskText } from '../../domain/text/mask.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Clock } from '../env.ts';

/** A reason is one line of at most so many characters. */
export const MOST_REASON_CHARS = 200;

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

/** Whether a text can be the reason of an order: one line, and not empty. */
export function isReason(text: string): boolean {
  return text.trim() !== '' && text.length <= MOST_REASON_CHARS && /^\P{Cc}+$/u.test(text);
}

/** Sends no more offers to these numbers. Returns how many had not opted out already. Throws `usage`: the reason. */
export async function optOutByHand({ ledger, clock }: OptOutEnv, order: NumbersOrder): Promise<number> {
  const { mobiles, by } = order;
  const evidence = evidenceOf(order);
  const entries = mobiles.map((mobile) => ({ mobile, source: 'operator', by, ...evidence }));
  return ledger.addOptOuts(entries, clock.now());
}

/** Lets offers go to these numbers again, of every sender. Returns how many had opted out. Throws `usage`: the reason. */
export async function letBack({ ledger, clock }: OptOutEnv, order: NumbersOrder): Promise<number> {
  return ledger.removeOptOuts([...order.mobiles], { now: clock.now(), by: order.by, ...evidenceOf(order) });
}

/** The reason as the history keeps it: a number in it is masked, because the history outlives a purge. */
function evidenceOf({ reason }: NumbersOrder): { evidence?: string } {
  if (reason === null) return {};
  if (isReason(reason)) return { evidence: maskText(reason.trim()) };
  throw new TumaError('usage', {
    message: `A reason is one line of at most ${MOST_REASON_CHARS} characters.`,
  });
}
