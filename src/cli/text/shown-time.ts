import { isoTime } from '../../reports/campaign-report.ts';
import { clock } from '../../reports/report-words.ts';
import type { Context } from '../context.ts';

/** A time (milliseconds) as people are shown it, by the clock of TUMA_ZONE: 27 Nov 2026 09:00:05. Programs get UTC (`isoTime`). */
export function shownTime({ config }: Pick<Context, 'config'>, at: number): string {
  return clock(isoTime(at), config.zone);
}
