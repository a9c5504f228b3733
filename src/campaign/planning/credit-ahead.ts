import { share, type MoneyMicro } from '../../domain/money.ts';
import type { LedgerReader, OpenCampaign, PlannedAhead } from '../../ledger/contracts/reader.ts';

/* Whether the credit lasts for everything that is planned. */

/** Messages that are planned for one moment. */
export interface PlannedCost {
  campaign: OpenCampaign['campaign'];
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

/**
 * What is planned on an account, over its credit. `account` null: of all campaigns, and with the credit where the ledger
 * knows one account only.
 */
export async function readCreditAhead(
  reader: Pick<LedgerReader, 'plannedAhead'>,
  account: string | null,
): Promise<CreditAhead> {
  return creditAhead(await reader.plannedAhead(account));
}

/** Lays planned costs in order of time over the credit. */
export function creditAhead({ campaigns, reading }: PlannedAhead): CreditAhead {
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
    unpriced: unpricedOf(planned),
  };
}

/** The messages of no known price. */
export function unpricedOf(planned: readonly Pick<PlannedCost, 'costMicro' | 'messages'>[]): number {
  return planned.reduce((sum, { costMicro, messages }) => sum + (costMicro === null ? messages : 0), 0);
}

function shortOf(planned: readonly PlannedCost[]): CreditAhead['short'] {
  const first = planned.find(({ afterMicro }) => afterMicro !== null && afterMicro < 0);
  const last = planned.at(-1);
  if (first === undefined || last?.afterMicro == null) return null;
  return { from: first.at, until: last.at, missingMicro: -last.afterMicro };
}

type Planned = Omit<PlannedCost, 'afterMicro'>;

function plannedOf(open: OpenCampaign): Planned[] {
  const { campaign, startAt: at, waiting: messages, leftMicro: costMicro, due, firing } = open;
  if (firing !== null) return firing.at === null ? [] : [{ campaign, ...firing }];
  return due === null ? [{ campaign, at, messages, costMicro }] : remindersOf(open, due);
}

/** The next moments one by one, and what comes later with the last of them. */
function remindersOf(
  { campaign, waiting, leftMicro }: OpenCampaign,
  due: NonNullable<OpenCampaign['due']>,
): Planned[] {
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
