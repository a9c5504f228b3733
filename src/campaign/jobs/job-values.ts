import { z } from 'zod';
import type { SendWindow } from '../../domain/time/window.ts';
import type { CanaryRule } from '../../domain/pace/canary.ts';
import { parseCron } from '../../domain/time/cron.ts';
import { parseDateFormat } from '../../domain/time/dates.ts';
import { parseDuration } from '../../domain/time/time-words.ts';
import { isKnownCountry } from '../../domain/numbers/country.ts';
import { JOB_DEFAULTS, JOB_LIMITS, PROMOTIONAL_WINDOW } from '../../domain/job.ts';
import { parseAmount } from '../../domain/money.ts';
import { hoursOf, parseOffset } from '../../domain/time/occurrence.ts';
import { parseRate } from '../../domain/pace/rate.ts';
import { MAX_TEMPLATE_CHARACTERS } from '../../domain/text/template.ts';
import { parseDays, parseMinuteOfDay } from '../../domain/time/window-words.ts';

/* Reads the values of a job file. Each scalar comes as text. Problems are words that can follow a key. */

/** No message is handed over in the last minutes, so that none is delivered after the end. */
const marginMinutes = JOB_DEFAULTS.windowMarginMinutes;

/** The words for a value of the wrong kind, or for a missing key. */
export const absentOr = (words: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is missing' : words),
});

/** The words for a value that should be a map, or for a missing key. */
export const mapSuchAs = (example: string) => ({
  error: (issue: { code?: string; input?: unknown }) => {
    if (issue.code !== 'invalid_type') return undefined;
    return issue.input === undefined ? 'is missing' : `must be a map such as ${example}`;
  },
});

/** Text that is not blank, of at most `most` characters. */
export const text = (most: number) =>
  z
    .string(absentOr('must be text'))
    .trim()
    .min(1, { error: 'must not be empty', abort: true })
    .max(most, `must not have more than ${most} characters`);

/** Text without line ends and control characters. */
export const oneLine = (most: number) =>
  text(most)
    .regex(/^\P{Cc}+$/u, 'must be one line of text')
    .regex(/^[^“”„‘’]/, 'begins with a quotation mark that is none in YAML; write " in its place');

/** Reads text by a parser that returns null for text that it does not understand. */
export function read<Value>(parse: (text: string) => Value | null, expected: string) {
  return z.string(absentOr(`must be ${expected}`)).transform((value, issues): Value => {
    const parsed = parse(value.trim());
    if (parsed !== null) return parsed;
    issues.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });
}

/** Tells editors that a number needs no quotes here. */
export const numeric = (description: string) => ({ description, type: ['string', 'number'] });
/** A time span in milliseconds, above zero. */
export const duration = () => read(positive(parseDuration), 'a time span such as 30s, 15m or 2h');

/** A country whose numbers can be read (ISO 3166). */
export const country = read(
  (value) => (isKnownCountry(value) ? value : null),
  'the code of a country in two capital letters, such as TZ',
);

/** A whole number from 1. */
export const whole = (most: number) =>
  read((value) => {
    const number = Number(value);
    return /^\d{1,9}$/.test(value) && number >= 1 && number <= most ? number : null;
  }, `a whole number from 1 to ${most}`);

/** Refuses zero, because no limit of a job may be zero. */
export function positive(parse: (text: string) => number | null): (text: string) => number | null {
  return (value) => {
    const number = parse(value);
    return number === 0 ? null : number;
  };
}

/** An amount above zero. */
export const amount = () =>
  read(
    positive((value) => parseAmount(value, '')),
    'an amount such as 20000 or 1,250.50',
  );

/** Hours of sending, as minutes of the day on ISO weekdays. */
export const hours = z
  .strictObject({
    from: read(parseMinuteOfDay, 'a time such as "08:00"').meta({ description: 'First minute, "08:00".' }),
    to: read(parseMinuteOfDay, 'a time such as "18:00"').meta({
      description: 'Minute after the last, "18:00"; at most "24:00".',
    }),
    days: read(parseDays, 'days such as mon-sat, or mon,wed,fri')
      .default([...PROMOTIONAL_WINDOW.days])
      .meta({ description: 'Days, as mon-sat or mon,wed,fri. Default: mon-sun.' }),
  })
  .refine(({ from, to }) => to - from > marginMinutes, {
    message: `must be more than ${marginMinutes} minutes after \`from\`, on the same day; a window over midnight is not supported`,
    path: ['to'],
  })
  .transform(({ from, to, days }): SendWindow => ({ fromMinute: from, toMinute: to, days, marginMinutes }));

/** The job key `rate`. */
export const rate = read(parseRate, 'a rate such as 50/s, 600/min or unlimited');

const offset = read(parseOffset, 'days, weeks or hours such as -2d, 0d, -1w or -2h');
/** A reminder of a series; `message` in place of the job's text. */
const ownText = z.union(
  [
    offset.transform((each) => ({ offset: each, message: null })),
    z.strictObject({ offset, message: text(MAX_TEMPLATE_CHARACTERS) }),
  ],
  { error: 'must be an offset such as -2d or -2h, or { offset: -2d, message: "…" }' },
);
const timeOfDay = read((value) => {
  const minute = parseMinuteOfDay(value);
  return minute === null || minute >= 24 * 60 ? null : minute;
}, 'a time such as "09:00"');

/** The job key `remind`. */
export const remind = z.strictObject(
  {
    column: oneLine(JOB_LIMITS.headerNameLength).meta({
      description: 'Column of the date that the reminder is about.',
    }),
    offset: offset.optional().meta({
      description:
        'From the date to the reminder: -2d, -1w, 3d; with a column of times also -2h. Default: 0d, the day itself.',
    }),
    offsets: z
      .array(ownText, absentOr('must be a list such as [-7d, -2d, 0d]'))
      .min(1, 'must not be empty')
      .max(JOB_LIMITS.series, `must not have more than ${JOB_LIMITS.series} reminders`)
      .refine(
        (parts) => new Set(parts.map((part) => hoursOf(part.offset))).size === parts.length,
        'names the same moment twice',
      )
      .optional()
      .meta({
        description:
          'A series in place of `offset`: [-7d, -2d, 0d]. A text of its own: { offset: -2d, message: "…" }.',
      }),
    at: z
      .union([timeOfDay, z.strictObject({ column: oneLine(JOB_LIMITS.headerNameLength) })], {
        error: 'must be a time such as "09:00", or { column: appointment } for a column with times',
      })
      .default(JOB_DEFAULTS.remindAtMinute)
      .meta({
        description: 'Time of the day in TUMA_ZONE, or { column: appointment }. Default: "09:00".',
      }),
    format: read(parseDateFormat, 'an order such as dd/mm/yyyy').optional().meta({
      description: 'Order of day and month in the column: dd/mm/yyyy or mm/dd/yyyy. ISO dates need none.',
    }),
  },
  mapSuchAs('{ column: due, offset: -2d, at: "09:00" }'),
);

/** The job key `every`. */
export const every = z.strictObject(
  {
    cron: read(
      (value) => (parseCron(value) === null ? null : value),
      'five fields that come at some time, such as "0 9 * * mon" (minute hour day month weekday)',
    ).meta({ description: 'minute hour day month weekday, in TUMA_ZONE: "0 9 * * mon".' }),
    contacts: z
      .literal('reread', absentOr('must be reread'))
      .nullable()
      .default(null)
      .meta({ description: 'reread: each firing reads this file, its text and its contacts anew.' }),
  },
  mapSuchAs('{ cron: "0 9 * * mon" }'),
);

/** The job key `canary`. */
export const canary = z
  .strictObject(
    {
      first: whole(JOB_LIMITS.batchSize)
        .default(JOB_DEFAULTS.canary.first)
        .meta(numeric('How many messages go alone. Default: 50.')),
      wait: duration()
        .default(JOB_DEFAULTS.canary.waitMs)
        .meta({ description: 'How long their delivery reports are waited for. Default: 15m.' }),
      delivered: read(positive(parseShare), 'a share such as 80%')
        .default(JOB_DEFAULTS.canary.delivered)
        .meta({ description: 'Share of the reported ones that must have been delivered. Default: 80%.' }),
    },
    mapSuchAs('{ first: 50, wait: 15m, delivered: 80% }'),
  )
  .transform(({ first, wait, delivered }): CanaryRule => ({ first, waitMs: wait, delivered }));

/** The job key `guard`. `same_text` zero: off. */
export const guard = z
  .strictObject(
    {
      same_text: read(
        (value) => (value === 'off' ? 0 : positive(parseDuration)(value)),
        'a time span such as 24h, or off',
      )
        .optional()
        .meta({
          description:
            'Who had the same text from another campaign within this time is skipped. Default: 24h if promotional, else off.',
        }),
      most: whole(JOB_LIMITS.most)
        .optional()
        .meta(numeric('Most promotional messages to a number within `per`. Default: no limit.')),
      per: duration().optional().meta({ description: 'The span of `most`. Default: 7d.' }),
    },
    mapSuchAs('{ same_text: 24h, most: 3, per: 7d }, or { same_text: off } for no guard'),
  )
  .refine(({ most, per }) => per === undefined || most !== undefined, {
    message: 'is missing: `per` is its span',
    path: ['most'],
  });

/** "80%" or "99.5 %" as 0.8 or 0.995; null for anything else. */
function parseShare(value: string): number | null {
  const match = /^(\d{1,3}(?:\.\d{1,2})?)\s*%$/.exec(value);
  const percent = Number(match?.[1] ?? NaN);
  return percent <= 100 ? percent / 100 : null;
}
