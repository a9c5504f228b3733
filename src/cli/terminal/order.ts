import { pauseFacts } from '../../reports/pause-facts.ts';
import type { Campaign } from '../../domain/campaign.ts';
import type { Order } from '../../campaign/operator/orders.ts';
import type { CampaignOverview } from '../../ledger/contracts/reader.ts';
import { ledgerOfOld } from '../launch/begun-ledger.ts';
import type { Context } from '../context.ts';
import { findCampaign } from '../arguments/find-campaign.ts';

/** An order, and what the campaign had come to before it. */
export interface OrderNow extends Order {
  messages: CampaignOverview['messages'];
}

/** An order about the campaign that `reference` means. Throws `not_found` and `ambiguous`. */
export async function orderFor(context: Context, reference: string): Promise<OrderNow> {
  const ledger = await ledgerOfOld(context);
  const reader = await context.reader();
  const { n } = await findCampaign(reader, reference);
  const { campaign, state, messages } = await reader.overview(n);
  return { campaign, state, messages, ledger, now: context.clock.now(), by: context.actor };
}

/** The part of an answer that says which campaign it is about, as it is after the order. */
export async function campaignPart(context: Context, n: number) {
  return partOf(await (await context.reader()).overview(n));
}

/** The same of a campaign that was looked at already. */
export function partOf(overview: CampaignOverview) {
  const { id, name } = overview.campaign;
  return { id, name, state: overview.state, ...pauseFacts(overview) };
}

/** Says that of reminders not all that is retried, or called not sent, goes again (docs/reminders.md). */
export function noteOfReminders({ output }: Pick<Context, 'output'>, { settings }: Campaign): void {
  if (settings.remind === undefined) return;
  output.note(
    'A reminder goes once, as the last contacts have it, and in time: else it is skipped or canceled, as the report says.',
  );
}
