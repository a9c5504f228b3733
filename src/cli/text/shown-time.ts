import { isoTime } from '../../reports/campaign-report.ts';
import { clock } from '../../reports/report-words.ts';
import type { Context } from '../context.ts';

/** A time (milliseconds) for people by the clock of TUMA_ZONE: 27 Nov 2026 09:00:05. Programs get UTC. */
export function shownTime({ config }: Pick<Context, 'config'>, at: number): string {
  return clock(isoTime(at), config.zone);
}
