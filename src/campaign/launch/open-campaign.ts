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
    message: `Campaign ${id} (${name}) is open already, ${limit}: a limit of ${money(maxCostMicro)} would not hold. Nothing was changed.`,
    hint: 'A limit is set at the launch and never lowered.',
    advice: { action: 'keep_limit', campaign: id },
    where: id,
  });
}

/** A flag of a launch that changes nothing in a campaign which is open already. */
export type IgnoredFlag = 'at' | 'again' | 'gsm' | 'partial';

/** The given flags that do not change an open campaign. */
export function withoutEffect({ settings }: Pick<Campaign, 'settings'>, flags: OpenFlags): IgnoredFlag[] {
  const isIgnored = { ...flags, gsm: flags.gsm && !settings.gsmSafe };
  return (['at', 'again', 'gsm', 'partial'] as const).filter((flag) => isIgnored[flag]);
}
