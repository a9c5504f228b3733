import { z } from 'zod';
import { MESSAGE_STATES } from '../../../domain/message.ts';
import { CampaignPart, CampaignDetail, MessageCounts } from './campaign.ts';
import { Count, Money, Time } from './common.ts';

const Percentiles = z
  .object({ p50: z.number().nullable(), p95: z.number().nullable(), p99: z.number().nullable() })
  .meta({
    id: 'Percentiles',
    description:
      'Milliseconds that this percentage of messages stayed within: the upper end of a step, up to a fifth above.',
  });

const TopUps = z.array(z.object({ at: Time, amount: Money }));

const Reason = z
  .object({
    state: z.enum(MESSAGE_STATES),
    reason: z.string(),
    count: Count,
    retry_helps: z.boolean(),
    provider_words: z.string().nullable(),
  })
  .meta({ id: 'Reason' });

const Cost = z.object({
  currency: z.string(),
  estimated: Money.nullable(),
  charged: Money,
  unknown: Count.describe('Sent messages whose cost is not known.'),
  unknown_price: Money,
  at_stake: Money.describe('What open uncertain messages may have cost at most.'),
  written_off_price: Money,
  unpriced: Count.describe('Messages among these without a known price: they count as zero.'),
  spent: Money.describe('The most that the campaign may have cost.'),
  saved: Money.nullable(),
  per_delivered: Money.nullable(),
  by_network: z.array(
    z.object({ network: z.string().nullable(), sent: Count, delivered: Count, charged: Money }),
  ),
});

/** The document of `tuma report --json`. */
export const Report = z
  .object({
    campaign: z.object({
      ...CampaignPart.shape,
      kind: z.string(),
      state: z.string(),
      reason: z.string().nullable(),
      provider_words: z.string().optional(),
      created_at: Time,
      started_at: Time.nullable(),
      finished_at: Time.nullable(),
    }),
    rows: z.object({
      read: Count,
      planned: Count,
      unchanged: Count,
      duplicate: Count,
      invalid: Count,
      suppressed: Count,
    }),
    messages: MessageCounts,
    delivery: z.object({
      pending: Count,
      undelivered: Count,
      delivered: Count,
      unreported: Count,
      conflict: Count,
    }),
    decisions: CampaignDetail.shape.decisions,
    reasons: z.array(Reason),
    segments: z.object({ planned: Count, one: Count, two: Count, more: Count }),
    cost: Cost,
    balance: z.object({
      before: Money.nullable(),
      after: Money.nullable(),
      unexplained: Money.nullable(),
      shared_with: z.array(z.string()),
      top_ups: TopUps,
    }),
    latency_ms: z.object({ send: Percentiles, delivery: Percentiles }),
    throughput: z.object({
      messages_per_second: z.number().nullable(),
      first_sent_at: Time.nullable(),
      last_sent_at: Time.nullable(),
    }),
  })
  .meta({ id: 'Report' });

const Reading = z.object({ at: Time, credit: Money }).nullable();

const Movement = z
  .object({
    first: Reading,
    last: Reading,
    top_ups: TopUps,
    movement: Money.nullable(),
    charged: Money.nullable(),
    unexplained: Money.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'BalanceMovement' });

const Costs = z
  .object({
    sent: Count,
    delivered: Count,
    undelivered: Count,
    charged: Money,
    unknown: Count,
    unknown_price: Money,
    uncertain: Count,
    at_stake: Money,
    written_off: Count,
    written_off_price: Money,
    unpriced: Count,
  })
  .meta({ id: 'Costs' });

/** The document of `tuma statement --json`. */
export const Statement = z
  .object({
    from: z.string(),
    to: z.string(),
    zone: z.string(),
    accounts: z.array(
      z.object({
        account: z.string(),
        currency: z.string(),
        total: z.object({ ...Costs.shape, campaigns: Count, estimated: Money.nullable() }),
        balance: z.object({ ...Movement.shape, charged_outside: Money.nullable() }),
        by_campaign: z.array(
          z.object({
            ...Costs.shape,
            id: z.string(),
            name: z.string(),
            first_sent_at: Time.nullable(),
            last_sent_at: Time.nullable(),
            planned: Count,
            rejected: Count,
            estimated: Money.nullable(),
            charged_on_other_days: Money,
          }),
        ),
        by_network: z.array(z.object({ ...Costs.shape, network: z.string().nullable() })),
        by_day: z.array(z.object({ ...Costs.shape, day: z.string(), balance: Movement })),
      }),
    ),
  })
  .meta({ id: 'Statement' });
