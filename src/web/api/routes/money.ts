import { z } from 'zod';
import { formatMoney } from '../../../domain/money.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { accountStatement } from '../../../reports/statement.ts';
import { MOST_DAYS } from '../../../reports/statement-days.ts';
import { type StatementSpan, statementSpan } from '../../../reports/statement-span.ts';
import type { WebEnv } from '../../web-env.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { ApiError } from '../problem.ts';
import { Money, Time } from '../schemas/common.ts';
import { Statement } from '../schemas/report.ts';

const Day = z.string().max(10);
const tags = ['Account'];

/** What messages cost. */
export function moneyRoutes(api: Api, { web }: ApiEnv): void {
  statementRoute(api, web);
  balanceRoute(api, web);
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
