import { z } from 'zod';
import { maskMobile, maskText } from '../../../domain/text/mask.ts';
import { localDate } from '../../../domain/time/local-time.ts';
import { formatMoney } from '../../../domain/money.ts';
import type { AuditEntry } from '../../../ledger/contracts/records.ts';
import { type AuditFact, auditFacts } from '../../../reports/audit-facts.ts';
import { calendarOf } from '../../../reports/calendar.ts';
import { isoTime } from '../../../reports/campaign-report.ts';
import { CHECKS, sayFinding } from '../../../reports/health.ts';
import { LatestHealth } from '../../latest-health.ts';
import { askerOf } from '../actor.ts';
import type { Api, ApiEnv } from '../api-env.ts';
import { cursorOf, placeOf } from '../cursor.ts';
import { overviewOf } from '../look.ts';
import { wordsOf } from '../../words/words.ts';
import { Count, Next, pageQuery, Time } from '../schemas/common.ts';

const READ = { may: 'viewer' } as const;
const tags = ['Account'];
const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;

/** Who did what, what comes, and whether all is well. */
export function accountRoutes(api: Api, env: ApiEnv): void {
  auditRoute(api, env);
  calendarRoute(api, env);
  checksRoute(api, env);
}

function auditRoute(api: Api, { web }: ApiEnv): void {
  const Entry = z.object({
    at: Time,
    by: z.string(),
    from: z
      .string()
      .nullable()
      .describe('The address that it was asked from; null: at this machine, or by Tuma.'),
    verb: z.string(),
    campaign: z.object({ id: z.string(), name: z.string() }).nullable(),
    facts: z
      .array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) }))
      .describe('What was noted: reasons, counts, amounts, times.'),
  });
  api.get(
    '/audit',
    {
      config: READ,
      schema: {
        tags,
        summary: 'Who did what and when, the latest first',
        querystring: z.object({
          campaign: z.string().optional().describe('Only about this campaign (id).'),
          ...pageQuery(1_000),
        }),
        response: { 200: z.object({ entries: z.array(Entry.meta({ id: 'AuditEntry' })), next: Next }) },
      },
    },
    async (request) => {
      const { campaign, cursor, limit } = request.query;
      const n = campaign === undefined ? null : (await overviewOf(web, campaign)).campaign.n;
      const before = placeOf(cursor, z.int());
      const { entries, next } = await (await web.reader()).auditPage({ campaign: n, before, limit });
      const { seesNumbers } = askerOf(request);
      return {
        entries: entries.map((entry) => entryOf(entry, seesNumbers)),
        next: next === null ? null : cursorOf(next),
      };
    },
  );
}

function entryOf({ at, by, from, verb, campaign, detail }: AuditEntry, seesNumbers: boolean) {
  const facts = auditFacts(detail).map((fact) => ({ name: fact.name, value: valueOf(fact, seesNumbers) }));
  return { at: isoTime(at), by: seesNumbers ? by : maskText(by), from, verb, campaign, facts };
}

function valueOf({ kind, value }: AuditFact, seesNumbers: boolean): string | number {
  if (typeof value === 'number') {
    if (kind === 'money') return formatMoney(value);
    return kind === 'time' ? isoTime(value) : value;
  }
  if (seesNumbers) return value;
  return kind === 'mobile' ? maskMobile(value) : maskText(value);
}

function calendarRoute(api: Api, { web }: ApiEnv): void {
  const Item = z.object({
    what: z.enum(['reminders', 'start', 'firing']),
    campaign: z.object({ id: z.string(), name: z.string() }),
    at: Time,
    messages: Count,
    waits: z.boolean().describe('Its campaign is paused, so it comes only if somebody resumes it.'),
  });
  api.get(
    '/calendar',
    {
      config: READ,
      schema: {
        tags,
        summary: 'What comes in a month: reminders, starts, and firings of recurring jobs',
        querystring: z.object({
          month: z
            .string()
            .regex(MONTH, 'must be a month such as 2026-12')
            .optional()
            .describe('Left out: this month.'),
        }),
        response: {
          200: z.object({
            month: z.string(),
            days: z.array(z.object({ day: z.string(), items: z.array(Item.meta({ id: 'CalendarItem' })) })),
            is_cut: z.boolean().describe('There is more than can be listed.'),
          }),
        },
      },
    },
    async ({ query }) => {
      const { zone } = web.config;
      const now = web.clock.now();
      const month = query.month ?? localDate(now, zone).slice(0, 7);
      const { days, isCut } = await calendarOf(await web.reader(), { month, zone, now });
      return {
        month,
        days: days.map(({ day, items }) => ({
          day,
          items: items.map(({ what, campaign: { id, name }, at, messages, waits }) => {
            return { what, campaign: { id, name }, at: isoTime(at), messages, waits };
          }),
        })),
        is_cut: isCut,
      };
    },
  );
}

function checksRoute(api: Api, { web }: ApiEnv): void {
  const latest = new LatestHealth(web);
  api.get(
    '/checks',
    {
      config: READ,
      schema: {
        tags,
        summary: 'What is well and what is not',
        description: 'A look is at most 15 seconds old. Null: none has ended yet, ask again.',
        response: {
          200: z.object({
            looked_at: Time.nullable(),
            checks: z.array(
              z.object({
                name: z.enum(CHECKS),
                state: z.enum(['ok', 'warn', 'fail']),
                detail: z.string(),
                hint: z.string().nullable(),
              }),
            ),
            last_report_at: Time.nullable().describe('When the last delivery report arrived.'),
            free_bytes: Count.nullable().describe('Free disk of the ledger.'),
          }),
        },
      },
    },
    async (request) => {
      const health = await latest.read();
      const lastReportAt = await (await web.reader()).lastReportAt();
      const { seesNumbers } = askerOf(request);
      const cover = (text: string) => (seesNumbers ? text : maskText(text));
      const checks = (health?.findings ?? []).map((finding) => {
        const { name, state } = finding;
        return { name, state, ...sayFinding(wordsOf('en').health.findings, finding, cover) };
      });
      return {
        looked_at: health === null ? null : isoTime(health.at),
        checks,
        last_report_at: lastReportAt === null ? null : isoTime(lastReportAt),
        free_bytes: health?.freeBytes ?? null,
      };
    },
  );
}
