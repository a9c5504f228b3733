import { z } from 'zod';
import { CAMPAIGN_STATES, PAUSE_REASONS } from '../../../domain/campaign.ts';
import { MESSAGE_STATES } from '../../../domain/message.ts';
import { PAUSE_ACTIONS, PAUSE_NEEDS } from '../../../reports/pause-help.ts';
import { Count, Money, Time } from './common.ts';

/** The states that a campaign is shown in. */
export const SHOWN_STATES = [...CAMPAIGN_STATES.filter((state) => state !== 'draft'), 'finished'] as const;

const CampaignState = z
  .enum([...CAMPAIGN_STATES, 'finished'])
  .meta({ id: 'CampaignState', description: 'finished: nothing is queued or sending.' });

const PauseReason = z.enum(PAUSE_REASONS).meta({ id: 'PauseReason' });

/** Counts of messages by state. `written_off`: uncertain ones that a person closed; they count in `uncertain`, too. */
export const MessageCounts = z
  .object({
    ...(Object.fromEntries(MESSAGE_STATES.map((state) => [state, Count])) as Record<
      (typeof MESSAGE_STATES)[number],
      typeof Count
    >),
    written_off: Count.describe('Of the uncertain ones, those that a person closed.'),
    taken_back: Count.describe('How often a killed worker had claimed one that it never sent.'),
  })
  .meta({ id: 'MessageCounts', description: 'The seven states sum to all messages.' });

/** What a pause is known by. */
export const PAUSE = {
  reason: PauseReason.nullable().describe('Why it is paused; null: it is not.'),
  cut_off_at: Time.optional().describe('Paused, because it was cut off while it was sending: then.'),
  files_unread: z.literal(true).optional().describe('A recurring job could not read its files.'),
};

const Canary = z
  .object({
    verdict: z.string(),
    why: z.string().nullable(),
    needed: z.number().describe('The share that must be delivered.'),
    until: Time.nullable(),
    messages: Count,
    sent: Count,
    delivered: Count,
    undelivered: Count,
    rejected: Count,
    skipped: Count,
    canceled: Count,
    uncertain: Count,
  })
  .meta({ id: 'Canary', description: 'The first messages, which go alone.' });

const HeldNetwork = z
  .object({
    network: z.string(),
    cause: z.enum(['sending', 'delivery']),
    state: z.enum(['probing', 'held']),
    why: z.string().nullable(),
    since: Time,
    again_at: Time.nullable(),
  })
  .meta({ id: 'HeldNetwork', description: 'A network whose messages wait.' });

/** One campaign: the document of `tuma status --json`. */
export const CampaignStatus = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['promotional', 'transactional']),
    state: CampaignState,
    ...PAUSE,
    provider_words: z.string().optional().describe("The provider's own words about the pause."),
    messages: MessageCounts,
    canary: Canary.optional(),
    networks_held: z.array(HeldNetwork),
    messages_per_second: z.number().nullable(),
    seconds_left: z.int().nullable(),
    currency: z.string(),
    spent: Money,
    budget: Money.nullable(),
    created_at: Time,
    start_at: Time.nullable(),
    started_at: Time.nullable(),
    finished_at: Time.nullable(),
  })
  .meta({ id: 'Campaign' });

/** The next moments of a campaign. */
export const Ahead = z.object({
  next_due_at: Time.nullable().describe('When the next message is due.'),
  due: z.array(z.object({ at: Time, messages: Count })).describe('Of reminders: the next ten moments.'),
  schedule: z
    .object({
      next_at: Time.nullable(),
      fired: Count,
      missed: Count,
      latest: z.array(
        z.object({ at: Time, campaign: z.string().nullable(), left_out: z.literal(true).optional() }),
      ),
    })
    .nullable()
    .describe('Of a recurring job; null: it is none.'),
});

const PauseHelp = z.object({
  action: z
    .enum(PAUSE_ACTIONS)
    .describe('With `top_up` and `wait` it goes on by itself; the others are an order for a person.'),
  campaign: z.string(),
  needs: z
    .enum(PAUSE_NEEDS)
    .nullable()
    .describe('What a resume must give, or what must be put right before it.'),
});

/** A campaign with all that a page of it shows beside its numbers. */
export const CampaignDetail = z
  .object({
    ...CampaignStatus.shape,
    ...Ahead.shape,
    sender: z.string(),
    message: z.string().describe('The text with its <<fields>>.'),
    rate_per_second: z.number().nullable().describe('Null: only the rate of the account holds.'),
    what_helps: PauseHelp.nullable().describe('What makes a paused campaign go on.'),
    short_of: Money.nullable().describe('The missing credit of a campaign that is paused by its balance.'),
    people_left: Count.describe('Who would still get something of it.'),
    workers: Count.describe('Processes that send and gave a sign of life lately.'),
    service: z
      .object({ ill_since: Time, next_try_at: Time })
      .nullable()
      .describe('The messaging service does not answer; null: it does.'),
    decisions: z.array(
      z.object({
        answer: z.int(),
        http_status: z.int().nullable(),
        code: z.string().nullable(),
        words: z.string(),
        messages: Count,
      }),
    ),
  })
  .meta({ id: 'CampaignDetail' });

/** The short form in answers to orders. */
export const CampaignPart = z
  .object({ id: z.string(), name: z.string(), state: CampaignState, ...PAUSE })
  .meta({ id: 'CampaignPart' });
