import { z } from 'zod';
import { toRetry } from '../../../campaign/operator/legal-orders.ts';
import { cancelPerson, type Person } from '../../../campaign/operator/cancel-person.ts';
import { cancelCampaign, pauseCampaign, retryRejected, setRate } from '../../../campaign/operator/orders.ts';
import { resolveUncertain } from '../../../campaign/operator/resolve.ts';
import { resumeCampaign } from '../../../campaign/operator/resume.ts';
import { skipFiring } from '../../../campaign/operator/skip-firing.ts';
import { isDate } from '../../../reports/statement-days.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { orderRoute, type OrderNow, requireCount, seenCount } from '../order-route.ts';
import { ApiError } from '../problem.ts';
import { Count, Time } from '../schemas/common.ts';
import { Amount, Line, Number, Rate, Sender } from '../schemas/given.ts';

const Nothing = z.strictObject({}).nullish();
const Changed = { changed: z.boolean().describe('False: it was so already.') };
const MOST_KEY = 1_000;

/** Orders about a campaign. */
export function orderRoutes(api: Api, env: ApiEnv): void {
  goAndStopRoutes(api, env);
  limitRoutes(api, env);
  cancelRoutes(api, env);
  failureRoutes(api, env);
}

function goAndStopRoutes(api: Api, env: ApiEnv): void {
  orderRoute(api, env, {
    name: 'pause',
    summary: 'Pause a campaign',
    description: 'Messages that are `sending` may still leave, and nothing else.',
    body: Nothing,
    answer: { ...Changed, sending: Count },
    run: async (order) => ({ changed: await pauseCampaign(order), sending: await sendingOf(order) }),
  });
  orderRoute(api, env, {
    name: 'resume',
    summary: 'Let a paused campaign go on, under another sender or with a higher budget when given',
    body: z
      .strictObject({
        sender: Sender.optional(),
        budget: Amount(env.web.config.currency).optional(),
      })
      .nullish(),
    answer: Changed,
    run: async (order, body) => {
      const { sender = null, budget: budgetMicro = null } = body ?? {};
      return { changed: await resumeCampaign({ ...order, sender, budgetMicro }) };
    },
  });
  orderRoute(api, env, {
    name: 'skip',
    summary: 'Leave out the next firing of a recurring job',
    body: z
      .strictObject({ at: Time.optional().describe('The firing that was shown: another one is refused.') })
      .nullish(),
    answer: { ...Changed, at: Time, next_at: Time.nullable() },
    run: async (order, body) => {
      const { schedule } = await order.reader.agenda(order.campaign.n);
      const nextAt = schedule?.nextAt ?? null;
      if (body?.at !== undefined && (nextAt === null || Date.parse(body.at) !== nextAt))
        throw new ApiError('changed', 'The next firing is another one by now. Nothing was left out.');
      const { at, next, changed } = await skipFiring({ ...order, nextAt });
      return { changed, at: isoTime(at), next_at: next === null ? null : isoTime(next) };
    },
  });
}

async function sendingOf({ reader, campaign }: OrderNow): Promise<number> {
  return (await reader.overview(campaign.n)).messages.sending;
}

function limitRoutes(api: Api, env: ApiEnv): void {
  orderRoute(api, env, {
    name: 'rate',
    summary: 'Change how fast a campaign sends, at once',
    body: z.strictObject({ rate: Rate }),
    answer: { ...Changed, rate_per_second: z.number().nullable() },
    run: async (order, { rate: { perSecond } }) => ({
      changed: await setRate({ ...order, ratePerSecond: perSecond }),
      rate_per_second: perSecond,
    }),
  });
  orderRoute(api, env, {
    name: 'budget',
    summary: 'Raise what a campaign may cost in all',
    description: 'One that is paused by its budget goes on. A budget is never lowered.',
    body: z.strictObject({ budget: Amount(env.web.config.currency) }),
    answer: Changed,
    run: async (order, { budget: budgetMicro }) => ({
      changed: await resumeCampaign({ ...order, sender: null, budgetMicro }),
    }),
  });
}

function cancelRoutes(api: Api, env: ApiEnv): void {
  orderRoute(api, env, {
    name: 'cancel',
    summary: 'Stop a campaign for good',
    body: z
      .strictObject({ people: seenCount('How many would not get it (`people_left` of the campaign)') })
      .nullish(),
    answer: { ...Changed, canceled: Count.describe('Messages that will never be sent.'), sending: Count },
    run: async (order, body) => {
      requireCount(await order.reader.peopleLeft(order.campaign.n), body?.people);
      return { ...(await cancelCampaign(order)), sending: await sendingOf(order) };
    },
  });
  orderRoute(api, env, {
    name: 'cancel-person',
    summary: 'Send one person nothing more of a campaign',
    description: 'Name the person by `mobile`, `line` or `key`, or by several of them. It is no opt-out.',
    body: z
      .strictObject({
        mobile: Number(env.web.config.country).optional(),
        line: Line.optional(),
        key: z.string().min(1).max(MOST_KEY).optional(),
        occurrence: z
          .string()
          .refine(isDate, 'must be a date such as 2026-11-27')
          .optional()
          .describe('Only the reminder about this date.'),
        messages: seenCount('How many messages are meant'),
      })
      .refine(({ mobile, line, key }) => (mobile ?? line ?? key) !== undefined, 'needs mobile, line or key'),
    answer: {
      people: Count,
      messages: Count,
      queued: Count.describe('Messages that were canceled.'),
      sending: Count.describe('Messages that may still arrive.'),
      uncertain: Count,
      sent: Count,
    },
    run: async (order, { messages, ...given }) => {
      const person = given as Person;
      const { campaign } = order;
      if (messages !== undefined) {
        const isSeries = campaign.settings.remind?.series !== undefined;
        const now = await order.reader.personMessages({ campaign: campaign.n, ...person, isSeries });
        requireCount(now.messages, messages);
      }
      return cancelPerson({ ...order, person });
    },
  });
}

function failureRoutes(api: Api, env: ApiEnv): void {
  const { resolveAfterMs } = env.web.config;
  orderRoute(api, env, {
    name: 'retry',
    summary: 'Send rejected messages again: all that a retry can help, or all of one reason',
    body: z
      .strictObject({
        reason: z.string().min(1).optional().describe('As the report names it.'),
        messages: seenCount('How many messages are meant'),
      })
      .nullish(),
    answer: {
      retried: Count,
      named_by_reports: Count.describe('Left out: a delivery report names the number.'),
      too_young: Count.describe('Left out: a mapping rejected them, and their answer is too young.'),
    },
    run: async (order, body) => {
      const { reason = null, messages } = body ?? {};
      const { n } = order.campaign;
      const query = { campaign: n, reason, answeredBefore: order.now - resolveAfterMs };
      const { reasons } = await order.reader.tallies(n, 0);
      requireCount(toRetry(reasons, await order.reader.leftOut(query), reason), messages);
      const retried = await retryRejected({ ...order, reason, resolveAfterMs });
      const left = await order.reader.leftOut(query);
      return { retried, named_by_reports: left.named, too_young: left.tooYoung };
    },
  });
  orderRoute(api, env, {
    name: 'resolve',
    summary: 'Decide uncertain messages',
    description: 'Only `not_sent` can make Tuma send twice: it sends them again.',
    body: z.strictObject({
      decision: z.enum(['sent', 'not_sent', 'write_off']),
      line: Line.optional().describe('Only the message of this line; left out: all.'),
      mobile: Number(env.web.config.country).optional(),
      messages: seenCount('How many uncertain messages are open'),
    }),
    answer: { resolved: Count, too_young: Count, named_by_reports: Count },
    run: async (order, { decision, line = null, mobile = null, messages }) => {
      await requireOpen(order, { line, mobile, messages });
      const done = await resolveUncertain({ ...order, decision, line, mobile, resolveAfterMs });
      return { resolved: done.resolved, too_young: done.tooYoung, named_by_reports: done.named ?? 0 };
    },
  });
}

/** Corrected contacts have their own lines, so one line may mean several people. */
async function requireOpen(
  { reader, campaign, overview }: OrderNow,
  { line, mobile, messages }: { line: number | null; mobile: string | null; messages: number | undefined },
): Promise<void> {
  if (line === null && mobile === null)
    return requireCount(overview.messages.uncertain - overview.messages.written_off, messages);
  const { total } = await reader.uncertain({ campaign: campaign.n, limit: 1, line, mobile });
  requireCount(total, messages);
  if (mobile === null && total > 1)
    throw new ApiError('request_invalid', 'Several uncertain messages are of that line.', {
      errors: [{ path: ['mobile'], message: 'is needed: the contacts were corrected' }],
    });
}
