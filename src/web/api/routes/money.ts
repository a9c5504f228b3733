import { z } from 'zod';
import {
  type CreditAhead as CreditAheadOf,
  readCreditAhead,
} from '../../../campaign/planning/credit-ahead.ts';
import { formatMoney } from '../../../domain/money.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { accountStatement } from '../../../reports/statement.ts';
import { MOST_DAYS } from '../../../reports/statement-days.ts';
import { type StatementSpan, statementSpan } from '../../../reports/statement-span.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { ApiError } from '../problem.ts';
import { Count, Money, Time } from '../schemas/common.ts';
import { Statement } from '../schemas/report.ts';

const Day = z.string().max(10);
const tags = ['Account'];

/** What messages cost. */
export function moneyRoutes(api: Api, { web }: ApiEnv): void {
  statementRoute(api, web);
  balanceRoute(api, web);
  creditAheadRoute(api, web);
}

function statementRoute(api: Api, web: WebEnv): void {
  api.get(
    '/statement',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'What the account was charged, by campaign, network and day',
        querystring: z.object({
          from: Day.optional().describe(
            'The first day, in the zone of Tuma; left out: the first of this month.',
          ),
          to: Day.optional().describe('The last day; left out: today.'),
        }),
        response: { 200: Statement },
      },
    },
    async ({ query }) => {
      const { zone, currency } = web.config;
      const { from, to } = spanOf(statementSpan(query, { now: web.clock.now(), zone }));
      return accountStatement({ reader: await web.reader(), from, to, zone, currency });
    },
  );
}

function balanceRoute(api: Api, web: WebEnv): void {
  api.get(
    '/balance',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'The last known credit of each account',
        description:
          'It is read while something is sent; the messaging service is not asked for this answer.',
        response: {
          200: z.object({
            currency: z.string(),
            accounts: z.array(
              z.object({
                account: z.string(),
                read_at: Time.nullable(),
                credit: Money.nullable().describe('As it was read.'),
                charged_since: Money.nullable().describe('Known charges after it.'),
              }),
            ),
          }),
        },
      },
    },
    async () => {
      const reader = await web.reader();
      const accounts = [];
      for (const account of await reader.accounts()) {
        const reading = await reader.lastReading(account);
        accounts.push({
          account,
          read_at: reading === null ? null : isoTime(reading.at),
          credit: reading === null ? null : formatMoney(reading.creditMicro),
          charged_since: reading === null ? null : formatMoney(reading.chargedSinceMicro),
        });
      }
      return { currency: web.config.currency, accounts };
    },
  );
}

const CreditAhead = z
  .object({
    currency: z.string(),
    credit: Money.nullable().describe(
      'The last reading less the known charges since; null: none was read, or there are several accounts.',
    ),
    read_at: Time.nullable(),
    planned: z
      .array(
        z.object({
          campaign: z.string(),
          name: z.string(),
          at: Time.nullable().describe('When they begin to leave; null: now.'),
          messages: Count,
          cost: Money.nullable().describe('At the price of the launch; null: no price is known.'),
          left: Money.nullable().describe('Of the credit after them; below zero: so much is missing.'),
        }),
      )
      .describe('The earliest first, of all open campaigns.'),
    lasts: z.boolean().nullable().describe('Null: the credit is not known.'),
    short: z
      .object({
        from: Time.nullable().describe('From when the credit does not suffice; null: now.'),
        missing: Money.describe('For all that is planned.'),
      })
      .nullable(),
    unpriced: Count.describe('Planned messages without a known price: they count as nothing.'),
  })
  .meta({ id: 'CreditAhead' });

function creditAheadRoute(api: Api, web: WebEnv): void {
  api.get(
    '/credit-ahead',
    {
      config: { may: 'viewer' },
      schema: {
        tags,
        summary: 'Whether the credit lasts for all that is planned',
        querystring: z.object({
          account: z
            .string()
            .max(100)
            .optional()
            .describe('Left out: all campaigns, with the credit where there is one account only.'),
        }),
        response: { 200: CreditAhead },
      },
    },
    async ({ query: { account = null } }) => {
      const ahead = await readCreditAhead(await web.reader(), account);
      return creditAheadPart(ahead, web.config.currency);
    },
  );
}

function creditAheadPart(ahead: CreditAheadOf, currency: string): z.output<typeof CreditAhead> {
  const { creditMicro, readAt, planned, short, unpriced } = ahead;
  const money = (amount: number | null) => (amount === null ? null : formatMoney(amount));
  const time = (at: number | null) => (at === null ? null : isoTime(at));
  return {
    currency,
    credit: money(creditMicro),
    read_at: time(readAt),
    planned: planned.map(({ campaign, at, messages, costMicro, afterMicro }) => ({
      campaign: campaign.id,
      name: campaign.name,
      at: time(at),
      messages,
      cost: money(costMicro),
      left: money(afterMicro),
    })),
    lasts: creditMicro === null ? null : short === null,
    short: short === null ? null : { from: time(short.from), missing: formatMoney(short.missingMicro) },
    unpriced,
  };
}

const WRONG_SPAN = {
  'no day': 'must be a day such as 2026-11-27',
  backwards: 'must not be after `to`',
  'too long': `must be at most ${MOST_DAYS} days before \`to\``,
};

function spanOf(span: StatementSpan): { from: string; to: string } {
  if (!('wrong' in span)) return span;
  const errors = [{ path: [span.wrong], message: WRONG_SPAN[span.why] }];
  throw new ApiError('request_invalid', 'The days are wrong.', { errors });
}
