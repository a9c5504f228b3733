import type { Campaign } from '../../domain/campaign.ts';
import { TumaError } from '../../domain/errors.ts';
import { formatMoney, type MoneyMicro, grouped } from '../../domain/money.ts';

/* A launch that finds its campaign open continues it unchanged. It says which of its flags change nothing. */

/** The launch flags that do not change an open campaign. */
export interface OpenFlags {
  maxCostMicro: MoneyMicro | null;
  gsm: boolean;
  partial: boolean;
  again: boolean;
  /** `--at` was given. */
  at: boolean;
}

/** Refuses (`over_max_cost`) a stricter `--max-cost`, because the launch set the campaign's limit. */
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

/** Returns sentences about the flags that do not change an open campaign. */
export function withoutEffect({ id, settings }: Campaign, flags: OpenFlags): string[] {
  const given: [flag: string, isIgnored: boolean][] = [
    ['--at', flags.at],
    ['--again', flags.again],
    ['--gsm', flags.gsm && !settings.gsmSafe],
    ['--partial', flags.partial],
  ];
  const ignored = given.filter(([, isIgnored]) => isIgnored).map(([flag]) => flag);
  if (ignored.length === 0) return [];
  const change = ignored.length === 1 ? 'changes' : 'change';
  return [
    `${ignored.join(', ')} ${change} nothing, because the campaign is open already. To begin anew: tuma cancel ${id}, then launch with --again.`,
  ];
}
