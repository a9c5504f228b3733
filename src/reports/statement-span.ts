import { localDate } from '../domain/time/local-time.ts';
import { countDays, isDate, MOST_DAYS } from './statement-days.ts';

/** The first and the last day of a statement, as 2026-11-27; or what is wrong with what was asked. */
export type StatementSpan =
  | { from: string; to: string }
  | { wrong: 'from' | 'to'; why: 'no day' | 'backwards' | 'too long'; from: string; to: string };

/** The days that somebody asks for; left out: from the first of the month of the last day, and until today. */
export function statementSpan(
  asked: { from?: string | undefined; to?: string | undefined },
  { now, zone }: { now: number; zone: string },
): StatementSpan {
  const to = asked.to?.trim() ?? localDate(now, zone);
  const from = asked.from?.trim() ?? `${to.slice(0, 8)}01`;
  if (!isDate(to)) return { wrong: 'to', why: 'no day', from, to };
  if (!isDate(from)) return { wrong: 'from', why: 'no day', from, to };
  const days = countDays(from, to);
  if (days < 1) return { wrong: 'from', why: 'backwards', from, to };
  return days > MOST_DAYS ? { wrong: 'from', why: 'too long', from, to } : { from, to };
}
