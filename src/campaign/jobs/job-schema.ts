import { z } from 'zod';
import type { SendWindow } from '../../domain/time/window.ts';
import { CAMPAIGN_NAME, type Job, JOB_DEFAULTS, JOB_LIMITS, PROMOTIONAL_WINDOW } from '../../domain/job.ts';
import type { GuardRule } from '../../domain/guards.ts';
import { parseLocalTime } from '../../domain/time/local-time.ts';
import { isInHours, type Offset, type ReminderRule } from '../../domain/time/occurrence.ts';
import { foldName } from '../../domain/text/template-fields.ts';
import { LANGUAGES } from '../../domain/text/template-words.ts';
import { MAX_TEMPLATE_CHARACTERS } from '../../domain/text/template.ts';
import {
  absentOr,
  amount,
  canary,
  country,
  duration,
  every,
  guard,
  hours,
  mapSuchAs,
  numeric,
  oneLine,
  rate,
  read,
  remind,
  text,
  whole,
} from './job-values.ts';

/*
 * The schema of job files, also for editors (jobs/schema.json; a test keeps them equal). Every scalar is read
 * as text, so a sender 00123 keeps its zeros and money its decimals. `numeric` tells editors that a number is
 * also valid.
 */

const MAX_PATH = 1_000;
/** Excel allows 31 characters. */
const MAX_SHEET_NAME = 31;
const MAX_HEADER_NAME = JOB_LIMITS.headerNameLength;

/** The words for a name that is none, of one or several. */
const orEmpty = (words: string) => ({
  error: ({ input }: { input?: unknown }) => (input === '' ? 'must not be empty' : words),
});

/** Some header names, each once. */
const headerNames = (most: number) =>
  z
    .array(oneLine(MAX_HEADER_NAME))
    .min(1, 'must not be empty')
    .max(most, `must not have more than ${most} columns`)
    .refine((names) => new Set(names.map(foldName)).size === names.length, 'names the same column twice');

const retry = z
  .strictObject(
    {
      attempts: whole(JOB_LIMITS.attempts)
        .default(JOB_DEFAULTS.retry.attempts)
        .meta(numeric('Tries in all. Default: 5.')),
      first: duration()
        .default(JOB_DEFAULTS.retry.firstMs)
        .meta({ description: 'Wait before the second try. Default: 30s.' }),
      most: duration()
        .default(JOB_DEFAULTS.retry.mostMs)
        .meta({ description: 'Longest wait between tries. Default: 10m.' }),
    },
    mapSuchAs('{ attempts: 5, first: 30s, most: 10m }'),
  )
  .refine(({ first, most }) => first <= most, {
    message: 'must not be shorter than `first`',
    path: ['most'],
  });

/** The keys of a job file, in the order of the documentation. */
const keysSchema = z.strictObject(
  {
    name: text(JOB_LIMITS.nameLength).regex(CAMPAIGN_NAME, 'must be letters, digits, spaces and . _ -').meta({
      description: 'Name of the campaign. The same name with the same files continues the same campaign.',
    }),
    kind: z.enum(['promotional', 'transactional'], absentOr('must be promotional or transactional')).meta({
      description:
        'Promotional counts the opt-out text and honours opt-outs and hours; transactional does not.',
    }),
    sender: oneLine(JOB_LIMITS.senderLength)
      .optional()
      .meta(numeric('Sender ID or shortcode. Default: the setting TUMA_SENDER.')),
    template: oneLine(MAX_PATH)
      .optional()
      .meta({ description: 'File of the message text, relative to this file.' }),
    message: z
      .string(absentOr('must be text'))
      .min(1, 'must not be empty')
      .max(MAX_TEMPLATE_CHARACTERS, `must not have more than ${MAX_TEMPLATE_CHARACTERS} characters`)
      .optional()
      .meta({ description: 'The message text itself, in place of `template`: "Hi <<name>>, …".' }),
    language: z
      .enum(LANGUAGES, absentOr('must be en or sw'))
      .default('en')
      .meta({ description: 'Language of months and days in <<date …>>: en or sw. Default: en.' }),
    contacts: oneLine(MAX_PATH)
      .optional()
      .meta({ description: 'CSV or Excel workbook (.xlsx) of the contacts, relative to this file.' }),
    sheet: oneLine(MAX_SHEET_NAME)
      .optional()
      .meta({ description: 'Sheet of an Excel workbook (.xlsx). Default: the first.' }),
    rows: z.enum(['all', 'visible'], absentOr('must be all or visible')).optional().meta({
      description: 'Rows of an Excel workbook: all, or only those that no filter hides. Default: all.',
    }),
    header: whole(JOB_LIMITS.headerLine)
      .optional()
      .meta(numeric('Line of the contacts that names the columns. Default: it is found, also below titles.')),
    columns: z
      .record(
        oneLine(MAX_HEADER_NAME),
        z.union(
          [oneLine(MAX_HEADER_NAME), headerNames(JOB_LIMITS.mobileColumns)],
          orEmpty('must be a header name; of `mobile` also a list of them'),
        ),
        absentOr('must be a map of our name to a header name'),
      )
      .default({})
      .meta({
        description:
          'Names of our own for columns: { mobile: Phone, name: First name }. mobile: [Phone, Phone 2]: the first usable number.',
      }),
    gsm: z
      .enum(['true', 'false'], absentOr('must be true or false'))
      .optional()
      .meta({
        description: 'Replace characters that force UCS-2 by GSM-7 ones. Default: false.',
        type: 'boolean',
        enum: [true, false],
      }),
    countries: z.array(country, absentOr('must be a list of countries, such as [KE, TZ]')).optional().meta({
      description: 'Countries that may be sent to beside TUMA_COUNTRY: [KE, TZ]. Default: TUMA_COUNTRIES.',
    }),
    key: z
      .union(
        [oneLine(MAX_HEADER_NAME).transform((name) => [name]), headerNames(JOB_LIMITS.keyColumns)],
        orEmpty('must be a column such as invoice, or a list such as [pupil, date]'),
      )
      .optional()
      .meta({
        description:
          'Column, or list of columns, that lets one person get several messages: invoice, or [pupil, date].',
      }),
    start: read(
      (value) => (parseLocalTime(value, 'UTC') === null ? null : value),
      'a time such as 2026-11-27T09:00',
    )
      .optional()
      .meta({ description: 'When to begin, in TUMA_ZONE: 2026-11-27T09:00. Default: at once.' }),
    start_deadline: duration().default(JOB_DEFAULTS.startDeadlineMs).meta({
      description: 'A start missed by more than this pauses the campaign; it never fires late. Default: 2h.',
    }),
    remind: remind.optional().meta({
      description:
        'In place of `start`: each contact is reminded at a moment of its own, by a date in its row.',
    }),
    every: every.optional().meta({
      description: 'In place of `start`: fires again and again; each firing is a campaign of its own.',
    }),
    window: z
      .union([z.literal('always').transform(() => null), hours], {
        error: 'must be `always`, or hours such as { from: "08:00", to: "18:00", days: mon-sat }',
      })
      .optional()
      .meta({
        description:
          'Hours of sending in TUMA_ZONE, or `always`. Default: 08:00–18:00 if promotional, else always.',
      }),
    rate: rate.optional().meta({
      description:
        'Most messages of this campaign a second: 50/s, 600/min or unlimited. TUMA_RATE holds as well.',
    }),
    batch: whole(JOB_LIMITS.batchSize)
      .default(JOB_DEFAULTS.batchSize)
      .meta(numeric('Messages that one queue job sends. Default: 500.')),
    budget: amount()
      .optional()
      .meta(numeric('Most that the campaign may cost, in TUMA_CURRENCY: it pauses before.')),
    canary: canary.optional().meta({
      description: 'The first messages go alone; the rest follows when enough of them were delivered.',
    }),
    guard: guard.optional().meta({
      description: 'Skips people who had the same text from another campaign, or too many messages.',
    }),
    retry: retry.prefault({}).meta({ description: 'How often and when a throttled message is tried again.' }),
  },
  absentOr('must be a map of keys, such as `name: black-friday`'),
);

/** A job file as it is written, with its durations, rates and amounts read. */
type JobFile = z.output<typeof keysSchema>;

type Refuse = (path: string[], message: string) => void;

/** The schema of a job file: its keys, and the rules between them. */
export const jobSchema = keysSchema.superRefine((job, context) => {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
  checkText(job, refuse);
  checkColumns(job, refuse);
  checkTimes(job, refuse);
  if (job.kind === 'transactional' && job.guard?.most !== undefined)
    refuse(['guard', 'most'], 'is only for promotional jobs');
});

function checkText({ template, message }: JobFile, refuse: Refuse): void {
  if (template === undefined && message === undefined)
    refuse([], 'needs a `template` (a file), or a `message` (the text itself)');
  if (template !== undefined && message !== undefined)
    refuse(['message'], 'is given beside `template`; keep one');
}

function checkColumns({ columns }: JobFile, refuse: Refuse): void {
  for (const [ours, headers] of Object.entries(columns))
    if (Array.isArray(headers) && foldName(ours) !== 'mobile')
      refuse(['columns', ours], 'must be one header name; only `mobile` may have several');
}

function checkTimes(job: JobFile, refuse: Refuse): void {
  const [first, second] = (['start', 'remind', 'every'] as const).filter((key) => job[key] !== undefined);
  if (second !== undefined) refuse([second], `is given beside \`${first}\`; keep one`);
  if (job.remind?.offset !== undefined && job.remind.offsets !== undefined)
    refuse(['remind', 'offsets'], 'is given beside `offset`; keep one');
  checkHours(job.remind, refuse);
  if (job.canary !== undefined && job.remind !== undefined)
    refuse(['canary'], 'does not go with `remind`, because reminders are sent on many days');
}

/** Hours are counted from the event, so its time must be known. */
function checkHours(rule: JobFile['remind'], refuse: Refuse): void {
  if (rule === undefined || typeof rule.at !== 'number') return;
  const words = 'counts hours from the time of the event: say which column has it, as `at: { column: Time }`';
  if (rule.offset !== undefined && isInHours(rule.offset)) refuse(['remind', 'offset'], words);
  for (const [index, part] of (rule.offsets ?? []).entries())
    if (isInHours(part.offset)) refuse(['remind', 'offsets', String(index)], words);
}

/** Fills in the defaults of missing keys. */
export function jobFromFile(file: JobFile): Job {
  return {
    name: file.name,
    kind: file.kind,
    sender: orNull(file.sender),
    template: file.template === undefined ? { message: file.message ?? '' } : { file: file.template },
    language: file.language,
    contacts: orNull(file.contacts),
    sheet: orNull(file.sheet),
    ...(file.rows === undefined ? {} : { rows: file.rows }),
    ...(file.header === undefined ? {} : { headerLine: file.header }),
    gsmSafe: file.gsm === 'true',
    ...columnsOf(file),
    countries: orNull(file.countries),
    key: file.key ?? [],
    start: orNull(file.start),
    startDeadlineMs: file.start_deadline,
    remind: remindOf(file),
    every: orNull(file.every),
    window: windowOf(file),
    ratePerSecond: file.rate?.perSecond ?? null,
    batchSize: file.batch,
    budgetMicro: orNull(file.budget),
    canary: orNull(file.canary),
    guard: guardOf(file),
    retry: { attempts: file.retry.attempts, firstMs: file.retry.first, mostMs: file.retry.most },
  };
}

/** The first column of the numbers stands among the others of `columns`, because a text may name it. */
function columnsOf({ columns }: JobFile): Pick<Job, 'columns' | 'otherMobiles'> {
  const named = Object.entries(columns).map(([ours, headers]) => ({ ours, headers: [headers].flat() }));
  return {
    columns: Object.fromEntries(named.map(({ ours, headers }) => [ours, headers[0] ?? ''])),
    otherMobiles: named.flatMap(({ headers }) => headers.slice(1)),
  };
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

function guardOf({ kind, guard: given }: JobFile): GuardRule {
  const usual = kind === 'promotional' ? JOB_DEFAULTS.guard.sameTextMs : 0;
  const sameTextMs = given?.same_text ?? usual;
  return {
    sameTextMs: sameTextMs === 0 ? null : sameTextMs,
    most: given?.most ?? null,
    perMs: given?.per ?? JOB_DEFAULTS.guard.perMs,
  };
}

function remindOf({ remind, key }: JobFile): ReminderRule | null {
  if (remind === undefined) return null;
  const { column, offset = '0d', offsets, at, format } = remind;
  return {
    column,
    offset,
    ...(offsets === undefined ? {} : seriesOf(offsets)),
    ...(typeof at === 'number'
      ? { atMinute: at }
      : { atMinute: JOB_DEFAULTS.remindAtMinute, atColumn: at.column }),
    format: format ?? null,
    keyed: key !== undefined,
  };
}

function seriesOf(
  parts: readonly { offset: Offset; message: string | null }[],
): Pick<ReminderRule, 'series' | 'texts'> {
  const texts = parts.flatMap(({ offset, message }) =>
    message === null ? [] : [[offset, message] as const],
  );
  const series = parts.map(({ offset }) => offset);
  return texts.length === 0 ? { series } : { series, texts: Object.fromEntries(texts) };
}

function windowOf(file: JobFile): SendWindow | null {
  if (file.window !== undefined) return file.window;
  return file.kind === 'promotional' ? PROMOTIONAL_WINDOW : null;
}

/** The JSON Schema that editors read: the content of jobs/schema.json. */
export function jobJsonSchema(): object {
  const schema = z.toJSONSchema(jobSchema, { io: 'input' });
  return {
    ...schema,
    title: 'A Tuma job file',
    oneOf: [{ required: ['template'] }, { required: ['message'] }],
  };
}
