import type { Campaign } from '../domain/campaign.ts';
import { share, type MoneyMicro } from '../domain/money.ts';
import { totalOf } from '../domain/message.ts';
import type { CampaignOverview, LastReading } from '../ledger/reader.ts';
import type { Agenda } from '../ledger/schedules.ts';

/* Whether the credit lasts for everything that is planned. */

/** Messages that are planned for one moment. */
export interface PlannedCost {
  campaign: Pick<Campaign, 'id' | 'name' | 'settings'>;
  /** When they begin to leave, in milliseconds; null: now, as soon as they may. */
  at: number | null;
  messages: number;
  /** At the price of the launch; null: no price is known. */
  costMicro: MoneyMicro | null;
  /** What is left of the credit after them; null: not known. */
  afterMicro: MoneyMicro | null;
}

/** The credit and what is planned, the earliest first. */
export interface CreditAhead {
  /** The last reading less what was charged since; null: none was read. */
  creditMicro: MoneyMicro | null;
  readAt: number | null;
  planned: PlannedCost[];
  /** The first moment (null: now) at which the credit ends, and what is missing for all; null: it lasts, or is not known. */
  short: { from: number | null; until: number | null; missingMicro: MoneyMicro } | null;
  /** Planned messages whose price is not known: they count as nothing. */
  unpriced: number;
}

/** What is planned of the campaigns of one account. */
export interface PlannedCampaign {
  overview: CampaignOverview;
  agenda: Agenda;
}

/** Lays the planned costs of an account in order of time over its credit. */
export function creditAhead(campaigns: readonly PlannedCampaign[], reading: LastReading | null): CreditAhead {
  const creditMicro = reading === null ? null : reading.creditMicro - reading.chargedSinceMicro;
  const inOrder = campaigns.flatMap(plannedOf).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
  let left = creditMicro;
  const planned = inOrder.map((each) => {
    left = left === null ? null : left - (each.costMicro ?? 0);
    return { ...each, afterMicro: left };
  });
  return {
    creditMicro,
    readAt: reading?.at ?? null,
    planned,
    short: shortOf(planned),
    unpriced: planned.reduce((sum, { costMicro, messages }) => sum + (costMicro === null ? messages : 0), 0),
  };
}

function shortOf(planned: readonly PlannedCost[]): CreditAhead['short'] {
  const first = planned.find(({ afterMicro }) => afterMicro !== null && afterMicro < 0);
  const last = planned.at(-1);
  if (first === undefined || last?.afterMicro == null) return null;
  return { from: first.at, until: last.at, missingMicro: -last.afterMicro };
}

type Planned = Omit<PlannedCost, 'afterMicro'>;

function plannedOf({ overview, agenda }: PlannedCampaign): Planned[] {
  const { campaign, state, messages } = overview;
  if (state === 'finished' || state === 'canceled') return [];
  const waiting = messages.queued + messages.sending;
  if (agenda.schedule !== null) return firingOf(overview, agenda.schedule.nextAt);
  if (waiting === 0) return [];
  if (campaign.settings.remind !== undefined) return remindersOf(overview, agenda);
  const at = state === 'scheduled' ? campaign.startAt : null;
  return [{ campaign, at, messages: waiting, costMicro: overview.leftMicro ?? null }];
}

/** The next firing of a recurring job sends to all of its contacts again. */
function firingOf({ campaign, messages }: CampaignOverview, nextAt: number | null): Planned[] {
  const all = totalOf({ messages });
  if (nextAt === null) return [];
  return [{ campaign, at: nextAt, messages: all, costMicro: campaign.estimatedMicro }];
}

/** The next moments one by one, and what comes later with the last of them. */
function remindersOf({ campaign, messages, leftMicro = null }: CampaignOverview, { due }: Agenda): Planned[] {
  const waiting = messages.queued + messages.sending;
  const cost = (count: number) => (leftMicro === null ? null : share(leftMicro * count, waiting));
  const moments = due.filter((moment) => moment.messages > 0);
  const listed = moments.reduce((sum, moment) => sum + moment.messages, 0);
  const planned: Planned[] = moments.map(({ at, messages: count }) => ({
    campaign,
    at,
    messages: count,
    costMicro: cost(count),
  }));
  const rest = waiting - listed;
  const last = moments.at(-1);
  if (rest > 0)
    planned.push({
      campaign,
      at: last === undefined ? null : last.at,
      messages: rest,
      costMicro: cost(rest),
    });
  return planned;
}
