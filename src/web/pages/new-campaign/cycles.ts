import { parseCron } from '../../../domain/time/cron.ts';
import { parseMinuteOfDay } from '../../../domain/time/window-words.ts';

/** The days of each cycle as the last three fields of cron. */
const CYCLES: Readonly<Record<string, string>> = {
  daily: '* * *',
  weekdays: '* * mon-fri',
  mon: '* * mon',
  tue: '* * tue',
  wed: '* * wed',
  thu: '* * thu',
  fri: '* * fri',
  sat: '* * sat',
  sun: '* * sun',
  monthly: '1 * *',
};
const USUAL = { cycle: 'mon', hour: '09:00' };

/** The cycles that a person can choose, in order. */
export const CYCLE_NAMES = Object.keys(CYCLES);

/** The five fields of cron for a cycle at an hour such as "09:00"; the fields themselves stay. Null: one of them is wrong. */
export function cronOf(cycle: string, hour: string): string | null {
  const days = CYCLES[cycle];
  if (days === undefined) return parseCron(cycle) === null ? null : cycle;
  const minute = parseMinuteOfDay(hour);
  if (minute === null || minute >= 24 * 60) return null;
  return `${minute % 60} ${Math.floor(minute / 60)} ${days}`;
}

/** The cycle and hour of five fields of cron; other fields are their own cycle. */
export function cycleOf(cron: string): { cycle: string; hour: string } {
  if (cron === '') return USUAL;
  const [minute = '', hour = '', ...days] = cron.trim().toLowerCase().split(/\s+/);
  const cycle = CYCLE_NAMES.find((name) => CYCLES[name] === days.join(' '));
  const isPlain = /^\d{1,2}$/.test(minute) && /^\d{1,2}$/.test(hour);
  if (cycle === undefined || !isPlain) return { cycle: cron, hour: USUAL.hour };
  return { cycle, hour: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}
