import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney, type MoneyMicro, grouped } from '../../domain/money.ts';

/* A launch that finds its campaign open goes on with it as it was launched: what its flags cannot change is said. */

/** The flags of a launch that mean nothing, or something else, where its campaign is open already. */
export interface OpenFlags {
  maxCostMicro: MoneyMicro | null;
  gsm: boolean;
  partial: boolean;
  again: boolean;
  /** `--at` was given. */
  at: boolean;
}

/**
 * Refuses (`over_max_cost`) a `--max-cost` that would not hold: what an open campaign may cost was settled when it was
 * launched.
 */
export function refuseLooser(campaign: Campaign, { maxCostMicro }: Pick<OpenFlags, 'maxCostMicro'>): void {
  const { id, name, budgetMicro, settings } = campaign;
  if (maxCostMicro === null || (budgetMicro !== null && budgetMicro <= maxCostMicro)) return;
  const money = (amount: MoneyMicro) => `${settings.currency} ${grouped(formatMoney(amount))}`;
  const limit = budgetMicro === null ? 'without a limit on its cost' : `and may cost ${money(budgetMicro)}`;
  throw new TumaError('over_max_cost', {
    message: `Campaign ${id} (${name}) is open already, ${limit}: --max-cost ${money(maxCostMicro)} would not hold. Nothing was changed.`,
    hint: `A limit is set at the launch and never lowered. Go on as it is: leave --max-cost out. Stop it: tuma pause ${id}, or for good: tuma cancel ${id}`,
    where: id,
  });
}

/** What each flag does not do to a campaign that is open, in sentences. `jobBudgetMicro`: the budget of its job file. */
export function withoutEffect(
  campaign: Campaign,
  flags: OpenFlags,
  jobBudgetMicro: MoneyMicro | null,
): string[] {
  const { id, settings } = campaign;
  const anew = (how: string) => `tuma cancel ${id} first, then launch --again ${how}${toWhom(campaign)}.`;
  const said: [ignored: boolean, words: string][] = [
    [flags.at, `--at does not move it: ${anew('for another time')}`],
    [flags.again, '--again begins nothing new while it is open.'],
    [flags.gsm && !settings.gsmSafe, `--gsm does not change its texts: ${anew('with --gsm')}`],
    [
      flags.partial,
      '--partial changes nothing: it pauses when the credit is used up, as every campaign does.',
    ],
    [
      isStricter(campaign, flags, jobBudgetMicro),
      `--max-cost does not raise what it may cost: tuma resume ${id} --budget AMOUNT`,
    ],
  ];
  return said.filter(([ignored]) => ignored).map(([, words]) => words);
}

/** The plain launch of what was canceled is refused, and knows how much of it went out by then. */
function toWhom({ state }: Campaign): string {
  return state === 'scheduled' ? '' : ' (to all of them; without --again it says how only the rest is sent)';
}

/** A budget below what this launch would give: of the same launch again it is the same. */
function isStricter(
  { budgetMicro }: Campaign,
  { maxCostMicro }: OpenFlags,
  jobBudgetMicro: MoneyMicro | null,
): boolean {
  if (maxCostMicro === null || budgetMicro === null) return false;
  return budgetMicro < Math.min(maxCostMicro, jobBudgetMicro ?? maxCostMicro);
}
