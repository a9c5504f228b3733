import type { JobKeys } from '../../../campaign/jobs/job-text.ts';
import { JOB_LIMITS } from '../../../domain/job.ts';
import { parseAmount } from '../../../domain/money.ts';
import { parseRate } from '../../../domain/pace/rate.ts';
import { localClock, parseLocalTime } from '../../../domain/time/local-time.ts';
import { hoursOf, parseOffset } from '../../../domain/time/occurrence.ts';
import { parseMinuteOfDay } from '../../../domain/time/window-words.ts';
import { cronOf, cycleOf } from './cycles.ts';
import { type FormReading, trimmed, type Typed } from './form-reading.ts';

/** When it begins. */
export type Begin = 'now' | 'at' | 'remind' | 'every';

/** The third step as its fields hold it. */
export interface WhenValues {
  when: Begin;
  day: string;
  hour: string;
  column: string;
  /** Days before the date, such as `7, 2, 0`; after it `+1`. */
  offsets: string;
  remindHour: string;
  /** The column of the times; empty: `remindHour` holds for all. It is kept as it was. */
  timeColumn: string;
  order: string;
  /** A key of the words of cycles, or the five fields of cron. */
  cycle: string;
  everyHour: string;
  always: boolean;
  from: string;
  to: string;
  days: string;
  rate: string;
  budget: string;
  canary: boolean;
}

const USUAL_HOUR = '09:00';
const USUAL_OFFSETS = ['-2d'];
const USUAL_WINDOW = { from: '08:00', to: '18:00' };
/** Hours of the same day, with the margin at their end. */
const LEAST_WINDOW_MINUTES = 10;

/** The values of a job. A start is shown by the clock of `zone`. */
export function whenValues(job: Partial<JobKeys>, { zone }: { zone: string }): WhenValues {
  const { cycle, hour: everyHour } = cycleOf(job.every?.cron ?? '');
  return {
    when: beginOf(job),
    ...startValues(job, zone),
    ...remindValues(job),
    cycle,
    everyHour,
    ...windowValues(job),
    rate: rateOf(job.rate),
    budget: job.budget ?? '',
    canary: job.canary !== undefined,
  };
}

function beginOf({ start, remind, every }: Partial<JobKeys>): Begin {
  if (remind !== undefined) return 'remind';
  if (every !== undefined) return 'every';
  return start === undefined ? 'now' : 'at';
}

function startValues({ start }: Partial<JobKeys>, zone: string): Pick<WhenValues, 'day' | 'hour'> {
  const startAt = start === undefined ? null : parseLocalTime(start, zone);
  if (startAt === null) return { day: '', hour: USUAL_HOUR };
  const [day = '', hour = ''] = localClock(startAt, zone).split(' ');
  return { day, hour };
}

type RemindValues = Pick<WhenValues, 'column' | 'offsets' | 'remindHour' | 'timeColumn' | 'order'>;

function remindValues({ remind }: Partial<JobKeys>): RemindValues {
  const { column = '', at = USUAL_HOUR, format: order = '' } = remind ?? {};
  return {
    column,
    offsets: offsetsOf(remind).map(daysOf).join(', '),
    remindHour: typeof at === 'string' ? at : USUAL_HOUR,
    timeColumn: typeof at === 'string' ? '' : at.column,
    order,
  };
}

/** The values as they were typed. */
export function typedWhen(typed: Typed, before: WhenValues): WhenValues {
  const text = (name: keyof WhenValues) => trimmed(typed, name);
  const when = text('when');
  return {
    when: when === 'at' || when === 'remind' || when === 'every' ? when : 'now',
    day: text('day'),
    hour: text('hour'),
    column: text('column'),
    offsets: text('offsets'),
    remindHour: text('remindHour'),
    timeColumn: before.timeColumn,
    order: text('order'),
    cycle: text('cycle'),
    everyHour: text('everyHour'),
    always: typed['always'] === 'true',
    from: text('from'),
    to: text('to'),
    days: text('days'),
    rate: text('rate'),
    budget: text('budget'),
    canary: typed['canary'] === 'true',
  };
}

/** Reads the third step. `job` is what it changes, and `now` in milliseconds. */
export function readWhen(
  values: WhenValues,
  { job, zone, now, currency }: { job: Partial<JobKeys>; zone: string; now: number; currency: string },
): FormReading {
  const reading: Required<FormReading> = { job: { start: null, remind: null, every: null }, wrong: [] };
  if (values.when === 'at') readStart(values, reading, { zone, now });
  if (values.when === 'remind') readRemind(values, reading, job);
  if (values.when === 'every') readEvery(values, reading, job);
  readWindow(values, reading);
  readRate(values, reading, job);
  readBudget(values, reading, currency);
  // Reminders go on many days, so nothing can be tried first.
  reading.job.canary = values.canary && values.when !== 'remind' ? (job.canary ?? {}) : null;
  return reading;
}

function readStart(
  { day, hour }: WhenValues,
  { job, wrong }: FormReading,
  at: { zone: string; now: number },
): void {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(day);
  const minute = parseMinuteOfDay(hour);
  const start = `${day}T${hour.padStart(5, '0')}`;
  const startAt = parseLocalTime(start, at.zone);
  if (!isDay || (minute !== null && startAt === null)) wrong.push({ field: 'day', problem: 'dayWrong' });
  else if (minute === null) wrong.push({ field: 'hour', problem: 'hourWrong' });
  else if (startAt !== null && startAt < at.now) wrong.push({ field: 'day', problem: 'startPast' });
  job.start = start;
}

function readRemind(values: WhenValues, { job, wrong }: FormReading, { remind }: Partial<JobKeys>): void {
  const { column, order, timeColumn, remindHour } = values;
  if (column === '') wrong.push({ field: 'column', problem: 'columnMissing' });
  if (timeColumn === '' && !isTimeOfDay(remindHour))
    wrong.push({ field: 'remindHour', problem: 'hourWrong' });
  const offsets = readOffsets(values.offsets);
  if (offsets === null) wrong.push({ field: 'offsets', problem: 'offsetsWrong' });
  job.remind = {
    column,
    ...withTexts(offsets ?? ['0d'], remind),
    at: timeColumn === '' ? remindHour : { column: timeColumn },
    ...(order === '' ? {} : { format: order }),
  };
}

/** One reminder, or a series, of which some keep the text of their own. */
function withTexts(
  offsets: readonly string[],
  before: JobKeys['remind'],
): Pick<Remind, 'offset' | 'offsets'> {
  const own = new Map(ownTexts(before));
  const all = offsets.map((offset) => own.get(parseOffset(offset)) ?? offset);
  const [first] = all;
  return all.length === 1 && typeof first === 'string' ? { offset: first } : { offsets: all };
}

function readEvery(
  { cycle, everyHour }: WhenValues,
  { job, wrong }: FormReading,
  before: Partial<JobKeys>,
): void {
  const cron = cronOf(cycle, everyHour);
  if (cron === null) wrong.push({ field: 'everyHour', problem: 'hourWrong' });
  job.every = { ...before.every, cron: cron ?? '' };
}

function readWindow({ always, from, to, days }: WhenValues, { job, wrong }: FormReading): void {
  const [first, last] = [parseMinuteOfDay(from), parseMinuteOfDay(to)];
  const fits = first !== null && last !== null && last - first > LEAST_WINDOW_MINUTES;
  if (!always && !fits) wrong.push({ field: 'from', problem: 'hoursWrong' });
  job.window = always ? 'always' : { from, to, days: days === '' ? 'mon-sun' : days };
}

function readRate({ rate }: WhenValues, { job, wrong }: FormReading, before: Partial<JobKeys>): void {
  if (rate === rateOf(before.rate)) return;
  const words = /^\d+(\.\d+)?$/.test(rate) ? `${rate}/s` : rate;
  if (rate !== '' && parseRate(words) === null) wrong.push({ field: 'rate', problem: 'rateWrong' });
  job.rate = rate === '' ? null : words;
}

function readBudget({ budget }: WhenValues, { job, wrong }: FormReading, currency: string): void {
  const amount = budget === '' ? null : parseAmount(budget, currency);
  if (budget !== '' && (amount === null || amount <= 0))
    wrong.push({ field: 'budget', problem: 'budgetWrong' });
  job.budget = budget === '' ? null : budget;
}

function windowValues({
  window,
  kind,
}: Partial<JobKeys>): Pick<WhenValues, 'always' | 'from' | 'to' | 'days'> {
  const always = window === undefined ? kind === 'transactional' : window === 'always';
  const { from, to, days = 'mon-sun' } = typeof window === 'object' ? window : { ...USUAL_WINDOW };
  return { always, from, to, days };
}

function offsetsOf(remind: JobKeys['remind']): string[] {
  if (remind === undefined) return USUAL_OFFSETS;
  return (
    remind.offsets?.map((each) => (typeof each === 'string' ? each : each.offset)) ?? [remind.offset ?? '0d']
  );
}

type Remind = NonNullable<JobKeys['remind']>;
type OwnText = Exclude<NonNullable<Remind['offsets']>[number], string>;

/** Reminders of a series with a text of their own, by their offset. */
function ownTexts(remind: JobKeys['remind']): (readonly [string | null, OwnText])[] {
  return (remind?.offsets ?? []).flatMap((each) =>
    typeof each === 'string' ? [] : [[parseOffset(each.offset), each] as const],
  );
}

/** `-2d` as `2`, `3d` as `+3`; hours stay as they are, because only a job file has them. */
function daysOf(offset: string): string {
  const parsed = parseOffset(offset);
  if (parsed === null || !parsed.endsWith('d')) return offset;
  const days = Number(parsed.slice(0, -1));
  return days > 0 ? `+${days}` : String(-days);
}

function readOffsets(text: string): string[] | null {
  const parts = text.split(/[,;\s]+/).filter((part) => part !== '');
  const offsets = parts.map((part) => {
    if (/^\d{1,3}$/.test(part)) return Number(part) === 0 ? '0d' : `-${Number(part)}d`;
    return /^\+\d{1,3}$/.test(part) ? `${Number(part)}d` : parseOffset(part);
  });
  const known = offsets.filter((offset) => offset !== null);
  const isEach = new Set(known.map(hoursOf)).size === parts.length;
  return known.length > 0 && known.length <= JOB_LIMITS.series && isEach ? known : null;
}

function rateOf(rate: string | undefined): string {
  if (rate === undefined) return '';
  return /^(\d+(?:\.\d+)?)\/s$/.exec(rate.trim())?.[1] ?? rate;
}

function isTimeOfDay(text: string): boolean {
  const minute = parseMinuteOfDay(text);
  return minute !== null && minute < 24 * 60;
}
